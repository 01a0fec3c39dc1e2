"""The `barthes` command: parse, call the library, show; and turn errors into words for people."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from barthes.cli.corpus import corpus_app
from barthes.cli.models import models_app
from barthes.cli.score import score_cli
from barthes.cli.show import show_cli
from barthes.errors import BarthesError
from barthes.version import __version__

__all__ = ["app", "main"]

app = typer.Typer(
    name="barthes",
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
app.add_typer(models_app, name="models")
app.add_typer(corpus_app, name="corpus")


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
    """Run the command; 0 is success, 2 a problem with the input, 130 an interruption."""
    try:
        app()
    except BarthesError as error:
        typer.echo(f"barthes: {error}", err=True)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        typer.echo("barthes: interrupted; nothing was written.", err=True)
        raise SystemExit(130) from None
    except BrokenPipeError:  # the reader of our pipe has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None
