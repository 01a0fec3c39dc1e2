"""The measures of methods: each gives a value per story, and its mean over stories is reported."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from barthes.evaluation.corpus import Labelled
from barthes.evaluation.metrics import (
    agreement_within,
    area_under_curve,
    average_precision,
    precision_at,
    r_precision,
    rank_correlation,
)
from barthes.evaluation.result import Figure

Run = Mapping[str, Sequence[float]]
"""The scores of each story, by its name."""

Metric = Callable[[Labelled, Sequence[float]], float]


@dataclass(frozen=True)
class Measure:
    """A measure of the scores of a story.

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
    "precision_at_1": Measure("P@1", "precision of the first sentence", _of_labels(precision_at, k=1)),
    "agreement": Measure("±1", _AGREEMENT, _of_labels(agreement_within)),
    "auc": Measure("AUC", "area under the ROC curve", _of_labels(area_under_curve)),
    "spearman": Measure("ρ", _RHO, _correlate),
}
"""Every measure, by its name in JSON."""


def measure_stories(name: str, runs: Sequence[Run], stories: Sequence[Labelled]) -> Figure:
    """Return one of `MEASURES` for each story, averaged over runs (one, or one per random seed)."""
    metric = MEASURES[name].measure
    return Figure(
        {
            story.name: math.fsum(metric(story, run[story.name]) for run in runs) / len(runs)
            for story in stories
        }
    )
