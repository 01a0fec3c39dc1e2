"""The `barthes` command: register the commands, and turn errors into messages and exit codes."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Annotated, Any

import typer

from barthes import lab
from barthes.cli.console import end_interrupted, ignore_interrupts, print_error, use_utf8
from barthes.cli.help_panels import PanelGroup
from barthes.errors import BarthesError, OutputError
from barthes.plugins import COMMANDS, load_plugins
from barthes.version import __version__

_DISK_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)

_EXAMPLES = """\b
Examples:
  barthes score tale.txt                     the most salient sentences
  barthes score tale.txt --html tale.html    an interactive report
  barthes serve                              a web page to paste stories into
  barthes score --help                       the options of a command
"""


class _Commands(PanelGroup):
    """The group of all commands, which explains their errors before typer ends the process."""

    def make_context(self, *args: Any, **options: Any) -> Any:
        with _explained():  # --help and --version are printed while parsing
            return super().make_context(*args, **options)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = super().get_command(ctx, cmd_name)
        if command is None and cmd_name in lab.COMMANDS:
            raise lab.explain_missing(f"barthes {cmd_name}")
        return command

    def invoke(self, ctx: Any) -> Any:
        with _explained():
            return super().invoke(ctx)


@contextmanager
def _explained() -> Iterator[None]:
    """Turn exceptions into a message on stderr and an exit code."""
    try:
        yield
        sys.stdout.flush()
    except BarthesError as error:
        print_error(error)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        raise end_interrupted("interrupted; nothing was written.") from None
    except BrokenPipeError:  # the pipe was closed
        _discard_stdout()
        raise typer.Exit(0) from None
    except OSError as error:
        print_error(_describe_os_error(error))
        raise typer.Exit(2) from None


def _describe_os_error(error: OSError) -> BarthesError:
    """Return what to print; raise the error if it is a bug. Files are written with errors of their own."""
    if error.errno == errno.ENAMETOOLONG:  # Path.exists() and the like raise it
        name = str(error.filename or "")
        shown = f"{name[:60]}…" if len(name) > 60 else name
        return BarthesError("the file name is too long.", where=shown, remedy="Use a shorter one.")
    if error.errno not in _DISK_ERRORS:
        raise error
    _discard_stdout()
    problem, remedy = f"cannot be written ({error.strerror}).", "Free some disk space, or write elsewhere."
    return OutputError(problem, where="standard output", remedy=remedy)


def _discard_stdout() -> None:
    """Discard buffered output, so that Python does not report an error when it exits."""
    with suppress(OSError, ValueError):  # a stream in memory has no descriptor
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


app: typer.Typer = typer.Typer(
    name="barthes",
    cls=_Commands,
    help="Find the sentences and events that a story cannot do without.",
    epilog=_EXAMPLES,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _name, _command in sorted(load_plugins(COMMANDS).items()):
    _command.add_to(app, _name)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"barthes {__version__}")
        raise typer.Exit


@app.callback()
def _barthes(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command; exit codes: 0 success, 2 wrong input, 130 interrupted."""
    use_utf8()
    try:
        app()
    finally:
        ignore_interrupts()
