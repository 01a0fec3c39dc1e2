"""The measures of methods, and the result of one method on all stories of a corpus."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from barthes.errors import UnknownNameError
from barthes.evaluation.corpus import Labelled
from barthes.evaluation.metrics import (
    agreement_within,
    area_under_curve,
    average_precision,
    precision_at,
    r_precision,
    rank_correlation,
)
from barthes.evaluation.result import Figure, MethodResult

Run = Mapping[str, Sequence[float]]
"""The scores of each story, by its name."""

Metric = Callable[[Labelled, Sequence[float]], float]

_PRECISION_AT = (1, 3, 5)


@dataclass(frozen=True)
class Measure:
    """A value per story, whose mean over stories is reported.

    Attributes:
        heading: In tables, such as ``MAP``.
        describe: A description in a few words.
        measure: Computes it from a story and the scores of its sentences; NaN if undefined.
    """

    heading: str
    describe: str
    measure: Metric


def _correlate(story: Labelled, scores: Sequence[float]) -> float:
    """Return Spearman's ρ; 0 if all scores are the same, so that a method cannot skip stories."""
    found = rank_correlation(story.grades, scores)
    return 0.0 if math.isnan(found) and min(story.grades) < max(story.grades) else found


def _of_labels(metric: Callable[..., float], **options: int) -> Metric:
    return lambda story, scores: metric(story.labels, scores, **options)


_AGREEMENT = (
    "share of the salient sentences with a chosen one at most one sentence away, as many being chosen as are"
    " salient"
)
_R_PRECISION = "precision among as many sentences as are salient"
_RHO = "Spearman's rank correlation with the grades of the labels"

MEASURES: dict[str, Measure] = {
    "map": Measure("MAP", "mean average precision", _of_labels(average_precision)),
    "r_precision": Measure("R-prec.", _R_PRECISION, _of_labels(r_precision)),
    "agreement": Measure("±1", _AGREEMENT, _of_labels(agreement_within)),
    "auc": Measure("AUC", "area under the ROC curve", _of_labels(area_under_curve)),
    "spearman": Measure("ρ", _RHO, _correlate),
}
"""Every measure, by its name in JSON."""


def check_measures(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names, each once; raise UnknownNameError for an unknown one, ValueError for none."""
    for name in names:
        if name not in MEASURES:
            raise UnknownNameError("measure", name, MEASURES)
    if not names:
        raise ValueError("there must be at least one measure")
    return tuple(dict.fromkeys(names))


def measure_stories(name: str, runs: Sequence[Run], stories: Sequence[Labelled]) -> Figure:
    """Return one of `MEASURES` for each story, averaged over runs."""
    return _average(MEASURES[name].measure, runs, stories)


def measure_method(
    method: str,
    runs: Sequence[Run],
    stories: Sequence[Labelled],
    *,
    measures: Sequence[str] = ("map",),
    baseline: Figure | None = None,
    against: Mapping[str, Figure] | None = None,
    model: str | None = None,
    fingerprint: str | None = None,
    precision: str | None = None,
) -> MethodResult:
    """Return the figures of one method on labelled stories.

    Args:
        method: Its name.
        runs: The scores of every story, once, or once per seed to average story by story.
        stories: The labelled stories.
        measures: Names of `MEASURES` that come first in the result; the tests use the first.
        baseline: The first measure of the random baseline; None for no comparison.
        against: The same of other methods to compare with, by name.
        model, fingerprint, precision: Those of its language model.
    """
    names = dict.fromkeys([*measures, *MEASURES])
    figures = {name: measure_stories(name, runs, stories) for name in names}
    first = figures[measures[0]]
    others = (against or {}).items()
    maps = [measure_stories("map", [run], stories).value for run in runs]
    return MethodResult(
        method=method,
        figures=figures,
        vs_random=None if baseline is None else first.compare(baseline),
        p_vs={other: None if other == method else first.compare(theirs) for other, theirs in others},
        precision_at={k: _average(_of_labels(precision_at, k=k), runs, stories).value for k in _PRECISION_AT},
        seeds_sd=float(np.std(maps, ddof=1)) if len(runs) > 1 else None,
        model=model,
        fingerprint=fingerprint,
        precision=precision,
    )


def _average(metric: Metric, runs: Sequence[Run], stories: Sequence[Labelled]) -> Figure:
    return Figure(
        {
            story.name: math.fsum(metric(story, run[story.name]) for run in runs) / len(runs)
            for story in stories
        }
    )
