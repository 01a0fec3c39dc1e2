"""The `barthes` command: register the commands, and turn errors into messages and exit codes."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from barthes.cli.cache import cache_app
from barthes.cli.compare import compare_cli
from barthes.cli.console import (
    discard_stdout,
    echo,
    end_interrupted,
    fail_stdout,
    guarded_stdout,
    ignore_interrupts,
    print_error,
    use_utf8,
)
from barthes.cli.corpus import corpus_app
from barthes.cli.cut import cut_cli
from barthes.cli.evaluate import bench_cli, evaluate_cli
from barthes.cli.finetune import FinetuneCommand, finetune_cli
from barthes.cli.help_panels import PanelCommand, PanelGroup
from barthes.cli.models import models_app
from barthes.cli.perplexity import perplexity_cli
from barthes.cli.plot import plot_cli
from barthes.cli.reproduce import reproduce_cli
from barthes.cli.run import export_cli, run_cli
from barthes.cli.score import score_cli
from barthes.cli.serve import mcp_cli, serve_cli
from barthes.cli.show import show_cli
from barthes.errors import BarthesError
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
        with _explained(), guarded_stdout():  # --help and --version are printed while parsing
            return super().make_context(*args, **options)

    def invoke(self, ctx: Any) -> Any:
        with _explained():
            return super().invoke(ctx)


@contextmanager
def _explained() -> Iterator[None]:
    """Turn exceptions into a message on stderr and an exit code."""
    try:
        yield
    except BarthesError as error:
        print_error(error)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        raise end_interrupted("interrupted; nothing was written.") from None
    except BrokenPipeError:  # the pipe was closed
        discard_stdout()
        raise typer.Exit(0) from None
    except OSError as error:  # --help of a command is printed by typer, which does not guard it
        if error.errno == errno.ENAMETOOLONG:  # Path.exists() and the like raise it
            name = str(error.filename or "")
            shown = f"{name[:60]}…" if len(name) > 60 else name
            print_error(BarthesError("the file name is too long.", where=shown, remedy="Use a shorter one."))
        elif error.errno in _DISK_ERRORS:
            print_error(fail_stdout(error))
        else:
            raise
        raise typer.Exit(2) from None


app: typer.Typer = typer.Typer(
    name="barthes",
    cls=_Commands,
    help="Find the sentences and events that a story cannot do without.",
    epilog=_EXAMPLES,
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_SCORING: dict[str, Callable[..., None]] = {
    "score": score_cli,
    "show": show_cli,
    "compare": compare_cli,
    "cut": cut_cli,
    "plot": plot_cli,
    "serve": serve_cli,
    "mcp": mcp_cli,
    "run": run_cli,
    "export": export_cli,
}
for _name, _function in _SCORING.items():
    app.command(_name, cls=PanelCommand, rich_help_panel="Score stories")(_function)
app.command("evaluate", cls=PanelCommand, rich_help_panel="Evaluate methods")(evaluate_cli)
app.command("bench", cls=PanelCommand, rich_help_panel="Evaluate methods")(bench_cli)
app.command("reproduce", cls=PanelCommand, rich_help_panel="Evaluate methods")(reproduce_cli)
app.command("perplexity", cls=PanelCommand, rich_help_panel="Models and data")(perplexity_cli)
app.command("finetune", cls=FinetuneCommand, rich_help_panel="Models and data")(finetune_cli)
for _name, _group in {"models": models_app, "corpus": corpus_app, "cache": cache_app}.items():
    app.add_typer(_group, name=_name, rich_help_panel="Models and data")


def _print_version(wanted: bool) -> None:
    if wanted:
        echo(f"barthes {__version__}")
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
