"""Saying what went wrong with one story, and going on with the next."""

from __future__ import annotations

from types import TracebackType

import typer

from barthes.errors import BarthesError

__all__ = ["Complaints"]


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
        typer.echo(f"barthes: {error}", err=True)
        return True
