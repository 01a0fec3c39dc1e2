"""Write evaluations and benchmarks as tables (terminal, Markdown, LaTeX) and as JSON.

† marks methods that are better than the random baseline at p < 0.05, as in the paper.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TextIO

from rich.table import Table
from rich.text import Text

from barthes.evaluation.bench import Bench, BenchRow, CorpusBench
from barthes.evaluation.measures import MEASURES
from barthes.evaluation.result import Evaluation, Figure, MethodResult
from barthes.evaluation.significance import SIGNIFICANT, is_better
from barthes.evaluation.summary import BenchSummary, SummaryColumn, SummaryRow
from barthes.report.escaping import escape_latex, escape_markdown, pipe_table, printable
from barthes.report.numerals import MISSING, format_figure, format_p, format_tests
from barthes.report.terminal import open_console

_WORDS = ("method", "model")  # columns of words, set to the left
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
        table = Table(box=None, pad_edge=False, header_style="dim")
        for name in self.header:
            justify = "left" if name in _WORDS else "right"
            table.add_column(Text(printable(name)), justify=justify, overflow="fold")  # type: ignore[arg-type]
        for row in self.rows:
            table.add_row(*(Text(printable(cell)) for cell in row))
        console.print(Text(printable(self.title), style="bold"))
        console.print(table)
        for note in self.notes:
            console.print(Text(printable(note), style="italic"))

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


def print_tables(found: Evaluation | Bench, *, file: TextIO, width: int | None = None) -> None:
    """Write the tables to a stream; lines are wrapped to `width`, by default only on a terminal."""
    for place, table in enumerate(_lay_out(found)):
        if place:
            file.write("\n")
        table.print(file, width=width)


def to_markdown(found: Evaluation | Bench) -> str:
    """Return pipe tables, each with its title above and its notes below it."""
    return "\n".join(table.to_markdown() for table in _lay_out(found))


def to_latex(found: Evaluation | Bench) -> str:
    """Return a `table` per corpus with the rules of the package booktabs."""
    return "\n".join(table.to_latex() for table in _lay_out(found))


def to_json(found: Evaluation | Bench) -> str:
    """Return everything as JSON, with all digits."""
    return json.dumps(found.to_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _lay_out(found: Evaluation | Bench) -> list[FigureTable]:
    if isinstance(found, Evaluation):
        return [_lay_out_evaluation(found)]
    tables = [_lay_out_bench(corpus, found) for corpus in found]
    return [*tables, _lay_out_summary(found.summary)] if len(found.summary.columns) > 1 else tables


def _lay_out_evaluation(evaluation: Evaluation) -> FigureTable:
    ks = list(evaluation.rows[0].precision_at)[:1] if evaluation.rows else []
    others = list(evaluation.rows[0].p_vs) if evaluation.rows else []
    models = any(row.model for row in evaluation)
    header = [
        *("method", *_model_column(models, "model"), "MAP", "95 % interval", "p"),
        *(f"p vs {other}" for other in others),
        *("R-prec.", *(f"P@{k}" for k in ks), "AUC", "ρ"),
    ]
    rows = [
        [
            row.method,
            *_model_column(models, row.model),
            format_figure(row.map) + _dagger(row.p_vs_random, row.map, evaluation),
            _show_interval(row.interval),
            format_p(row.p_vs_random),
            *(format_tests(row.p_vs.get(other)) for other in others),
            format_figure(row.r_precision),
            *(format_figure(row.precision_at.get(k)) for k in ks),
            format_figure(row.auc),
            format_figure(row.spearman),
        ]
        for row in evaluation
    ]
    seeds = evaluation.settings.get("seeds")
    drawn = "" if seeds is None else f" (the mean of {seeds} draws)"
    notes = [
        f"p: Wilcoxon's signed-rank test over stories against random{drawn}; † better than random, "
        f"p < {SIGNIFICANT}. ρ: Spearman with the grades of the labels."
    ]
    if any(row.p_vs for row in evaluation):
        notes.append("p vs a method: Wilcoxon's test against it (in brackets: the permutation test).")
    notes += [*_name_precisions(evaluation), *evaluation.notes]
    return FigureTable(_describe_corpus(evaluation), header, rows, notes)


def _lay_out_bench(corpus: CorpusBench, bench: Bench) -> FigureTable:
    others = list(corpus.rows[0].p_vs)
    models = any(row.result.model for row in corpus.rows)
    names = ["cheap" if other == corpus.best_cheap else other for other in others]
    header = [
        *("method", *_model_column(models, "model")),
        *(cell for name in corpus.measures for cell in (MEASURES[name].heading, "95 % interval")),
        *("gain", *(f"p vs {name}" for name in names)),
    ]
    rows = [
        [
            row.result.method,
            *_model_column(models, row.result.model),
            *_show_measures(row, corpus),
            _show_gain(row.gain),
            *(format_tests(row.p_vs[other]) for other in others),
        ]
        for row in corpus.rows
    ]
    first = MEASURES[corpus.measures[0]].heading
    described = (f"{MEASURES[name].heading}: {MEASURES[name].describe}" for name in corpus.measures)
    notes = [
        f"{'; '.join(described)}; means over stories.",
        f"* The best cheap baseline by {first}, {corpus.best_cheap}: chosen on the same stories, so its "
        "figure is optimistic. gain: over it, story by story (95 % interval).",
        f"p: Wilcoxon's test over stories, of {first} (in brackets: the permutation test); † better than "
        f"random (the mean of {bench.settings['seeds']} draws), p < {SIGNIFICANT}.",
        *_describe_people(corpus.people),
        *_name_precisions(row.result for row in corpus.rows),
        *corpus.evaluation.notes,
    ]
    return FigureTable(_describe_corpus(corpus.evaluation), header, rows, notes)


def _lay_out_summary(summary: BenchSummary) -> FigureTable:
    columns = summary.columns
    header = ["method", *(_name_column(column) for column in columns), "mean"]
    rows = [
        [row.method, *map(format_figure, row.values), _show_mean(row, len(columns))] for row in summary.rows
    ]
    limits = "; ".join(
        f"{_name_column(column)}: {MEASURES[column.measure].heading}, {format_figure(column.chance)} to "
        f"{format_figure(column.ceiling)}"
        for column in columns
    )
    notes = [
        "(score - chance) / (limit - chance) by the first measure of each corpus: 0 is chance, 1 the limit. "
        "The limit is how well one half of the annotators agrees with the other, or a perfect score where "
        "that is not known.",
        f"From chance to limit: {limits}.",
    ]
    return FigureTable("Summary", header, rows, notes)


def _name_column(column: SummaryColumn) -> str:
    return column.corpus if column.unit == "sentence" else f"{column.corpus} ({column.unit}s)"


def _show_mean(row: SummaryRow, corpora: int) -> str:
    return format_figure(row.mean) + (f" ({row.corpora} of {corpora})" if row.corpora < corpora else "")


def _describe_people(people: Figure | None) -> list[str]:
    if people is None:
        return []
    return [
        f"People: half of the annotators against the other half have ρ {format_figure(people.value)} "
        f"({_show_interval(people.interval)}). A method can exceed that: it is compared with all of them."
    ]


def _describe_corpus(evaluation: Evaluation) -> str:
    """Return the corpus, its labels and its size on a line."""
    counts = evaluation.counts
    size = ""
    if counts:
        stories = "1 story" if counts["stories"] == 1 else f"{counts['stories']} stories"
        units = f"{evaluation.unit}s"
        size = f": {counts['salient']} of {counts[units]} {units} salient in {stories}"
    return f"{evaluation.corpus}, labels: {evaluation.labels}{size}"


def _model_column(shown: bool, cell: str | None) -> list[str]:
    """Return the cell of the column of models, which is left out if there are none."""
    return [cell or MISSING] if shown else []


def _name_precisions(rows: Iterable[MethodResult]) -> list[str]:
    names = dict.fromkeys(f"{row.model} in {row.precision}" for row in rows if row.precision)
    return [f"Computed with {', '.join(names)}."] if names else []


def _dagger(p: float | None, value: float, evaluation: Evaluation) -> str:
    return "†" if is_better(p, value, evaluation.random) else ""


def _show_measures(row: BenchRow, corpus: CorpusBench) -> list[str]:
    """Return the figures with their intervals; the first has † and * for the best cheap baseline."""
    cells = []
    for name in corpus.measures:
        figure = row.result.figures[name]
        marks = ""
        if name == corpus.measures[0]:
            tests = row.p_vs["random"]
            marks = _dagger(None if tests is None else tests["wilcoxon"], figure.value, corpus.evaluation)
            marks += "*" * (row.result.method == corpus.best_cheap and row.cheap)
        cells += [format_figure(figure.value) + marks, _show_interval(figure.interval)]
    return cells


def _show_interval(interval: tuple[float, float] | None) -> str:
    if interval is None:
        return MISSING
    between = "–" if interval[0] >= 0 else " to "  # a dash before a minus is hard to read
    return between.join(map(format_figure, interval))


def _show_gain(gain: Figure | None) -> str:
    if gain is None or gain.interval is None:
        return MISSING
    low, high = gain.interval
    return f"{gain.value:+.3f} ({low:+.3f} to {high:+.3f})"


def _one_line(text: str) -> str:
    return " ".join(printable(text).split())
