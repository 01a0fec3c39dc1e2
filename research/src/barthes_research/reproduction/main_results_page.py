"""The sections of the page for Table 2, for single tales, and for scores by position in the tale."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from barthes.report.evaluation_tables import MISSING, format_p
from barthes.salience.combination import scale_to_unit
from barthes_research.reproduction.document import (
    NOT_RUN,
    emphasize,
    mark_up,
    name_fine_tuning,
    name_method,
    name_row,
    tabulate,
)
from barthes_research.reproduction.numerals import (
    as_number,
    format_count,
    format_difference,
    format_interval,
    format_number,
)
from barthes_research.reproduction.published import PROPOSED

_WORDS = ("method", "+ TF-IDF", "fine-tuning")
_NUMBERS = ("paper", "ours", "difference", "95 % interval", "p against random", "p against expectation")
_WIDEST = 10  # columns of methods that a table of tales has at most
_FIFTHS = ("first", "second", "third", "fourth", "last")


def describe_results(figures: dict[str, Any]) -> list[str]:
    """Return Table 2 with the paper's marks."""
    caption = f"Table 2: mean average precision (MAP), labels “{figures['labels']}”"
    return tabulate(caption, _WORDS, _NUMBERS, map(_show_row, figures["rows"]), *_remarks(figures))


def describe_tales(figures: dict[str, Any]) -> list[str]:
    """Return the average precision of each tale behind Table 2; nothing if none was scored."""
    run = [row for row in figures["rows"] if row["per_story"]]
    if not run:
        return []
    tables = [block for group in _split_columns(run) for block in _tabulate_tales(group)]
    return ["## Average precision of each tale", *tables]


def describe_positions(scores: dict[str, Any]) -> list[str]:
    """Return the mean scores by fifths of the tale; nothing without scores."""
    placed = place_scores(scores)
    if not placed:
        return []
    paragraph = (
        "The scores of each tale are scaled from 0 (lowest) to 1 (highest); position is 0 for the first "
        "sentence and 1 for the last. The scores are those of the first model that was run."
    )
    return ["## Score against position", mark_up(paragraph), *_tabulate_fifths(placed)]


def has_run(row: dict[str, Any]) -> bool:
    """Return whether a row of Table 2 has a figure of ours."""
    return row["status"] == "run" and as_number(row["ours"]) is not None


def list_tales(rows: Iterable[dict[str, Any]]) -> list[str]:
    """Return the names of the tales of all rows, each once, in order of appearance."""
    return list(dict.fromkeys(name for row in rows for name in row["per_story"] or ()))


@dataclass(frozen=True, slots=True)
class PlacedScore:
    """A sentence: relative position (0 at the start, 1 at the end), score in [0, 1], salient or not."""

    position: float
    score: float
    salient: bool

    @property
    def fifth(self) -> int:
        """The fifth of the tale that it is in, from 0."""
        return min(int(self.position * len(_FIFTHS)), len(_FIFTHS) - 1)


def place_scores(scores: dict[str, Any]) -> dict[str, list[PlacedScore]]:
    """Return the sentences of all tales, by method; scores are scaled within each tale."""
    placed = {
        method: [point for tale in scores.values() for point in _place(tale, method)] for method in PROPOSED
    }
    return {method: points for method, points in placed.items() if points}


def _show_row(row: dict[str, Any]) -> tuple[str, ...]:
    run = has_run(row)
    return (
        name_method(row["method"]),
        "✓" if row["tfidf"] else MISSING,
        name_fine_tuning(row["fine_tuning"]) if row["method"] in PROPOSED else MISSING,
        _show_map(row, "paper", prefix="paper_"),
        _show_map(row, "ours") if run else emphasize(NOT_RUN),
        format_difference(row["ours"], row["paper"]) if run else MISSING,
        format_interval(row["interval"]),
        format_p(row["p_vs_random"]),
        format_p(row["p_vs_expectation"]),
    )


