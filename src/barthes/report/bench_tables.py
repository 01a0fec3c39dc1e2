"""A benchmark as tables, one a corpus: in the terminal, in Markdown, in LaTeX; and as JSON."""

from __future__ import annotations

import json
from typing import TextIO

from barthes.evaluation.bench_result import Bench, BenchRow, CorpusBench
from barthes.evaluation.measures import MEASURES
from barthes.evaluation.result import Figure
from barthes.evaluation.significance import SIGNIFICANT, is_better
from barthes.report.evaluation_tables import describe_corpus
from barthes.report.figure_table import FigureTable
from barthes.report.numerals import MISSING, format_figure, format_tests

__all__ = ["print_tables", "to_json", "to_latex", "to_markdown"]

_RANDOM = "random"


def print_tables(bench: Bench, *, file: TextIO, width: int | None = None) -> None:
    """Write the tables to a stream; bold only where the stream is a terminal."""
    for place, corpus in enumerate(bench):
        if place:
            file.write("\n")
        _lay_out(corpus, bench).print(file, width=width)


def to_markdown(bench: Bench) -> str:
    """Pipe tables, each with its title above and its notes below it."""
    return "\n".join(_lay_out(corpus, bench).to_markdown() for corpus in bench)


def to_latex(bench: Bench) -> str:
    """A `table` a corpus with the rules of the package booktabs."""
    return "\n".join(_lay_out(corpus, bench).to_latex() for corpus in bench)


def to_json(bench: Bench) -> str:
    """The whole of it, with the figures in full."""
    return json.dumps(bench.to_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _lay_out(corpus: CorpusBench, bench: Bench) -> FigureTable:
    """The table of a corpus; no column of models where there are none."""
    others = list(corpus.rows[0].p_vs)
    models = any(row.result.model for row in corpus.rows)
    header = [
        *("method", *(["model"] if models else [])),
        *(cell for name in corpus.measures for cell in (MEASURES[name].heading, "95 % interval")),
        *("gain", *(f"p vs {_short(other, corpus)}" for other in others)),
    ]
    rows = [
        [
            row.result.method,
            *([row.result.model or MISSING] if models else []),
            *_measured(row, corpus),
            _gain(row.gain),
            *(format_tests(row.p_vs[other]) for other in others),
        ]
        for row in corpus.rows
    ]
    return FigureTable(describe_corpus(corpus.evaluation), header, rows, _notes(corpus, bench))


def _short(other: str, corpus: CorpusBench) -> str:
    return "cheap" if other == corpus.best_cheap else other


def _measured(row: BenchRow, corpus: CorpusBench) -> list[str]:
    """The figures with their intervals; the first has its marks."""
    cells = []
    for place, name in enumerate(corpus.measures):
        figure = row.result.figures[name]
        cells += [format_figure(figure.value) + ("" if place else _marks(row, corpus)), _interval(figure)]
    return cells


def _marks(row: BenchRow, corpus: CorpusBench) -> str:
    """† where it is better than random, * for the best cheap baseline."""
    tests = row.p_vs[_RANDOM]
    p = None if tests is None else tests["wilcoxon"]
    better = is_better(p, row.result.figures[corpus.measures[0]].value, corpus.evaluation.random)
    return "†" * better + "*" * (row.result.method == corpus.best_cheap and row.cheap)


def _interval(figure: Figure) -> str:
    if figure.interval is None:
        return MISSING
    between = "–" if figure.interval[0] >= 0 else " to "  # a dash before a minus would pass for part of it
    return between.join(map(format_figure, figure.interval))


def _gain(gain: Figure | None) -> str:
    if gain is None or gain.interval is None:
        return MISSING
    low, high = gain.interval
    return f"{gain.value:+.3f} ({low:+.3f} to {high:+.3f})"


def _notes(corpus: CorpusBench, bench: Bench) -> list[str]:
    first = MEASURES[corpus.measures[0]].heading
    told = "; ".join(f"{MEASURES[name].heading}: {MEASURES[name].describe}" for name in corpus.measures)
    precisions = {
        f"{row.result.model} in {row.result.precision}": None for row in corpus.rows if row.result.precision
    }
    return [
        f"{told}; means over stories.",
        f"* The best cheap baseline by {first}, {corpus.best_cheap}: chosen on these very stories, which "
        "favours it. gain: over it, story by story (95 % interval).",
        f"p: Wilcoxon's test over stories, of {first} (in brackets: the permutation test); † better than "
        f"random (the mean of {bench.settings['seeds']} draws), p < {SIGNIFICANT}.",
        *([f"Computed with {', '.join(precisions)}."] if precisions else []),
        *corpus.evaluation.notes,
    ]
