"""The table that `barthes reproduce` prints: the published figures and ours, one line each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from barthes.report.numerals import format_share
from barthes.reproduction.document import NOT_RUN, name_row, name_status

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["list_figures", "tabulate"]

Figure = tuple[str, str, str, str]
"""Experiment, what was measured, the paper's figure, ours."""


def tabulate(plain: dict[str, Any]) -> Table:
    """Return all figures of a reproduction as one table."""
    from rich.table import Table

    names = [model["name"] for model in plain["models"].values() if model]
    title = f"as {plain['mode']}, {', '.join(names) or 'without a language model'}"
    table = Table("", "", title=title, title_justify="left")
    table.add_column("paper", justify="right")
    table.add_column("ours", justify="right")
    before = None
    for experiment, what, paper, ours in list_figures(plain):
        if before is not None and experiment != before:
            table.add_section()
        table.add_row("" if experiment == before else experiment, what, paper, ours)
        before = experiment
    return table


def list_figures(plain: dict[str, Any]) -> Iterator[Figure]:
    """Return the figures by experiment; those that were not run say so."""
    listings = {
        "table1": _list_statistics,
        "table2": _list_results,
        "perplexity": _list_perplexity,
        "ordering": _list_accuracy,
        "deletion": _list_accuracy,
        "cinderella": _list_cinderella,
    }
    for name, listing in listings.items():
        if plain[name] is None:
            yield name, "", "", NOT_RUN
        else:
            yield from ((name, *figure) for figure in listing(plain[name]))


def _list_statistics(plain: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    for row in plain["rows"]:
        yield row["name"], str(row["paper"]), str(row["ours"])


def _list_results(plain: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    for row in plain["rows"]:
        ours = NOT_RUN if row["ours"] is None else f"{row['ours']:.3f}{_mark(row['dagger'])}"
        yield name_row(row), f"{row['paper']:.3f}{_mark(row['paper_dagger'])}", ours
        if row["method"] == "random" and plain["random_expected"] is not None:
            yield "Random, over all orders", "", f"{plain['random_expected']:.3f} "


def _list_perplexity(plain: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    for row in plain["rows"]:
        ours = NOT_RUN if row["perplexity"] is None else f"{row['perplexity']:.2f}"
        yield f"perplexity, {row['fine_tuning'] or 'no fine-tuning'}", "", ours
    for method, pair in plain["spearman"].items():
        ours = name_status(pair) if pair["ours"] is None else f"{pair['ours']:.1f}"
        yield f"Spearman with MAP, {method.upper()}", f"{pair['paper']:.1f}", ours


def _list_accuracy(plain: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    count = plain.get("pairs", plain.get("deletions"))
    what = f"accuracy, {count:,} {'pairs' if 'pairs' in plain else 'deletions'}"
    yield what, format_share(plain["paper"]), format_share(plain["accuracy"])


def _list_cinderella(plain: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    for row in plain["sentences"]:
        yield row["text"], f"{row['paper']:.3f}", f"{row['ours']:.3f}"


def _mark(significant: bool) -> str:
    return "†" if significant else " "
