"""The `barthes` command: register the commands, and turn errors into messages and exit codes."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from barthes.cli.cache import cache_app
from barthes.cli.compare import compare_cli
from barthes.cli.console import discard_stdout, echo, fail_stdout, guarded_stdout, print_error, use_utf8
from barthes.cli.corpus import corpus_app
from barthes.cli.evaluate import bench_cli, evaluate_cli
from barthes.cli.export import export_cli
from barthes.cli.finetune import FinetuneCommand, finetune_cli
from barthes.cli.models import models_app
from barthes.cli.option_hints import use_options
from barthes.cli.perplexity import perplexity_cli
from barthes.cli.plot import plot_cli
from barthes.cli.reproduce import reproduce_cli
from barthes.cli.run import run_cli
from barthes.cli.score import score_cli
from barthes.cli.serve import serve_cli
from barthes.cli.show import show_cli
from barthes.errors import BarthesError
from barthes.version import __version__

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class _Commands(TyperGroup):
    """The group of all commands, which explains their errors before typer ends the process."""

    def make_context(self, *args: Any, **options: Any) -> Any:
        with _explained(), guarded_stdout():  # --help and --version are printed while parsing
            return super().make_context(*args, **options)

    def resolve_command(self, *args: Any) -> Any:
        name, command, rest = super().resolve_command(*args)
        use_options(option for each in (command.params if command else ()) for option in each.opts)
        return name, command, rest

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
        print_error("interrupted; nothing was written.")
        raise typer.Exit(130) from None
    except BrokenPipeError:  # the reader of the pipe has gone
        discard_stdout()
        raise typer.Exit(0) from None
    except OSError as error:  # --help of a command is printed by typer, which does not guard it
        if error.errno == errno.ENAMETOOLONG:  # Path.exists() and the like raise it
            name = str(error.filename or "")
            shown = f"{name[:60]}…" if len(name) > 60 else name
            problem = "the name is too long for a file."
            print_error(BarthesError(problem, where=shown, remedy="Give a shorter one."))
        elif error.errno in _NO_ROOM:
            print_error(fail_stdout(error))
        else:
            raise
        raise typer.Exit(2) from None


app = typer.Typer(
    name="barthes",
    cls=_Commands,
    help="Which events can a story not live without? Scores the sentences of narratives by salience.",
    epilog="Start with:  barthes score tale.txt",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("score")(score_cli)
app.command("show")(show_cli)
app.command("plot")(plot_cli)
app.command("compare")(compare_cli)
app.command("evaluate")(evaluate_cli)
app.command("bench")(bench_cli)
app.command("reproduce")(reproduce_cli)
app.command("finetune", cls=FinetuneCommand)(finetune_cli)
app.command("perplexity")(perplexity_cli)
app.command("serve")(serve_cli)
app.command("run")(run_cli)
app.command("export")(export_cli)
app.add_typer(models_app, name="models")
app.add_typer(corpus_app, name="corpus")
app.add_typer(cache_app, name="cache")


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
    """Run the command; 0 is success, 2 a problem with the input, 130 an interruption."""
    use_utf8()
    app()
