"""Write evaluations as tables (terminal, Markdown, LaTeX) and as JSON.

† marks methods that are better than the random baseline at p < 0.05, as in the paper, ‡ those that are worse.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TextIO

from rich.text import Text

from barthes.evaluation.measures import MEASURES
from barthes.evaluation.result import Evaluation, MethodResult
from barthes.evaluation.significance import SIGNIFICANT, describe_p, is_better
from barthes.report.escaping import escape_latex, escape_markdown, pipe_table, printable
from barthes.report.terminal import new_table, open_console

MISSING = "–"
_OTHER_MEASURES = ("r_precision", "precision_at_1", "auc", "spearman")
_WORDS = ("method", "model", "text")  # columns of words, set to the left
_UNLIMITED = 100_000  # columns, where the output is not a terminal: nothing is wrapped


@dataclass(frozen=True)
class FigureTable:
    """A header and rows of formatted cells, with a title above and notes below."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()

    def print(self, file: TextIO, *, width: int | None = None) -> None:
        """Write the table to a stream; bold and wrapped to its width only where that is a terminal."""
        console = open_console(file, width=width)
        if width is None and not console.is_terminal:
            console.width = _UNLIMITED
        table = new_table(*self.header, left=_WORDS)
        for row in self.rows:
            table.add_row(*(Text(printable(cell)) for cell in row))
        console.print_lines([self.title], style="bold")
        console.print(table)
        console.print_lines(self.notes, style="italic")

    def to_markdown(self) -> str:
        """Return a pipe table."""

        def escape(text: str) -> str:
            return escape_markdown(_one_line(text))

        header, *rows = ([escape(cell) for cell in row] for row in (self.header, *self.rows))
        notes = [f"- {escape(note)}" for note in self.notes]
        table = pipe_table(header, rows, words=_WORDS)
        return "\n".join([f"**{escape(self.title)}**", "", table, "", *notes]) + "\n"

    def to_latex(self) -> str:
        """Return a `table` with the rules of the package booktabs; every special character is escaped."""
        columns = "".join("l" if name in _WORDS else "r" for name in self.header)
        caption = escape_latex(_one_line(" ".join([f"{self.title}.", *self.notes])))
        header, *rows = (
            " & ".join(escape_latex(_one_line(cell)) for cell in row) + r" \\"
            for row in (self.header, *self.rows)
        )
        return "\n".join(
            [
                "% \\usepackage{booktabs}\n\\begin{table}\n\\centering",
                rf"\begin{{tabular}}{{{columns}}}",
                r"\toprule",
                header,
                r"\midrule",
                *rows,
                "\\bottomrule\n\\end{tabular}",
                rf"\caption{{{caption}}}",
                "\\end{table}\n",
            ]
        )


