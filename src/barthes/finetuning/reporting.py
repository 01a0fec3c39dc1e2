"""Telling people how training goes: one live line on a terminal, a plain line an evaluation elsewhere."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status

__all__ = ["Pace", "Report", "Reporter", "describe", "show_nothing", "show_on_stderr"]


@dataclass(frozen=True, slots=True)
class Pace:
    """Where a run stands after a step.

    Attributes:
        step: Steps that are done.
        steps: Steps in all, if training is not stopped early.
        loss: Of the stories trained on in this step, nats a token.
        perplexity: On the held-out stories at the last evaluation; None before it, or without any.
        tokens_per_second: While training; evaluations and checkpoints are left out.
        seconds_left: An estimate, with evaluations and checkpoints.
    """

    step: int
    steps: int
    loss: float
    perplexity: float | None
    tokens_per_second: float
    seconds_left: float


class Reporter(Protocol):
    """Who hears of a run."""

    def announce(self, line: str) -> None:
        """What has happened or happens next, in a sentence."""
        ...

    def step(self, pace: Pace) -> None:
        """The weights have changed once more."""
        ...

    def evaluate(self, pace: Pace) -> None:
        """The held-out stories have been measured, or a checkpoint has been written without any."""
        ...

    def measure(self, what: str, done: int, total: int) -> None:
        """How many of how many blocks of a measurement are done."""
        ...


Report = Callable[[], AbstractContextManager[Reporter]]


def describe(pace: Pace) -> str:
    """One line about a run.

    >>> describe(Pace(12, 300, 3.21, 24.55, 268.4, 3725))
    'step 12 of 300 · loss 3.210 · held-out perplexity 24.55 · 268 tokens/s · 1:02:05 left'
    """
    held_out = "" if pace.perplexity is None else f" · held-out perplexity {pace.perplexity:.2f}"
    minutes, seconds = divmod(round(pace.seconds_left), 60)
    hours, minutes = divmod(minutes, 60)
    left = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
    return (
        f"step {pace.step} of {pace.steps} · loss {pace.loss:.3f}{held_out}"
        f" · {pace.tokens_per_second:.0f} tokens/s · {left} left"
    )


@contextlib.contextmanager
def show_on_stderr() -> Iterator[Reporter]:
    """A line on stderr that changes with every step; where that is no terminal, one at each evaluation."""
    from rich.console import Console

    console = Console(file=sys.stderr)  # this very stream, even while someone redirects stderr
    if not console.is_terminal:
        yield _Lines(console)
        return
    with console.status("") as status:
        yield _Live(console, status)


@contextlib.contextmanager
def show_nothing() -> Iterator[Reporter]:
    """Tell nobody."""
    yield _Silence()


class _Silence:
    def announce(self, line: str) -> None:
        pass

    def step(self, pace: Pace) -> None:
        pass

    def evaluate(self, pace: Pace) -> None:
        pass

    def measure(self, what: str, done: int, total: int) -> None:
        pass


class _Lines(_Silence):
    def __init__(self, console: Console) -> None:
        self._console = console

    def announce(self, line: str) -> None:
        self._console.print(line, soft_wrap=True, markup=False, highlight=False)

    def evaluate(self, pace: Pace) -> None:
        self.announce(describe(pace))


class _Live(_Lines):
    def __init__(self, console: Console, status: Status) -> None:
        super().__init__(console)
        self._status = status

    def step(self, pace: Pace) -> None:
        self._show(describe(pace))

    def measure(self, what: str, done: int, total: int) -> None:
        self._show(f"measuring {what}: block {done} of {total}")

    def _show(self, line: str) -> None:
        from rich.text import Text

        self._status.update(Text(line))
