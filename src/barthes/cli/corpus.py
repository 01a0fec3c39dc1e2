"""`barthes corpus`: what is in the corpora that salience is measured on."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from barthes.cli.streams import echo, stdout_guarded
from barthes.report.escaping import printable

if TYPE_CHECKING:
    from rich.table import Table

    from barthes.corpora.propplearner import ProppLearner

__all__ = ["corpus_app", "describe_propplearner"]

_EXAMPLES = """\b
Examples:
  barthes corpus propplearner ProppLearner.zip                 the paper's Table 1 beside ours
  barthes corpus propplearner tales/ --problems                and what is malformed in it
  barthes corpus propplearner tales/ --format json             for programs
"""
_NOTE = "Words are what white space separates; no count of the texts that we know gives the published one."

corpus_app = typer.Typer(
    help="Look at the corpora that salience is measured on.",
    epilog=_EXAMPLES,
    no_args_is_help=True,
    rich_markup_mode=None,
)


class CorpusFormat(StrEnum):
    """How statistics are shown."""

    TABLE = "table"
    JSON = "json"


class Rule(StrEnum):
    """How functions become labels."""

    PAPER = "paper"
    CORRECTED = "corrected"


CorpusPath = Annotated[
    Path, typer.Argument(metavar="PATH", help="A folder of .sty files, or the corpus's zip archive.")
]
ChosenRule = Annotated[
    Rule,
    typer.Option(
        "--rule", help="Which functions count: as in the paper's release, or all (it lost four of them)."
    ),
]
ChosenFormat = Annotated[CorpusFormat, typer.Option("--format", "-f", help="A table, or JSON.")]
Problems = Annotated[bool, typer.Option("--problems", help="List what is malformed and was left out.")]


@corpus_app.callback()
def corpus_cli() -> None:
    """Look at the corpora that salience is measured on."""


@corpus_app.command("propplearner")
def propplearner_cli(
    path: CorpusPath,
    rule: ChosenRule = Rule.PAPER,
    chosen: ChosenFormat = CorpusFormat.TABLE,
    problems: Problems = False,
) -> None:
    """Print the statistics of ProppLearner: the paper's Table 1, and the same counted in PATH.

    The corpus is not part of Barthes; MIT DSpace has it under 1721.1/100054.
    """
    from barthes.corpora.propplearner import ProppLearner

    corpus = ProppLearner(path, rule=rule.value)
    plain = describe_propplearner(corpus, problems=problems)
    if chosen is CorpusFormat.JSON:
        echo(json.dumps(plain, ensure_ascii=False, indent=2))
        return
    from barthes.report.terminal import PlainConsole

    with stdout_guarded():
        PlainConsole().print(_tabulate(plain))
    echo("\n".join(_sentences(plain)))


def describe_propplearner(corpus: ProppLearner, *, problems: bool = False) -> dict[str, Any]:
    """The statistics as plain dicts and lists, as `--format json` prints them.

    Args:
        corpus: The corpus.
        problems: Whether to add every malformed item, not only their number by file and kind.
    """
    from barthes.corpora.corpus import count_problems
    from barthes.corpora.propplearner import TABLE_1, describe

    plain: dict[str, Any] = {
        "corpus": corpus.name,
        "rule": corpus[0].rule,
        "paper": dict(TABLE_1.rows()),
        "ours": dict(describe(corpus).rows()),
        "salient_sentences": sum(sum(tale.labels) for tale in corpus),
        "malformed": len(corpus.problems),
        "malformed_by_file": count_problems(corpus.problems),
    }
    if problems:
        plain["problems"] = [problem.to_dict() for problem in corpus.problems]
    return plain


def _tabulate(plain: dict[str, Any]) -> Table:
    from rich.table import Table

    table = Table("", title=f"{plain['corpus']}, rule {plain['rule']}", title_justify="left")
    table.add_column("paper", justify="right")
    table.add_column("ours", justify="right")
    for name, published in plain["paper"].items():
        table.add_row(name, str(published), str(plain["ours"][name]))
    return table


def _sentences(plain: dict[str, Any]) -> list[str]:
    """What stands under the table."""
    lines = [f"{plain['salient_sentences']} of {plain['ours']['sentences']} sentences hold a salient event."]
    if plain["ours"]["words"] != plain["paper"]["words"]:
        lines.append(_NOTE)
    items = "1 item is" if plain["malformed"] == 1 else f"{plain['malformed'] or 'no'} items are"
    hint = "; --problems lists them." if plain["malformed"] and "problems" not in plain else "."
    lines.append(f"{items} malformed{hint}".capitalize())
    for problem in plain.get("problems", ()):
        place = f"{problem['file']} {problem['item']}".rstrip()
        lines.append(printable(f"  {place}: {problem['kind']}: {problem['what']}"))
    return lines
