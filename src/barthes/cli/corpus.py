"""`barthes corpus`: what is in the corpora that salience is measured on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from barthes.cli.console import echo, guarded_stdout, print_json
from barthes.report.escaping import printable

if TYPE_CHECKING:
    from rich.table import Table

    from barthes.corpora.propplearner import ProppLearner

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


@corpus_app.callback()
def corpus_cli() -> None:
    """Look at the corpora that salience is measured on."""


@corpus_app.command("propplearner")
def propplearner_cli(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="A folder of .sty files, or the corpus's zip archive.")
    ],
    rule: Annotated[
        Literal["paper", "corrected"],
        typer.Option(help="Which functions count: as in the paper's release, or all (it lost four of them)."),
    ] = "paper",
    format: Annotated[  # noqa: A002 - the option's name
        Literal["table", "json"], typer.Option("--format", "-f", help="A table, or JSON.")
    ] = "table",
    problems: Annotated[
        bool, typer.Option("--problems", help="List what is malformed and was left out.")
    ] = False,
) -> None:
    """Print the statistics of ProppLearner: the paper's Table 1, and the same counted in PATH.

    The corpus is not part of Barthes; MIT DSpace has it under 1721.1/100054.
    """
    from barthes.corpora.propplearner import ProppLearner

    plain = describe_propplearner(ProppLearner(path, rule=rule), problems=problems)
    if format == "json":
        print_json(plain)
        return
    from barthes.report.terminal import PlainConsole

    with guarded_stdout():
        PlainConsole().print(_tabulate(plain))
    echo("\n".join(_sentences(plain)))


def describe_propplearner(corpus: ProppLearner, *, problems: bool = False) -> dict[str, Any]:
    """Return the statistics as plain dicts and lists, as `--format json` prints them.

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
    """Return the lines below the table."""
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
