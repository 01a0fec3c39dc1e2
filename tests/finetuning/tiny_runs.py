"""Tiny models to fine-tune, tiny tales to fine-tune them on, and a run of its own process to be killed."""

from __future__ import annotations

import multiprocessing
import random
import re
import resource
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import NamedTuple, Self

from barthes.finetuning.texts import TrainingText
from barthes.finetuning.training import finetune
from barthes.finetuning.training_settings import TrainingSettings
from barthes.progress import Progress, Reporter, show_nothing
from tests.tiny_models import WORDS, tiny_network, tiny_tokenizer


def write_base(folder: Path, architecture: str = "llama", *, seed: int = 0) -> Path:
    """A tiny model as a folder. GPT-2's has dropout, so that its training depends on random numbers."""
    tiny_network(architecture, seed=seed).save_pretrained(folder)
    tiny_tokenizer().save_pretrained(folder)
    return folder


def tell_tales(count: int = 12, *, seed: int = 0) -> list[TrainingText]:
    """Tales with a pattern to learn: every sentence is one of three."""
    draw = random.Random(seed)
    sentences = ("the wolf ate a sheep .", "then the girl ran and the king slept .", "but it rained !")
    return [
        TrainingText(f"tale{i}.txt", " ".join(draw.choice(sentences) for _ in range(draw.randint(3, 24))))
        for i in range(count)
    ]


def talk_nonsense(count: int = 10) -> list[TrainingText]:
    """Words drawn at random: no two texts have anything in common, and there is nothing to learn."""
    draw = random.Random(0)
    words = WORDS[:-3]
    return [TrainingText(f"tale{i}.txt", " ".join(draw.choices(words, k=60))) for i in range(count)]


def small(base: Path, **options) -> TrainingSettings:
    """Settings for a run of a few steps."""
    usual = {"block": 64, "accumulate": 2, "epochs": 2, "evaluate_every": 6, "learning_rate": 1e-2}
    return TrainingSettings(model=str(base), device="cpu", dtype="float32", **(usual | options))


def files(folder: Path) -> dict[str, bytes]:
    """The names and contents of all files in a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


class Killed(BaseException):
    """What ends a run at once: nothing in Barthes catches it, and nothing is saved on the way out."""


def kill() -> None:
    raise Killed


class Pace(NamedTuple):
    """The state of a run, as its lines of progress say."""

    step: int
    steps: int
    perplexity: float | None
    speed: int

    @classmethod
    def read(cls, line: str) -> Self | None:
        found = re.fullmatch(
            r"step (\d+) of (\d+) · loss \S+(?: · held-out perplexity (\S+))? · (\d+) tokens/s · \S+ left",
            line,
        )
        return found and cls(int(found[1]), int(found[2]), found[3] and float(found[3]), int(found[4]))


class _Disturber(Reporter):
    def __init__(self, moment: str, act: Callable[[], None], when: Callable[[Pace], bool]) -> None:
        super().__init__()

        def hear(line: str) -> None:
            if (pace := Pace.read(line)) and when(pace):
                act()

        setattr(self, {"step": "update", "checkpoint": "announce"}[moment], hear)


def disturb(moment: str, act: Callable[[], None], *, when: Callable[[Pace], bool]) -> Progress:
    """A report that does something during a run: after a ``step``, or after a ``checkpoint``."""
    return partial(nullcontext, _Disturber(moment, act, when))


def record_lines(lines: list[str]) -> Progress:
    """A report that keeps the lines that stay."""
    reporter = Reporter()
    reporter.announce = lines.append
    return partial(nullcontext, reporter)


def limit_file_size() -> None:
    """Let files grow no longer than a few bytes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (4000, resource.RLIM_INFINITY))


def start(base: Path, out: Path, method: str, *, full_disk: bool = False) -> BaseProcess:
    """A run in a process of its own; what it fails with is in the file ``OUT.error``.

    Processes are forked from one that has imported torch and transformers and has done nothing else: that is
    done once, not for each.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, "barthes.finetuning.story_trainer", "peft"])
    process = context.Process(target=_run, args=(base, out, method, full_disk))
    process.start()
    return process


def long(base: Path, method: str, **options) -> TrainingSettings:
    """Settings for a run with a checkpoint after every step."""
    usual = {"evaluate_every": 1, "patience": 100}
    return small(base, method=method, **(usual | options))


def _run(base: Path, out: Path, method: str, full_disk: bool) -> None:
    report = disturb("checkpoint", limit_file_size, when=lambda pace: True) if full_disk else show_nothing
    try:
        finetune(tell_tales(), out=out, settings=long(base, method), report=report)
    except Exception as error:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        out.with_suffix(".error").write_text(str(error), encoding="utf-8")
