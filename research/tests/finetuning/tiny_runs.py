"""Tiny models and tales for fine-tuning, and a run in a process of its own that can be killed."""

from __future__ import annotations

import multiprocessing
import random
import re
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import NamedTuple, Self

from barthes.progress import Progress, Reporter, show_nothing
from barthes_research.finetuning.texts import TrainingText
from barthes_research.finetuning.training import finetune
from barthes_research.finetuning.training_settings import TrainingSettings
from tests.tiny_models import WORDS, tiny_network, tiny_tokenizer


def write_base(folder: Path, architecture: str = "llama", *, seed: int = 0) -> Path:
    """Write a tiny model. GPT-2 has dropout, so its training depends on random numbers."""
    tiny_network(architecture, seed=seed).save_pretrained(folder)
    tiny_tokenizer().save_pretrained(folder)
    return folder


def make_tales(count: int = 12, *, seed: int = 0) -> list[TrainingText]:
    """Make tales with a pattern to learn: every sentence is one of three."""
    draw = random.Random(seed)
    sentences = ("the wolf ate a sheep .", "then the girl ran and the king slept .", "but it rained !")
    return [
        TrainingText(f"tale{i}.txt", " ".join(draw.choice(sentences) for _ in range(draw.randint(3, 24))))
        for i in range(count)
    ]


def make_noise(count: int = 10) -> list[TrainingText]:
    """Make texts of random words, which have nothing in common and nothing to learn."""
    draw = random.Random(0)
    words = WORDS[:-3]
    return [TrainingText(f"tale{i}.txt", " ".join(draw.choices(words, k=60))) for i in range(count)]


def small(base: Path | str, **options) -> TrainingSettings:
    """Return settings for a run of a few steps."""
    usual = {"block": 64, "accumulate": 2, "epochs": 2, "evaluate_every": 6, "learning_rate": 1e-2}
    return TrainingSettings(model=str(base), device="cpu", dtype="float32", **(usual | options))


def checkpointed(base: Path, method: str, **options) -> TrainingSettings:
    """Return settings for a run with a checkpoint after every step."""
    return small(base, method=method, **({"evaluate_every": 1, "patience": 100} | options))


def files(folder: Path) -> dict[str, bytes]:
    """Return the contents of all files in a folder by name."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


class Killed(BaseException):
    """Ends a run at once: nothing in Barthes catches it."""


def kill() -> None:
    raise Killed


class StepState(NamedTuple):
    """The state of a run, parsed from a progress line."""

    step: int
    steps: int
    perplexity: float | None

    @classmethod
    def parse(cls, line: str) -> Self | None:
        found = re.fullmatch(r"step (\d+) of (\d+) · loss \S+(?: · held-out perplexity (\S+))?", line)
        return found and cls(int(found[1]), int(found[2]), found[3] and float(found[3]))


def disturb(moment: str, act: Callable[[], None], *, when: Callable[[StepState], bool]) -> Progress:
    """Return a report that acts during a run, after a ``step`` or after a ``checkpoint``."""

    def listen(line: str, *bar: int) -> None:
        if (state := StepState.parse(line)) and when(state):
            act()

    return _report(**{{"step": "update", "checkpoint": "announce"}[moment]: listen})


def record_lines(lines: list[str]) -> Progress:
    """Return a report that collects the permanent lines."""
    return _report(announce=lines.append)


def _report(**methods: Callable[[str], None]) -> Progress:
    reporter = Reporter()
    vars(reporter).update(methods)
    return partial(nullcontext, reporter)


def limit_file_size() -> None:
    """Make writing more than a few bytes to a file fail."""
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (4000, resource.RLIM_INFINITY))


def start(base: Path, out: Path, method: str, *, full_disk: bool = False) -> BaseProcess:
    """Start a run in a process of its own; an error is written to ``OUT.error``.

    Processes are forked from one that has already imported torch and transformers.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, "barthes_research.finetuning.story_trainer", "peft"])
    process = context.Process(target=_run, args=(base, out, method, full_disk))
    process.start()
    return process


def _run(base: Path, out: Path, method: str, full_disk: bool) -> None:
    report = disturb("checkpoint", limit_file_size, when=lambda state: True) if full_disk else show_nothing
    try:
        finetune(make_tales(), out=out, settings=checkpointed(base, method), report=report)
    except Exception as error:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        out.with_suffix(".error").write_text(str(error), encoding="utf-8")
