"""Print results, errors, notes and progress; end commands that are interrupted."""

from __future__ import annotations

import io
import json
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from types import TracebackType
from typing import TYPE_CHECKING, Any

import typer

from barthes.errors import BarthesError
from barthes.report.escaping import printable
from barthes.salience.method import Progress

if TYPE_CHECKING:
    from rich.progress import Progress as ProgressBars
    from rich.table import Table

_bars: list[ProgressBars] = []  # on display
_options: set[str] = set()  # of the command that is running
_MEASURED = 3.0  # seconds of work from which the rest is estimated
_LONG = 60.0  # seconds; shorter work is not announced
_TOO_LONG = 600.0  # seconds; for longer work, faster ways are named


def use_utf8() -> None:
    """Write UTF-8 to files and pipes; a terminal keeps its encoding. Unknown characters are escaped."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            encoding = None if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace")


def print_error(problem: object) -> None:
    """Print an error to stderr, with the options that help; control characters are replaced."""
    text = describe_error(problem) if isinstance(problem, BarthesError) else str(problem)
    lines = text.splitlines()
    typer.echo("\n".join(map(printable, [f"barthes: {lines[0] if lines else ''}", *lines[1:]])), err=True)


def print_line(line: str) -> None:
    """Print a line to stderr; control characters are replaced."""
    typer.echo(printable(line), err=True)


def use_options(options: Iterable[str]) -> None:
    """Set the options of the command that is running; errors name no others."""
    _options.clear()
    _options.update(options)


def describe_error(error: BarthesError) -> str:
    """Return the message of an error, with the options that help.

    >>> use_options(["--window"])
    >>> describe_error(BarthesError("it is full.", remedy="Choose a smaller window.", option="window"))
    'it is full. Choose a smaller window (--window).'
    """
    options = [f"--{name.replace('_', '-')}" for name in error.option.split()]
    options = [name for name in options if name in _options]
    if not options:
        return str(error)
    return f"{str(error).removesuffix('.')} ({', '.join(options)})."


def print_note(note: str) -> None:
    """Print a note to stderr: something readers of the results should know."""
    print_error(f"note: {note}")


class ErrorCounter:
    """Context manager that prints and counts errors of Barthes instead of raising them."""

    def __init__(self) -> None:
        self.count: int = 0

    def __enter__(self) -> ErrorCounter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, BarthesError):
            return False
        self.count += 1
        print_error(error)
        return True

    def exit_if_any(self) -> None:
        """End the command with exit code 2 if there was an error."""
        if self.count:
            raise typer.Exit(2)


def print_json(content: Any) -> None:
    """Print plain dicts and lists as JSON."""
    typer.echo(json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False))


def print_rows(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a list: a table on a terminal, tab-separated lines to a pipe."""
    if not sys.stdout.isatty():
        typer.echo("\n".join("\t".join(row) for row in [columns, *rows]))
        return
    from rich.console import Console

    Console().print(tabulate(columns, rows))


def tabulate(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """Return a list as a table for a terminal of any width; long cells are folded, not cut."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in columns:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table


@contextmanager
def show_progress(label: str) -> Iterator[Progress]:
    """Show a progress bar with the remaining time on a terminal while the block runs.

    Inside another `show_progress`, the bar is one more line below the other.

    Yields:
        A function to call with the work done and the total work.
    """
    with _open_bars() if not _bars else nullcontext(_bars[-1]) as bars:
        task = bars.add_task(printable(label), total=None)
        try:
            yield lambda done, total: bars.update(task, completed=done, total=total)
        finally:
            bars.remove_task(task)


@contextmanager
def _open_bars() -> Iterator[ProgressBars]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    console = Console(file=sys.stderr)
    description = TextColumn("{task.description}", markup=False)
    columns = (description, BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        _bars.append(bars)
        try:
            yield bars
        finally:
            _bars.clear()


def announce_duration(
    label: str, progress: Progress, *, advice: str = "", clock: Callable[[], float] = time.monotonic
) -> Progress:
    """Return a progress function that also prints, once, how long the work will take if that is long.

    The first reports are left out of the estimate: the whole story is read before them. The advice is for
    work of more than ten minutes.
    """
    seen: list[tuple[float, int]] = []  # time and work done: of the first report, and of the first progress
    announced = False

    def report(done: int, total: int) -> None:
        nonlocal announced
        progress(done, total)
        now = clock()
        if len(seen) < 2 and (not seen or done > seen[-1][1]):
            seen.append((now, done))
        start, known = seen[-1]
        if announced or len(seen) < 2 or now - start < _MEASURED or done == known:
            return
        announced = True
        expected = now - seen[0][0] + (now - start) * (total - done) / (done - known)
        if expected > _LONG:
            more = advice if expected > _TOO_LONG else ""
            print_note(f"{label}: this will take about {describe_duration(expected)}.{more}")

    return report


def describe_duration(seconds: float) -> str:
    """Return a rounded duration in words.

    >>> describe_duration(75), describe_duration(1234), describe_duration(6700)
    ('1 minute', '21 minutes', '1.9 hours')
    """
    if seconds < 5400:
        return count(max(1, round(seconds / 60)), "minute", "minutes")
    return f"{seconds / 3600:,.1f} hours"


@contextmanager
def sigterm_as_interrupt() -> Iterator[None]:
    """Raise KeyboardInterrupt for SIGTERM in this block; job schedulers end jobs with it."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def ignore_interrupts() -> None:
    """Ignore Ctrl-C from here on: the process writes what it has and ends.

    Ending takes seconds once torch is loaded; a second Ctrl-C would lose results and show tracebacks.
    """
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def end_interrupted(message: str) -> typer.Exit:
    """Print how far an interrupted command came, and return the exception that ends it."""
    ignore_interrupts()
    print_error(message)
    return typer.Exit(130)


@contextmanager
def resumable(where: object, is_empty: Callable[[], bool] = lambda: False) -> Iterator[None]:
    """Print where finished work is saved when Ctrl-C or SIGTERM ends this block, unless there is none."""
    try:
        with sigterm_as_interrupt():
            yield
    except KeyboardInterrupt:
        ignore_interrupts()
        if is_empty():
            raise
        raise end_interrupted(
            f"interrupted; finished work is saved in {where}. Run the same command again to continue."
        ) from None


def count(number: int, one: str, several: str) -> str:
    """Return a number with a word in the singular or plural.

    >>> count(1, "text is", "texts are"), count(1200, "text is", "texts are")
    ('1 text is', '1,200 texts are')
    """
    return f"{number:,} {one if number == 1 else several}"
