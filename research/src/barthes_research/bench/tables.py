"""Lay out benchmarks as tables."""

from __future__ import annotations

from barthes.evaluation.measures import MEASURES
from barthes.evaluation.result import Figure
from barthes.evaluation.significance import SIGNIFICANT
from barthes.report.evaluation_tables import (
    MISSING,
    FigureTable,
    dagger,
    describe_corpus,
    format_figure,
    format_tests,
    model_column,
    name_precisions,
    show_interval,
)
from barthes_research.bench.bench import Bench, BenchRow, CorpusBench
from barthes_research.bench.summary import BenchSummary, SummaryColumn, SummaryRow


def lay_out(bench: Bench) -> list[FigureTable]:
    """Return a table for each corpus, and a summary if there are several corpora."""
    tables = [_lay_out_corpus(corpus, bench) for corpus in bench]
    return [*tables, _lay_out_summary(bench.summary)] if len(bench.summary.columns) > 1 else tables


def _lay_out_corpus(corpus: CorpusBench, bench: Bench) -> FigureTable:
    others = list(corpus.rows[0].p_vs)
    models = any(row.result.model for row in corpus.rows)
    names = ["cheap" if other == corpus.best_cheap else other for other in others]
    header = [
        *("method", *model_column(models, "model")),
        *(cell for name in corpus.measures for cell in (MEASURES[name].heading, "95 % interval")),
        *("gain", *(f"p vs {name}" for name in names)),
    ]
    rows = [
        [
            row.result.method,
            *model_column(models, row.result.model),
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
        f"random (the mean of {bench.settings['seeds']} draws), ‡ worse, p < {SIGNIFICANT}.",
        *_describe_people(corpus.people),
        *name_precisions(row.result for row in corpus.rows),
        *corpus.evaluation.notes,
    ]
    return FigureTable(describe_corpus(corpus.evaluation), header, rows, notes)


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
        f"({show_interval(people.interval)}). A method can exceed that: it is compared with all of them."
    ]


def _show_measures(row: BenchRow, corpus: CorpusBench) -> list[str]:
    """Return the figures with their intervals; the first has † and * for the best cheap baseline."""
    cells = []
    for name in corpus.measures:
        figure = row.result.figures[name]
        marks = ""
        if name == corpus.measures[0]:
            tests = row.p_vs["random"]
            chance = corpus["random"].result.figures[name].value
            marks = dagger(None if tests is None else tests["wilcoxon"], figure.value, chance)
            marks += "*" * (row.result.method == corpus.best_cheap and row.cheap)
        cells += [format_figure(figure.value) + marks, show_interval(figure.interval)]
    return cells


def _show_gain(gain: Figure | None) -> str:
    if gain is None or gain.interval is None:
        return MISSING
    low, high = gain.interval
    return f"{gain.value:+.3f} ({low:+.3f} to {high:+.3f})"
