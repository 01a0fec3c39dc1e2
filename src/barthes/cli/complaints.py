"""Saying what went wrong with one story, and going on with the next."""

from __future__ import annotations

from types import TracebackType

import typer

from barthes.errors import BarthesError
from barthes.report.escaping import printable

__all__ = ["Complaints", "complain", "remark"]


def complain(problem: object) -> None:
    """Print a problem to stderr; file names and stories quoted in it do not steer the terminal."""
    lines = str(problem).splitlines()
    typer.echo("\n".join(map(printable, [f"barthes: {lines[0] if lines else ''}", *lines[1:]])), err=True)


def remark(note: str) -> None:
    """Print to stderr what a reader of the results should know and the results cannot say."""
    complain(f"note: {note}")


class Complaints:
    """A block of work that may fail: the error is printed to stderr and counted, not raised."""

    def __init__(self) -> None:
        self.count = 0

    def __enter__(self) -> Complaints:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, BarthesError):
            return False
        self.count += 1
        complain(error)
        return True
