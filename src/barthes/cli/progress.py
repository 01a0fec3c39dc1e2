"""Progress on stderr: a bar with the remaining time in a terminal, silence in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from barthes.report.escaping import printable
from barthes.salience.method import Progress

__all__ = ["show_progress"]


@contextmanager
def show_progress(label: str) -> Iterator[Progress]:
    """Give a function that moves a bar; the bar goes away when the work is done."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    console = Console(file=sys.stderr)
    description = TextColumn("{task.description}", markup=False)
    columns = (description, BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    with bar:
        task = bar.add_task(printable(label), total=None)

        def move(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield move
