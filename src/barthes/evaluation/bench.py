"""Methods and all cheap baselines on several corpora: the one call behind `barthes bench`.

A language model is worth its cost where it finds more than the best cheap baseline does, so each row is
tested against that one too. It is chosen by its figures on the very stories that it is then tested on, which
favours it: a gain over it is, if anything, larger than it looks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from barthes.corpora.corpus import Corpus, Labelled
from barthes.corpora.functions import RULES
from barthes.corpora.propplearner import ProppLearner
from barthes.evaluation.bench_result import Bench, BenchRow, CorpusBench
from barthes.evaluation.evaluate import evaluate
from barthes.evaluation.measures import MEASURES, choose_measures
from barthes.evaluation.measuring import compare, gain
from barthes.evaluation.result import Evaluation, MethodResult
from barthes.evaluation.store import ScoreStore
from barthes.evaluation.whole_progress import WholeProgress
from barthes.methods import parse_formula
from barthes.models.language_model import LanguageModel
from barthes.salience.method import Method, Progress, silent

__all__ = ["CHEAP", "bench", "expand_corpus"]

_CUES = ("length", "tfidf", "words", "centroid", "similarity")

CHEAP = (
    *("random", "position", "position-desc", *_CUES),
    *(f"{cue}+position" for cue in _CUES),
    *(f"ranks:{cue}+position" for cue in _CUES),
    *("placed:centroid", "placed:centroid+similarity"),
)
"""The baselines without a language model: the single cues, then each one's sums with the place in the story.

Those come in two kinds, by min-max as in the paper and by ranks. Last, two in which the place counts the less
the longer the story is."""

_RANDOM, _TFIDF = "random", "tfidf"
_STEPS = 1000  # of the progress of one corpus


def bench(
    methods: Sequence[Method | str],
    corpora: Sequence[Corpus],
    *,
    model: LanguageModel | str | None = None,
    window: int | None = None,
    store: ScoreStore | None = None,
    seeds: int = 10,
    progress: Progress = silent,
) -> Bench:
    """What methods find on each corpus, beside all cheap baselines, with intervals and paired tests.

    Args:
        methods: Methods, or their names; none at all shows the baselines alone.
        corpora: Labelled narratives. ProppLearner is measured twice, with both of its labellings.
        model: For names: a language model or its name; by default the embedded one.
        window: For names: tokens that the model reads at once.
        store: Where scores by a language model are kept; `evaluate` uses the same.
        seeds: How many times the random baseline draws; its figures are the means.
        progress: Called with the work done and the work in all, each corpus counting the same.

    Each corpus has measures of its own, the first of which decides: intervals are told for all of them,
    tests and the best cheap baseline go by the first. Stories without a salient sentence are left out.

    Raises:
        BarthesError: Nothing can be measured on a corpus, or a story cannot be scored.
        UnknownNameError: There is no such method.
    """
    labelled = [each for corpus in corpora for each in expand_corpus(corpus)]
    asked = [*CHEAP, *(method for method in methods if _name(method) not in CHEAP)]
    tables = []
    whole = WholeProgress(progress, [_STEPS] * len(labelled))
    for place, corpus in enumerate(labelled):
        measures = choose_measures(corpus)
        evaluation = evaluate(
            asked,
            corpus,
            model=model,
            window=window,
            store=store,
            seeds=seeds,
            measures=measures,
            progress=whole.part(place),
        )
        tables.append(_judge(evaluation, measures))
    settings = {"model": None, "window": window, "seeds": seeds}
    names = (row.result.model for table in tables for row in table.rows)
    return Bench(tuple(tables), settings | {"model": next(filter(None, names), None)})


def expand_corpus(corpus: Corpus) -> tuple[Corpus, ...]:
    """The corpus under each of its labellings: ProppLearner has two."""
    if not isinstance(corpus, ProppLearner):
        return (corpus,)
    return tuple(_Relabelled(corpus, rule) for rule in RULES)


class _Relabelled:
    """ProppLearner under one of its rules; reading it again would take seconds."""

    def __init__(self, corpus: ProppLearner, rule: str) -> None:
        self.name = corpus.name
        self.path = corpus.path
        self.labelling = rule
        self.problems = corpus.problems
        self.annotate = corpus.annotate
        self.tokenize = corpus.tokenize
        self._tales = tuple(replace(tale, rule=rule) for tale in corpus.tales)

    def __iter__(self) -> Iterator[Labelled]:
        return iter(self._tales)

    def __len__(self) -> int:
        return len(self._tales)


def _name(method: Method | str) -> str:
    if isinstance(method, Method):
        return ""  # an object is never taken for the baseline of its name: it may have other settings
    return str(parse_formula(method))


def _judge(evaluation: Evaluation, measures: tuple[str, ...]) -> CorpusBench:
    """Find the best cheap baseline, and test every row against it and against the usual two."""
    first = measures[0]
    cheap = evaluation.rows[: len(CHEAP)]
    best = max(cheap, key=lambda row: _number(row.figures[first].value))  # the first of equals
    others = {row.method: row for row in cheap if row.method in (_RANDOM, _TFIDF)} | {best.method: best}
    policy = MEASURES[first].policy("skip")

    def test(row: MethodResult, other: MethodResult) -> dict[str, float | None] | None:
        if row is other:
            return None
        return compare(row.figures[first].per_story, other.figures[first].per_story, undefined=policy)

    rows = tuple(
        BenchRow(
            row,
            cheap=place < len(CHEAP),
            p_vs={name: test(row, other) for name, other in others.items()},
            gain=None
            if row is best
            else gain(row.figures[first].per_story, best.figures[first].per_story, undefined=policy),
        )
        for place, row in enumerate(evaluation.rows)
    )
    return CorpusBench(evaluation, measures, rows, best.method)


def _number(value: float) -> float:
    return -math.inf if math.isnan(value) else value
