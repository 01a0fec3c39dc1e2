"""Tiny models to fine-tune, tiny tales to fine-tune them on, and a run of its own process to be killed.

python -m tests.finetuning.tiny_runs BASE OUT METHOD
"""

from __future__ import annotations

import random
import resource
import sys
from contextlib import contextmanager
from pathlib import Path

from barthes.finetuning.reporting import Pace, Reporter, show_nothing
from barthes.finetuning.settings import TrainingSettings
from barthes.finetuning.training import finetune
from barthes.finetuning.training_text import TrainingText
from tests.tiny_models import WORDS, tiny_network, tiny_tokenizer

ROOT = Path(__file__).parents[2]


def write_base(folder: Path, architecture: str = "llama") -> Path:
    """A tiny model as a folder. GPT-2's has dropout, so that its training depends on random numbers."""
    tiny_network(architecture).save_pretrained(folder)
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
    usual = {"block": 64, "accumulate": 2, "epochs": 2, "learning_rate": 1e-2, "dtype": "float32"}
    return TrainingSettings(model=str(base), device="cpu", **(usual | options))


class _ShortOfSpace:
    """Hears of a run, and lets files grow no longer than a few bytes after the first checkpoint."""

    def __init__(self, reporter: Reporter) -> None:
        self.reporter = reporter

    def evaluate(self, pace: Pace) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4000, resource.RLIM_INFINITY))

    def __getattr__(self, name):
        return getattr(self.reporter, name)


@contextmanager
def run_short_of_space():
    with show_nothing() as reporter:
        yield _ShortOfSpace(reporter)


def main() -> None:
    base, out, method, *more = sys.argv[1:]
    report = run_short_of_space if "full-disk" in more else show_nothing
    settings = small(Path(base), method=method, epochs=4, evaluate_every=1, patience=100)
    finetune(tell_tales(), out=out, settings=settings, report=report)


if __name__ == "__main__":
    main()
