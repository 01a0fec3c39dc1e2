"""Show the progress of long operations, such as fetching or fine-tuning a model, on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.progress import Progress as Bars
    from rich.progress import Task


class Reporter:
    """Print lines to a console and show the current step below them; without a console, do nothing."""

    def __init__(self, console: Console | None = None, bars: Bars | None = None) -> None:
        self._console = console
        self._bars = bars
        self._total: int | None = None  # of the step on display

    def announce(self, line: str) -> None:
        """Print a line that stays."""
        if self._console is not None:
            self._console.print(line, soft_wrap=True, markup=False, highlight=False)

    def update(self, line: str, done: int = 0, total: int = 0) -> None:
        """Show a line that the next one replaces, with a bar if the total is known (not 0)."""
        if self._bars is None:
            return
        if total != self._total:  # rich cannot take the total of a task back
            for task in self._bars.task_ids:
                self._bars.remove_task(task)
            self._bars.add_task(line, total=total or None)
            self._total = total
        self._bars.update(self._bars.task_ids[0], description=line, completed=done)


Progress = Callable[[], AbstractContextManager[Reporter]]
"""A function that starts showing progress, such as `show_on_stderr`."""


@contextmanager
def show_nothing() -> Iterator[Reporter]:
    """Ignore progress."""
    yield Reporter()


@contextmanager
def show_on_stderr() -> Iterator[Reporter]:
    """Show progress on stderr; only a terminal gets the lines that are replaced."""
    from rich import progress
    from rich.console import Console
    from rich.progress_bar import ProgressBar

    class BarColumn(progress.ProgressColumn):
        def render(self, task: Task) -> RenderableType:
            return ProgressBar(task.total, task.completed, width=40) if task.total else ""

    console = Console(file=sys.stderr)  # this very stream, even while stderr is redirected
    if not console.is_terminal:
        yield Reporter(console)
        return
    columns = (
        progress.SpinnerColumn(),
        progress.TextColumn("{task.description}", markup=False),
        BarColumn(),
        progress.TimeRemainingColumn(),
    )
    with progress.Progress(*columns, console=console, transient=True, redirect_stderr=False) as bars:
        yield Reporter(console, bars)
