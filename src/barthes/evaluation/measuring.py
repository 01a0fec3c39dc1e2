"""From scores to a row of the table: the figures of one method on all stories of a corpus."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from barthes.corpora.corpus import Labelled
from barthes.evaluation.metrics import (
    area_under_curve,
    average_precision,
    mean_over_stories,
    precision_at,
    r_precision,
    rank_correlation,
    settle_undefined,
)
from barthes.evaluation.result import MethodResult
from barthes.evaluation.significance import bootstrap_interval, permutation_test, wilcoxon

__all__ = ["PRECISION_AT", "Run", "average_precisions", "compare", "measure"]

PRECISION_AT = (1, 3, 5)
"""How many of the highest sentences precision is told for."""

Run = Mapping[str, Sequence[float]]
"""The scores of each story, by its name."""

Metric = Callable[[Labelled, Sequence[float]], float]


def measure(
    method: str,
    runs: Sequence[Run],
    stories: Sequence[Labelled],
    *,
    model: str | None = None,
    fingerprint: str | None = None,
    precision: str | None = None,
    baseline: Mapping[str, float] | None = None,
    against: Mapping[str, Mapping[str, float]] | None = None,
    undefined: str = "skip",
) -> MethodResult:
    """The figures of one method.

    Args:
        method: Its name.
        runs: The scores of every story, once; or once a seed, which are averaged story by story.
        stories: The labelled stories.
        model: The name of its language model.
        fingerprint: That model's fingerprint.
        precision: What that model computed in.
        baseline: The average precision of each story by the random baseline; None for no comparison.
        against: The same by other methods that it is compared with, by their names.
        undefined: What becomes of a story without a salient sentence, see `barthes.evaluation.metrics`.
            The area under the curve and Spearman's ρ leave stories out that have none, whatever the policy:
            0 would not be the worst of their values.
    """
    precisions = average_precisions(runs, stories)
    settled = settle_undefined(precisions, undefined=undefined)
    low, high = bootstrap_interval(settled)
    p = None
    if baseline is not None:
        p = wilcoxon(settled, settle_undefined(baseline, undefined=undefined))

    def average(metric: Metric, *, policy: str = undefined) -> float:
        return mean_over_stories(_over_runs(metric, runs, stories), undefined=policy)

    return MethodResult(
        method=method,
        map=mean_over_stories(precisions, undefined=undefined),
        per_story={name: None if math.isnan(value) else value for name, value in precisions.items()},
        model=model,
        fingerprint=fingerprint,
        precision=precision,
        interval=None if math.isnan(low) else (low, high),
        p_vs_random=None if p is None or math.isnan(p) else p,
        p_vs={
            other: None if other == method else compare(precisions, theirs, undefined=undefined)
            for other, theirs in (against or {}).items()
        },
        r_precision=average(lambda story, scores: r_precision(story.labels, scores)),
        precision_at={k: average(_precision_at(k)) for k in PRECISION_AT},
        auc=average(lambda story, scores: area_under_curve(story.labels, scores), policy="skip"),
        spearman=average(lambda story, scores: rank_correlation(story.grades, scores), policy="skip"),
        seeds_sd=_spread(runs, stories, undefined) if len(runs) > 1 else None,
    )


def average_precisions(runs: Sequence[Run], stories: Sequence[Labelled]) -> dict[str, float]:
    """The average precision of each story, the mean over runs; NaN where no sentence is salient."""
    return _over_runs(lambda story, scores: average_precision(story.labels, scores), runs, stories)


def compare(
    ours: Mapping[str, float], theirs: Mapping[str, float], *, undefined: str = "skip"
) -> dict[str, float | None]:
    """The two-sided p of the paired tests between the figures of two methods; None where there is none."""
    pair = [settle_undefined(figures, undefined=undefined) for figures in (ours, theirs)]
    found = {"wilcoxon": wilcoxon(*pair), "permutation": permutation_test(*pair)}
    return {test: None if math.isnan(p) else p for test, p in found.items()}


def _precision_at(k: int) -> Metric:
    return lambda story, scores: precision_at(story.labels, scores, k)


def _over_runs(metric: Metric, runs: Sequence[Run], stories: Sequence[Labelled]) -> dict[str, float]:
    return {
        story.name: math.fsum(metric(story, run[story.name]) for run in runs) / len(runs) for story in stories
    }


def _spread(runs: Sequence[Run], stories: Sequence[Labelled], undefined: str) -> float:
    """The standard deviation of MAP over runs, of the sample: divided by the number of runs less one."""
    means = [mean_over_stories(average_precisions([run], stories), undefined=undefined) for run in runs]
    return float(np.std(means, ddof=1))