def _show_map(row: dict[str, Any], whose: str, *, prefix: str = "") -> str:
    stars = "***" if row[f"{prefix}bold_italic"] else "**" if row[f"{prefix}bold"] else ""
    return emphasize(format_number(row[whose]), stars, "†" * bool(row[f"{prefix}dagger"]))


def _remarks(figures: dict[str, Any]) -> tuple[str, ...]:
    spread, best = figures["random_sd"], figures["best_combination_vs_tfidf"]
    remarks = (
        "† better than random by the Wilcoxon signed-rank test over the tales, p < 0.05. Bold: the best "
        "proposed method. Bold italic: the best combination with TF-IDF. "
        "Intervals are bootstrapped over the tales.",
        "p against random decides the daggers, as in the paper; it compares with the mean over the seeds and "
        "varies with them. p against expectation compares with the mean over all orders of a tale’s "
        "sentences and does not vary.",
        "SD: sentence deletion, VA: verb anonymization, PAA: predicate and argument anonymization. "
        "Fine-tuning in the paper: domain is BookCorpus, transductive is ProppLearner itself.",
        f"Standard deviation of random over its seeds: {format_number(spread['paper'])} in the paper, "
        f"{format_number(spread['ours'])} ours. Best combination against TF-IDF, Wilcoxon’s p: "
        f"{format_p(best['paper'])} in the paper, "
        + (f"{format_p(best['ours'])} ours." if as_number(best["ours"]) is not None else "not run by us."),
    )
    if as_number(figures.get("random_expected")) is None:
        return remarks
    expected = format_number(figures["random_expected"])
    varies = (
        f"Our random row is a mean over seeds and varies with them; the mean over all orders is {expected}."
    )
    return (varies, *remarks)


def _split_columns(rows: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Split the rows into lists that fit the width of a page as columns, without splitting a method."""
    tables: list[list[dict[str, Any]]] = [[]]
    for _, group in groupby(rows, key=lambda row: row["method"]):
        together = list(group)
        if tables[-1] and len(tables[-1]) + len(together) > _WIDEST:
            tables.append([])
        tables[-1] += together
    return tables


def _tabulate_tales(run: list[dict[str, Any]]) -> list[str]:
    rows = [(name, *(format_number(row["per_story"].get(name)) for row in run)) for name in list_tales(run)]
    remark = "A dash: average precision is undefined, or the tale was not scored."
    methods = ", ".join(dict.fromkeys(name_method(row["method"]) for row in run))
    caption = f"Average precision of each tale (ours): {methods}"
    return tabulate(caption, ("tale",), [name_row(row) for row in run], rows, remark)


def _place(tale: dict[str, Any], method: str) -> Iterator[PlacedScore]:
    values = tale.get(method)
    if not values:
        return
    last = max(len(values) - 1, 1)
    known = [
        (place / last, score, bool(salient))
        for place, (value, salient) in enumerate(zip(values, tale["labels"], strict=True))
        if (score := as_number(value)) is not None
    ]
    scaled = scale_to_unit([score for _, score, _ in known]).tolist() if known else []
    for (position, _, salient), score in zip(known, scaled, strict=True):
        yield PlacedScore(position, score, salient)


def _tabulate_fifths(placed: dict[str, list[PlacedScore]]) -> list[str]:
    headings = [f"{name_method(method)}, {kind}" for method in placed for kind in ("salient", "others")]
    rows = []
    for fifth, ordinal in enumerate(_FIFTHS):
        groups = [
            [point.score for point in points if point.salient is salient and point.fifth == fifth]
            for points in placed.values()
            for salient in (True, False)
        ]
        counts = [format_count(len(group)) for group in groups[:2]]
        means = [format_number(sum(group) / len(group) if group else None, 2) for group in groups]
        rows.append((ordinal, *counts, *means))
    numbers = ("salient sentences", "others", *headings)
    return tabulate("Mean scaled score by position in the tale", ("fifth of the tale",), numbers, rows)
