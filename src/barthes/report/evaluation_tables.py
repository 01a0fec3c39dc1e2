"""An evaluation as a table: in the terminal, in Markdown, in LaTeX; and as JSON.

† marks methods that are better than the random baseline at p < 0.05, as in the paper.
"""

from __future__ import annotations

import json
from typing import TextIO

from barthes.evaluation.result import Evaluation, MethodResult
from barthes.evaluation.significance import SIGNIFICANT, is_better
from barthes.report.figure_table import FigureTable
from barthes.report.numerals import MISSING, format_figure, format_p, format_tests

__all__ = ["SIGNIFICANT", "describe_corpus", "print_tables", "to_json", "to_latex", "to_markdown"]


def print_tables(evaluation: Evaluation, *, file: TextIO, width: int | None = None) -> None:
    """Write the table to a stream; bold only where the stream is a terminal."""
    _lay_out(evaluation).print(file, width=width)


def to_markdown(evaluation: Evaluation) -> str:
    """A pipe table with its title above and its notes below it."""
    return _lay_out(evaluation).to_markdown()


def to_latex(evaluation: Evaluation) -> str:
    """A `table` with the rules of the package booktabs; every special character is escaped."""
    return _lay_out(evaluation).to_latex()


def to_json(evaluation: Evaluation) -> str:
    """The whole of it, with the figures in full."""
    return json.dumps(evaluation.to_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def describe_corpus(evaluation: Evaluation) -> str:
    """The corpus, its labels and its size, on a line."""
    counts = evaluation.counts
    size = ""
    if counts:
        stories = "1 story" if counts["stories"] == 1 else f"{counts['stories']} stories"
        size = f": {counts['salient']} of {counts['sentences']} sentences salient in {stories}"
    return f"{evaluation.corpus}, labels: {evaluation.labels}{size}"


def _lay_out(evaluation: Evaluation) -> FigureTable:
    """The table; no column of models where there are none."""
    ks = list(evaluation.rows[0].precision_at)[:1] if evaluation.rows else []
    others = list(evaluation.rows[0].p_vs) if evaluation.rows else []
    header = [
        *("method", "model", "MAP", "95 % interval", "p", *(f"p vs {other}" for other in others)),
        *("R-prec.", *(f"P@{k}" for k in ks), "AUC", "ρ"),
    ]
    rows = [
        [
            row.method,
            row.model or MISSING,
            format_figure(row.map) + _mark(row, evaluation),
            MISSING if row.interval is None else "–".join(map(format_figure, row.interval)),
            format_p(row.p_vs_random),
            *(format_tests(row.p_vs.get(other)) for other in others),
            format_figure(row.r_precision),
            *(format_figure(row.precision_at.get(k)) for k in ks),
            format_figure(row.auc),
            format_figure(row.spearman),
        ]
        for row in evaluation
    ]
    if not any(row.model for row in evaluation):
        header, rows = _without(header, 1), [_without(row, 1) for row in rows]
    return FigureTable(describe_corpus(evaluation), header, rows, _notes(evaluation))


def _without(cells: list[str], place: int) -> list[str]:
    return cells[:place] + cells[place + 1 :]


def _notes(evaluation: Evaluation) -> list[str]:
    seeds = evaluation.settings.get("seeds")
    drawn = "" if seeds is None else f" (the mean of {seeds} draws)"
    notes = [
        f"p: Wilcoxon's signed-rank test over stories against random{drawn}; † better than random, "
        f"p < {SIGNIFICANT}. ρ: Spearman with the grades of the labels."
    ]
    if any(row.p_vs for row in evaluation):
        notes.append("p vs a method: Wilcoxon's test against it (in brackets: the permutation test).")
    precisions = {f"{row.model} in {row.precision}": None for row in evaluation if row.precision}
    if precisions:
        notes.append(f"Computed with {', '.join(precisions)}.")
    return [*notes, *evaluation.notes]


def _mark(row: MethodResult, evaluation: Evaluation) -> str:
    return "†" if is_better(row.p_vs_random, row.map, evaluation.random) else ""
