"""Rich's console, with the one habit changed that would end the process."""

from __future__ import annotations

from rich.console import Console

__all__ = ["PlainConsole"]


class PlainConsole(Console):
    """A console that leaves it to the caller what a closed pipe means."""

    def on_broken_pipe(self) -> None:
        """Raise what has been caught; rich would exit with code 1."""
        raise  # rich calls this where it has caught BrokenPipeError
