"""Standard output and its troubles: a full disk, a reader who has gone, an old encoding."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import typer

from barthes.errors import OutputError

__all__ = ["echo", "give_up_stdout", "hush_stdout", "stdout_guarded", "use_utf8"]


def use_utf8() -> None:
    """Write UTF-8 to files and pipes, whatever the locale; a terminal keeps its own encoding.

    What an encoding lacks is written as an escape.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            encoding = None if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace")


@contextmanager
def stdout_guarded() -> Iterator[None]:
    """A block that writes to standard output, and flushes it.

    Raises:
        OutputError: It cannot be written to.
        BrokenPipeError: Its reader has seen enough.
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise give_up_stdout(error) from error


def give_up_stdout(error: OSError) -> OutputError:
    """Stop writing to standard output, and say why."""
    hush_stdout()
    return OutputError(
        f"cannot be written ({error.strerror or error}).",
        where="standard output",
        remedy="Send it to a disk that has room.",
    )


def echo(text: object) -> None:
    """Print a line to standard output."""
    with stdout_guarded():
        typer.echo(text)


def hush_stdout() -> None:
    """Drop what is still waiting to be written, so that Python does not complain about it at its end."""
    with suppress(OSError, ValueError):  # a stream in memory has no descriptor
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
