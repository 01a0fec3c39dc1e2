"""Progress on stderr: a bar with the remaining time in a terminal, silence in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from barthes.report.escaping import printable
from barthes.salience.method import Progress

if TYPE_CHECKING:
    from rich.progress import Progress as ProgressBar

__all__ = ["show_progress"]

_bars: list[ProgressBar] = []


@contextmanager
def show_progress(label: str) -> Iterator[Progress]:
    """Return a function that moves a progress bar; the bar disappears when the work is done."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    if _bars:  # inside other work: one more line under the same bar
        task = _bars[-1].add_task(printable(label), total=None)
        try:
            yield lambda done, total: _bars[-1].update(task, completed=done, total=total)
        finally:
            _bars[-1].remove_task(task)
        return
    console = Console(file=sys.stderr)
    description = TextColumn("{task.description}", markup=False)
    columns = (description, BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    _bars.append(bar)
    with bar, ExitStack() as stack:
        stack.callback(_bars.remove, bar)
        task = bar.add_task(printable(label), total=None)

        def move(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield move
