"""Telling people how far a fetch has come: a bar on a terminal, one line elsewhere, or nothing."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

__all__ = ["Progress", "Reporter", "show_nothing", "show_on_stderr"]


class Reporter(Protocol):
    """Who hears of a fetch."""

    def announce(self, line: str) -> None:
        """What happens next, in a sentence."""
        ...

    def step(self, what: str, done: int, total: int) -> None:
        """How many of how many bytes of a step are done; a total of 0 is not known."""
        ...


Progress = Callable[[], AbstractContextManager[Reporter]]


@contextlib.contextmanager
def show_on_stderr() -> Iterator[Reporter]:
    """Bars on stderr where that is a terminal; where it is not, the announcements alone."""
    from rich.console import Console

    console = Console(file=sys.stderr)  # this very stream, even while someone redirects stderr
    if not console.is_terminal:
        yield _Lines(console)
        return
    with _bar(console) as bar:
        yield _Bars(bar)


@contextlib.contextmanager
def show_nothing() -> Iterator[Reporter]:
    """Tell nobody."""
    yield _Silence()


class _Silence:
    def announce(self, line: str) -> None:
        pass

    def step(self, what: str, done: int, total: int) -> None:
        pass


class _Lines(_Silence):
    def __init__(self, console: Console) -> None:
        self._console = console

    def announce(self, line: str) -> None:
        self._console.print(line, soft_wrap=True, markup=False, highlight=False)


class _Bars:
    def __init__(self, bar: Bar) -> None:
        self._bar = bar
        self._tasks: dict[str, TaskID] = {}

    def announce(self, line: str) -> None:
        self._bar.console.print(line, markup=False, highlight=False)

    def step(self, what: str, done: int, total: int) -> None:
        if what not in self._tasks:
            for task in self._tasks.values():
                self._bar.update(task, visible=False)
            self._tasks[what] = self._bar.add_task(what, total=total or None, amount="")
        amount = f"{done / 1e6:.0f} of {total / 1e6:.0f} MB" if total else ""
        self._bar.update(self._tasks[what], completed=done, amount=amount)


def _bar(console: Console) -> Bar:
    from rich import progress

    return progress.Progress(
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(),
        progress.TextColumn("{task.fields[amount]}", markup=False),
        progress.TimeRemainingColumn(elapsed_when_finished=True),
        console=console,
        transient=True,
        redirect_stderr=False,
    )
