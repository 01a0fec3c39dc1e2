"""Table 2: mean average precision of every method, and the average precision of each tale behind it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from barthes.reproduction.page.document import (
    Cell,
    Column,
    Emphasis,
    Place,
    Row,
    Section,
    Table,
    text_row,
)
from barthes.reproduction.page.numerals import (
    MISSING,
    as_number,
    format_difference,
    format_interval,
    format_number,
    format_p,
)
from barthes.reproduction.page.wording import NOT_RUN, PROPOSED, name_fine_tuning, name_method, name_row

__all__ = ["describe_results", "describe_tales", "has_run", "story_names"]

_COLUMNS = (
    Column("method"),
    Column("+ TF-IDF"),
    Column("fine-tuning"),
    Column("paper", True),
    Column("ours", True),
    Column("difference", True),
    Column("95 % interval", True),
    Column("p against random", True),
    Column("p against expectation", True),
)
_WIDEST = 10  # columns of methods that a table of tales has at most


def describe_results(plain: dict[str, Any]) -> Section:
    """Table 2 with the paper's marks."""
    blocks = (_results(plain), Place("map-by-method"))
    return Section("table2", "Table 2: mean average precision", blocks=blocks)


def describe_tales(plain: dict[str, Any]) -> Section | None:
    """The tales behind Table 2; None where none was scored."""
    run = [row for row in plain["rows"] if row["per_story"]]
    if not run:
        return None
    tables = tuple(_by_tale(group) for group in _tables_of(run))
    blocks: tuple[Table | Place, ...] = (Place("precision-by-tale"), *tables)
    return Section("tales", "Average precision of each tale", blocks=blocks)


def has_run(row: dict[str, Any]) -> bool:
    """Whether a row of Table 2 has a figure of ours."""
    return row["status"] == "run" and as_number(row["ours"]) is not None


def story_names(rows: Iterable[dict[str, Any]]) -> list[str]:
    """The tales of all rows, each once, in the order in which they come."""
    return list(dict.fromkeys(name for row in rows for name in row["per_story"] or ()))


def _results(plain: dict[str, Any]) -> Table:
    rows = plain["rows"]
    shown = tuple(
        _result(row, opens_group=place > 0 and _opens_group(rows[place - 1], row))
        for place, row in enumerate(rows)
    )
    caption = f"Table 2: mean average precision (MAP), labels “{plain['labels']}”"
    return Table(caption, _COLUMNS, shown, row_headings=3, remarks=_remarks(plain))


def _result(row: dict[str, Any], *, opens_group: bool) -> Row:
    run = has_run(row)
    published = _stress(bold=row["paper_bold"], bold_italic=row["paper_bold_italic"])
    ours = _stress(bold=row["bold"], bold_italic=row["bold_italic"])
    cells = (
        Cell(name_method(row["method"])),
        Cell("✓" if row["tfidf"] else MISSING),
        Cell(name_fine_tuning(row["fine_tuning"]) if row["method"] in PROPOSED else MISSING),
        Cell(format_number(row["paper"]), published, "†" if row["paper_dagger"] else ""),
        Cell(format_number(row["ours"]), ours, "†" if row["dagger"] else "")
        if run
        else Cell(NOT_RUN, "muted"),
        Cell(format_difference(row["ours"], row["paper"]) if run else MISSING),
        Cell(format_interval(row["interval"])),
        Cell(format_p(row["p_vs_random"])),
        Cell(format_p(row["p_vs_expectation"])),
    )
    return Row(cells, opens_group)


def _stress(*, bold: bool, bold_italic: bool) -> Emphasis:
    return "bold italic" if bold_italic else "bold" if bold else ""


def _opens_group(before: dict[str, Any], row: dict[str, Any]) -> bool:
    baselines = {before["method"], row["method"]}.isdisjoint(PROPOSED)
    return not baselines and (before["method"], before["tfidf"]) != (row["method"], row["tfidf"])


def _remarks(plain: dict[str, Any]) -> tuple[str, ...]:
    spread, best = plain["random_sd"], plain["best_combination_vs_tfidf"]
    return (
        *_expected(plain),
        "† better than random by the Wilcoxon signed-rank test over the tales, p < 0.05. Bold: the best of "
        "the proposed methods alone. Bold italic: the best combination with TF-IDF. "
        "Intervals are bootstrapped over the tales.",
        "p against random, which decides the daggers as in the paper, is against the mean of the seeds and "
        "varies with them; p against expectation is against the mean of average precision over all orders "
        "of a tale’s sentences, and does not.",
        "SD: sentence deletion, VA: verb anonymization, PAA: predicate and argument anonymization. "
        "Fine-tuning in the paper: domain is BookCorpus, transductive is ProppLearner itself.",
        f"Standard deviation of random over its seeds: {format_number(spread['paper'])} in the paper, "
        f"{format_number(spread['ours'])} ours. Best combination against TF-IDF, Wilcoxon’s p: "
        f"{format_p(best['paper'])} in the paper, "
        + (f"{format_p(best['ours'])} ours." if as_number(best["ours"]) is not None else "not run by us."),
    )


def _expected(plain: dict[str, Any]) -> tuple[str, ...]:
    """What the random row is a draw of."""
    if as_number(plain.get("random_expected")) is None:
        return ()
    figure = format_number(plain["random_expected"])
    return (f"Our random row is a mean over seeds and varies with them; over all orders it is {figure}.",)


def _tables_of(rows: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The rows in lists that fit the width of a page as columns; the settings of a method stay together."""
    tables: list[list[dict[str, Any]]] = [[]]
    for _, group in groupby(rows, key=lambda row: row["method"]):
        together = list(group)
        if tables[-1] and len(tables[-1]) + len(together) > _WIDEST:
            tables.append([])
        tables[-1] += together
    return tables


def _by_tale(run: list[dict[str, Any]]) -> Table:
    columns = (Column("tale"), *(Column(name_row(row), True) for row in run))
    shown = tuple(
        text_row(name, *(format_number(row["per_story"].get(name)) for row in run))
        for name in story_names(run)
    )
    remark = "A dash: average precision is not defined for the tale, or it was not scored."
    methods = ", ".join(dict.fromkeys(name_method(row["method"]) for row in run))
    caption = f"Average precision of each tale (ours): {methods}"
    return Table(caption, columns, shown, remarks=(remark,))
