"""An evaluation as a table: in the terminal, in Markdown, in LaTeX; and as JSON.

† marks methods that are better than the random baseline at p < 0.05, as in the paper.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import TextIO

from rich.table import Table
from rich.text import Text

from barthes.evaluation.result import Evaluation, MethodResult
from barthes.evaluation.significance import SIGNIFICANT, is_better
from barthes.report.console import PlainConsole
from barthes.report.escaping import escape_latex, escape_markdown
from barthes.report.numerals import MISSING, format_p
from barthes.report.printable import printable

__all__ = ["SIGNIFICANT", "print_evaluation", "to_json", "to_latex", "to_markdown"]

_WIDTH = 120  # columns, where there is no terminal to ask


def print_evaluation(evaluation: Evaluation, *, file: TextIO, width: int | None = None) -> None:
    """Write the table to a stream; bold only where the stream is a terminal."""
    console = PlainConsole(file=file, width=width, highlight=False)
    if not console.is_terminal and width is None:
        console = PlainConsole(file=file, width=_WIDTH, highlight=False)
    table = Table(box=None, pad_edge=False, header_style="dim")
    header, rows = _lay_out(evaluation)
    for place, name in enumerate(header):
        heading = Text(printable(name))
        table.add_column(
            heading, justify="left" if place == 0 or name == "model" else "right", overflow="fold"
        )
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    console.print(Text(printable(_title(evaluation)), style="bold"))
    console.print(table)
    for note in _notes(evaluation):
        console.print(Text(printable(note), style="italic"))


def to_markdown(evaluation: Evaluation) -> str:
    """A pipe table with its title above and its notes below it."""
    header, rows = _lay_out(evaluation)
    rule = ["---" if place == 0 or name == "model" else "---:" for place, name in enumerate(header)]
    lines = [_pipe(header), f"|{'|'.join(rule)}|", *map(_pipe, rows)]
    notes = [f"- {_markdown(note)}" for note in _notes(evaluation)]
    return "\n".join([f"**{_markdown(_title(evaluation))}**", "", *lines, "", *notes]) + "\n"


def to_latex(evaluation: Evaluation) -> str:
    r"""A `table` with the rules of the package booktabs; every special character is escaped."""
    header, rows = _lay_out(evaluation)
    columns = "".join("l" if place == 0 or name == "model" else "r" for place, name in enumerate(header))
    caption = " ".join([f"{_title(evaluation)}.", *_notes(evaluation)])
    return "\n".join(
        [
            r"% \usepackage{booktabs}",
            r"\begin{table}",
            r"\centering",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            _ampersand(header),
            r"\midrule",
            *map(_ampersand, rows),
            r"\bottomrule",
            r"\end{tabular}",
            rf"\caption{{{_latex(caption)}}}",
            r"\end{table}",
            "",
        ]
    )


def to_json(evaluation: Evaluation) -> str:
    """The whole of it, with the figures in full."""
    return json.dumps(evaluation.to_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _lay_out(evaluation: Evaluation) -> tuple[list[str], list[list[str]]]:
    """The header and the cells; no column of models where there are none."""
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
            _figure(row.map) + _mark(row, evaluation),
            MISSING if row.interval is None else "–".join(map(_figure, row.interval)),
            format_p(row.p_vs_random),
            *(_tests(row.p_vs.get(other)) for other in others),
            _figure(row.r_precision),
            *(_figure(row.precision_at.get(k)) for k in ks),
            _figure(row.auc),
            _figure(row.spearman),
        ]
        for row in evaluation
    ]
    if not any(row.model for row in evaluation):
        header, rows = _without(header, 1), [_without(row, 1) for row in rows]
    return header, rows


def _without(cells: list[str], place: int) -> list[str]:
    return cells[:place] + cells[place + 1 :]


def _title(evaluation: Evaluation) -> str:
    counts = evaluation.counts
    size = ""
    if counts:
        stories = "1 story" if counts["stories"] == 1 else f"{counts['stories']} stories"
        size = f": {counts['salient']} of {counts['sentences']} sentences salient in {stories}"
    return f"{evaluation.corpus}, labels: {evaluation.labels}{size}"


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


def _figure(value: float | None) -> str:
    return MISSING if value is None or math.isnan(value) else f"{value:.3f}"


def _tests(tests: Mapping[str, float | None] | None) -> str:
    """Wilcoxon's p, and that of the permutation test in brackets."""
    if tests is None:
        return MISSING
    return f"{format_p(tests['wilcoxon'])} ({format_p(tests['permutation'])})"


def _pipe(cells: Sequence[str]) -> str:
    return f"| {' | '.join(_markdown(cell) for cell in cells)} |"


def _ampersand(cells: Sequence[str]) -> str:
    return " & ".join(_latex(cell) for cell in cells) + r" \\"


def _markdown(text: str) -> str:
    return escape_markdown(_one_line(text))


def _latex(text: str) -> str:
    return escape_latex(_one_line(text))


def _one_line(text: str) -> str:
    return " ".join(printable(text).split())
