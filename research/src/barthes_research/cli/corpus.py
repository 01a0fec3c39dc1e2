"""`barthes corpus`: statistics of labelled corpora."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from barthes.cli import shared_options as shared
from barthes.cli.command import Command
from barthes.cli.console import print_json
from barthes.cli.help_panels import PanelCommand, argument, option

if TYPE_CHECKING:
    from barthes_research.corpora.propplearner import ProppLearner

_EXAMPLES = """\b
Examples:
  barthes corpus propplearner ProppLearner.zip
  barthes corpus propplearner tales/ --format json
"""

corpus_app: typer.Typer = typer.Typer(epilog=_EXAMPLES, no_args_is_help=True, rich_markup_mode=None)


@corpus_app.callback()
def corpus_cli() -> None:
    """Show statistics of labelled corpora."""


@corpus_app.command("propplearner", cls=PanelCommand, epilog=_EXAMPLES)
def propplearner_cli(
    path: Annotated[Path, argument("PATH", "A folder of .sty files, or the corpus's zip archive.")],
    labels: shared.Labels = None,
    format: Annotated[  # noqa: A002 - the option's name
        Literal["table", "json"], option("Output", "Output format.", "--format", "-f")
    ] = "table",
) -> None:
    """Count ProppLearner in PATH, beside the paper's Table 1; JSON lists malformed items too.

    The corpus is not part of Barthes. It is available from MIT DSpace, handle 1721.1/100054.
    """
    from barthes_research.corpora.propplearner import ProppLearner

    plain = describe_propplearner(ProppLearner(path, rule=labels or "paper"))
    if format == "json":
        print_json(plain)
        return
    from rich.table import Table

    from barthes.report.terminal import PlainConsole

    table = Table("", title=f"{plain['corpus']}, {plain['rule']} labels", title_justify="left")
    table.add_column("paper", justify="right")
    table.add_column("ours", justify="right")
    for name, published in plain["paper"].items():
        table.add_row(name, str(published), str(plain["ours"][name]))
    PlainConsole().print(table)
    typer.echo("\n".join(_describe(plain)))


def describe_propplearner(corpus: ProppLearner) -> dict[str, Any]:
    """Return the statistics and every malformed item, as `--format json` prints them."""
    from barthes_research.corpora.propplearner import TABLE_1, describe

    return {
        "corpus": corpus.name,
        "rule": corpus[0].rule,
        "paper": dict(TABLE_1.rows()),
        "ours": dict(describe(corpus).rows()),
        "salient_sentences": sum(sum(tale.labels) for tale in corpus),
        "malformed": len(corpus.problems),
        "problems": [problem.to_dict() for problem in corpus.problems],
    }


def _describe(plain: dict[str, Any]) -> list[str]:
    """Return the lines below the table."""
    lines = [
        f"{plain['salient_sentences']} of {plain['ours']['sentences']} sentences contain a salient event."
    ]
    if plain["ours"]["words"] != plain["paper"]["words"]:
        lines.append(
            "Words are separated by white space; no way of counting we know gives the paper's number."
        )
    items = "1 item is" if plain["malformed"] == 1 else f"{plain['malformed'] or 'no'} items are"
    hint = "; --format json lists them." if plain["malformed"] else "."
    return [*lines, f"{items} malformed{hint}".capitalize()]


CORPUS = Command(corpus_app, panel="Models and data")
