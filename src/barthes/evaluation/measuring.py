"""From scores to a row of the table: the figures of one method on all stories of a corpus."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from barthes.corpora.corpus import Labelled
from barthes.evaluation.measures import MEASURES
from barthes.evaluation.metrics import UNDEFINED, mean_over_stories, precision_at, settle_undefined
from barthes.evaluation.result import Figure, MethodResult
from barthes.evaluation.significance import bootstrap_interval, permutation_test, wilcoxon
from barthes.models.language_model import FloatArray

__all__ = ["PRECISION_AT", "Run", "average_precisions", "compare", "gain", "measure", "measure_stories"]

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
    measures: Sequence[str] = ("map",),
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
        measures: Names of `MEASURES` that are told in full; the tests are of the first.
        model: The name of its language model.
        fingerprint: That model's fingerprint.
        precision: What that model computed in.
        baseline: The first measure of each story by the random baseline; None for no comparison.
        against: The same by other methods that it is compared with, by their names.
        undefined: What becomes of a story without a salient sentence, see `barthes.evaluation.metrics`.
            The area under the curve and Spearman's ρ leave stories out that have none, whatever the policy:
            0 would not be the worst of their values.
    """
    found = {name: measure_stories(name, runs, stories) for name in MEASURES}
    figures = {
        name: _summarise(found[name], undefined=MEASURES[name].policy(undefined))
        for name in dict.fromkeys(["map", *measures])
    }
    first, policy = found[measures[0]], MEASURES[measures[0]].policy(undefined)
    p = None if baseline is None else compare(first, baseline, undefined=policy)["wilcoxon"]

    def mean(name: str) -> float:
        return mean_over_stories(found[name], undefined=MEASURES[name].policy(undefined))

    return MethodResult(
        method=method,
        map=figures["map"].value,
        per_story={name: None if math.isnan(value) else value for name, value in found["map"].items()},
        model=model,
        fingerprint=fingerprint,
        precision=precision,
        interval=figures["map"].interval,
        p_vs_random=p,
        p_vs={
            other: None if other == method else compare(first, theirs, undefined=policy)
            for other, theirs in (against or {}).items()
        },
        r_precision=mean("r_precision"),
        precision_at={
            k: mean_over_stories(_over_runs(_precision_at(k), runs, stories), undefined=undefined)
            for k in PRECISION_AT
        },
        auc=mean("auc"),
        spearman=mean("spearman"),
        agreement=mean("agreement"),
        seeds_sd=_spread(runs, stories, undefined) if len(runs) > 1 else None,
        figures={name: figures[name] for name in measures},
    )


def measure_stories(name: str, runs: Sequence[Run], stories: Sequence[Labelled]) -> dict[str, float]:
    """One of `MEASURES` of each story, the mean over runs; NaN where it has none."""
    return _over_runs(MEASURES[name].measure, runs, stories)


def average_precisions(runs: Sequence[Run], stories: Sequence[Labelled]) -> dict[str, float]:
    """The average precision of each story, the mean over runs; NaN where no sentence is salient."""
    return measure_stories("map", runs, stories)


def compare(
    ours: Mapping[str, float], theirs: Mapping[str, float], *, undefined: str = "skip"
) -> dict[str, float | None]:
    """The two-sided p of the paired tests between the figures of two methods; None where there is none.

    A story of which one of the two has no figure is left out, or counts as 0 where that is the policy.
    """
    pair = [_fill(figures, undefined) for figures in (ours, theirs)]
    found = {"wilcoxon": wilcoxon(*pair), "permutation": permutation_test(*pair)}
    return {test: None if math.isnan(p) else p for test, p in found.items()}


def gain(ours: Mapping[str, float], theirs: Mapping[str, float], *, undefined: str = "skip") -> Figure:
    """How much higher one method's figure is than another's, story by story.

    >>> gain({"wolf": 0.5, "king": 0.75}, {"wolf": 0.25, "king": 0.5}).value
    0.25
    """
    pair = (_fill(figures, undefined).tolist() for figures in (ours, theirs))
    differences = {name: a - b for name, a, b in zip(ours, *pair, strict=True)}
    return _summarise(differences, undefined="skip")


def _summarise(per_story: Mapping[str, float], *, undefined: str) -> Figure:
    low, high = bootstrap_interval(settle_undefined(per_story, undefined=undefined))
    interval = None if math.isnan(low) else (low, high)
    return Figure(mean_over_stories(per_story, undefined=undefined), interval, per_story)


def _fill(figures: Mapping[str, float], undefined: str) -> FloatArray:
    """One figure a story, in their order; those that are to be left out are NaN."""
    if undefined == UNDEFINED[0]:
        return np.array(list(figures.values()), dtype=np.float64)
    return settle_undefined(figures, undefined=undefined)


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