class Result(Protocol):
    """The result of an evaluation."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""


def print_tables(tables: Sequence[FigureTable], *, file: TextIO, width: int | None = None) -> None:
    """Write tables to a stream; lines are wrapped to `width`, by default only on a terminal."""
    for place, table in enumerate(tables):
        if place:
            file.write("\n")
        table.print(file, width=width)


def to_markdown(tables: Sequence[FigureTable]) -> str:
    """Return pipe tables, each with its title above and its notes below it."""
    return "\n".join(table.to_markdown() for table in tables)


def to_latex(tables: Sequence[FigureTable]) -> str:
    """Return each as a `table` with the rules of the package booktabs."""
    return "\n".join(table.to_latex() for table in tables)


def to_json(found: Result) -> str:
    """Return everything as JSON, with all digits."""
    return json.dumps(found.to_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def lay_out(evaluation: Evaluation) -> FigureTable:
    """Return an evaluation as a table."""
    others = list(evaluation.rows[0].p_vs) if evaluation.rows else []
    models = any(row.model for row in evaluation)
    header = [
        *("method", *model_column(models, "model"), "MAP", "95 % interval", "minus random", "p"),
        *(name for other in others for name in (f"minus {other}", "p")),
        *(MEASURES[name].heading for name in _OTHER_MEASURES),
    ]
    rows = [
        [
            row.method,
            *model_column(models, row.model),
            format_figure(row.map) + dagger(row.p_vs_random, row.map, evaluation.random),
            show_interval(row.interval),
            show_difference(row.vs_random),
            format_p(row.p_vs_random),
            *(cell for other in others for cell in _compare(row.p_vs.get(other))),
            *(format_figure(row.figures[name].value) for name in _OTHER_MEASURES),
        ]
        for row in evaluation
    ]
    seeds = evaluation.settings.get("seeds")
    drawn = "" if seeds is None else f" (the mean of {seeds} draws)"
    notes = [
        f"p: Wilcoxon's signed-rank test over stories against random{drawn}; † better than random, "
        f"‡ worse, p < {SIGNIFICANT}. ρ: Spearman with the grades of the labels."
    ]
    if any(row.p_vs for row in evaluation):
        notes.append("minus a method: the mean difference, its 95 % interval, p (of the permutation test).")
    notes += [*name_precisions(evaluation), *evaluation.notes]
    return FigureTable(describe_corpus(evaluation), header, rows, notes)


def describe_corpus(evaluation: Evaluation) -> str:
    """Return the corpus, its labels and its size on a line."""
    counts = evaluation.counts
    size = ""
    if counts:
        stories = "1 story" if counts["stories"] == 1 else f"{counts['stories']} stories"
        units = f"{evaluation.unit}s"
        size = f": {counts['salient']} of {counts[units]} {units} salient in {stories}"
    return f"{evaluation.corpus}, labels: {evaluation.labels}{size}"


def model_column(shown: bool, cell: str | None) -> list[str]:
    """Return the cell of the column of models, which is left out if there are none."""
    return [cell or MISSING] if shown else []


def name_precisions(rows: Iterable[MethodResult]) -> list[str]:
    """Return a note on the models and precisions of rows, if they have any."""
    names = dict.fromkeys(f"{row.model} in {row.precision}" for row in rows if row.precision)
    return [f"Computed with {', '.join(names)}."] if names else []


def dagger(p: float | None, value: float, chance: float) -> str:
    """Return † for a figure that is better than that of the random baseline, ‡ for one that is worse."""
    if is_better(p, value, chance):
        return "†"
    return "‡" if is_better(p, chance, value) else ""


def format_p(p: float | None) -> str:
    """Format a p-value with three decimals, never rounded across 0.05.

    >>> format_p(0.0134), format_p(0.0495), format_p(0.00001), format_p(None)
    ('0.013', '0.0495', '< 0.001', '–')
    """
    return MISSING if p is None or not math.isfinite(p) else describe_p(p)


def format_tests(tests: Mapping[str, float | None] | None) -> str:
    """Format Wilcoxon's p, with that of the permutation test in brackets.

    >>> format_tests({"wilcoxon": 0.0134, "permutation": 0.25})
    '0.013 (0.250)'
    """
    if tests is None:
        return MISSING
    return f"{format_p(tests['wilcoxon'])} ({format_p(tests['permutation'])})"


def format_figure(value: float | None) -> str:
    """Format a number with three decimals and a plain hyphen for a minus.

    >>> format_figure(0.27744), format_figure(float("nan"))
    ('0.277', '–')
    """
    return MISSING if value is None or math.isnan(value) else f"{value:.3f}"


def show_interval(interval: tuple[float, float] | None) -> str:
    """Return an interval as a cell."""
    if interval is None:
        return MISSING
    between = "–" if interval[0] >= 0 else " to "  # a dash before a minus is hard to read
    return between.join(map(format_figure, interval))


def show_difference(comparison: Mapping[str, float | None] | None) -> str:
    """Return the difference of two methods with its interval, as a cell.

    >>> show_difference({"difference": 0.03, "low": -0.01, "high": 0.07})
    '+0.030 (-0.010 to 0.070)'
    """
    if comparison is None or (value := comparison.get("difference")) is None:
        return MISSING
    low, high = comparison.get("low"), comparison.get("high")
    interval = "" if low is None or high is None else f" ({low:.3f} to {high:.3f})"
    return f"{value:+.3f}{interval}"


def _compare(comparison: Mapping[str, float | None] | None) -> tuple[str, str]:
    return show_difference(comparison), format_tests(comparison)


def _one_line(text: str) -> str:
    return " ".join(printable(text).split())
