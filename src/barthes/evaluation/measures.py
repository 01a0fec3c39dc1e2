"""The measures of methods, and the figures of one method on all stories of a corpus."""

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
    handle_undefined,
    mean_over_stories,
    precision_at,
    r_precision,
    rank_correlation,
)
from barthes.evaluation.result import Figure, MethodResult
from barthes.evaluation.significance import bootstrap_interval, permutation_test, wilcoxon
from barthes.models.language_model import FloatArray

Run = Mapping[str, Sequence[float]]
"""The scores of each story, by its name."""

Metric = Callable[[Labelled, Sequence[float]], float]

_PRECISION_AT = (1, 3, 5)


@dataclass(frozen=True)
class Measure:
    """A value per story, whose mean over stories is reported.

    Attributes:
        name: In JSON, such as ``map``.
        heading: In tables, such as ``MAP``.
        describe: A description in a few words.
        measure: Computes it from a story and the scores of its sentences; NaN if undefined.
        zero: Whether 0 is the worst value, so that it can replace an undefined one.
    """

    name: str
    heading: str
    describe: str
    measure: Metric
    zero: bool = True

    def policy(self, undefined: str) -> str:
        """Return the policy for undefined values: skip the story if 0 is not the worst value."""
        return undefined if self.zero else "skip"


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

MEASURES: dict[str, Measure] = {
    each.name: each
    for each in (
        Measure("map", "MAP", "mean average precision", _of_labels(average_precision)),
        Measure(
            "r_precision",
            "R-prec.",
            "precision among as many sentences as are salient",
            _of_labels(r_precision),
        ),
        Measure("agreement", "±1", _AGREEMENT, _of_labels(agreement_within)),
        Measure("auc", "AUC", "area under the ROC curve", _of_labels(area_under_curve), zero=False),
        Measure(
            "spearman",
            "ρ",
            "Spearman's rank correlation with the grades of the labels",
            _correlate,
            zero=False,
        ),
    )
}
"""Every measure, by name."""


def check_measures(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names, each once; raise UnknownNameError for an unknown one, ValueError for none."""
    for name in names:
        if name not in MEASURES:
            raise UnknownNameError("measure", name, MEASURES)
    if not names:
        raise ValueError("there must be at least one measure")
    return tuple(dict.fromkeys(names))


def measure_method(
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
    """Return the figures of one method on labelled stories.

    Args:
        method: Its name; `model`, `fingerprint` and `precision` are those of its language model.
        runs: The scores of every story, once, or once per seed to average story by story.
        stories: The labelled stories.
        measures: Names of `MEASURES` to report in full; the tests use the first.
        baseline: The first measure of each story by the random baseline; None for no comparison.
        against: The same by other methods to compare with, by name.
        undefined: The policy for stories without a salient sentence, see `barthes.evaluation.metrics`.
    """
    found = {name: measure_stories(name, runs, stories) for name in MEASURES}
    policies = {name: measure.policy(undefined) for name, measure in MEASURES.items()}
    means = {name: mean_over_stories(found[name], undefined=policies[name]) for name in MEASURES}
    figures = {name: make_figure(found[name], policies[name]) for name in dict.fromkeys(["map", *measures])}
    first, policy = found[measures[0]], policies[measures[0]]
    vs_random = None if baseline is None else compare(first, baseline, undefined=policy)
    return MethodResult(
        method=method,
        map=means["map"],
        per_story={name: None if math.isnan(value) else value for name, value in found["map"].items()},
        model=model,
        fingerprint=fingerprint,
        precision=precision,
        interval=figures["map"].interval,
        p_vs_random=None if vs_random is None else vs_random["wilcoxon"],
        vs_random=vs_random,
        p_vs={
            other: None if other == method else compare(first, theirs, undefined=policy)
            for other, theirs in (against or {}).items()
        },
        r_precision=means["r_precision"],
        precision_at={
            k: mean_over_stories(
                _over_runs(_of_labels(precision_at, k=k), runs, stories), undefined=undefined
            )
            for k in _PRECISION_AT
        },
        auc=means["auc"],
        spearman=means["spearman"],
        agreement=means["agreement"],
        seeds_sd=_spread(runs, stories, undefined) if len(runs) > 1 else None,
        figures={name: figures[name] for name in measures},
    )


def measure_stories(name: str, runs: Sequence[Run], stories: Sequence[Labelled]) -> dict[str, float]:
    """Return one of `MEASURES` for each story, averaged over runs; NaN if undefined."""
    return _over_runs(MEASURES[name].measure, runs, stories)


def compare(
    ours: Mapping[str, float], theirs: Mapping[str, float], *, undefined: str = "skip"
) -> dict[str, float | None]:
    """Return the mean difference (ours minus theirs), its 95 % interval and the two-sided p of paired tests.

    Undefined values are None. Stories for which either method is undefined are left out, or count as 0 with
    that policy.
    """
    pair = [fill_undefined(values, undefined) for values in (ours, theirs)]
    differences = pair[0] - pair[1]
    known = differences[~np.isnan(differences)]
    low, high = bootstrap_interval(known)
    found = {"difference": float(known.mean()) if len(known) else math.nan, "low": low, "high": high}
    found |= {"wilcoxon": wilcoxon(*pair), "permutation": permutation_test(*pair)}
    return {name: None if math.isnan(value) else value for name, value in found.items()}


def make_figure(per_story: Mapping[str, float], undefined: str) -> Figure:
    """Return the mean over stories with its interval."""
    low, high = bootstrap_interval(handle_undefined(per_story, undefined=undefined))
    interval = None if math.isnan(low) else (low, high)
    return Figure(mean_over_stories(per_story, undefined=undefined), interval, per_story)


def fill_undefined(values: Mapping[str, float], undefined: str) -> FloatArray:
    """Return one value per story; skipped ones are NaN."""
    if undefined == "skip":
        return np.array(list(values.values()), dtype=np.float64)
    return handle_undefined(values, undefined=undefined)


def _over_runs(metric: Metric, runs: Sequence[Run], stories: Sequence[Labelled]) -> dict[str, float]:
    return {
        story.name: math.fsum(metric(story, run[story.name]) for run in runs) / len(runs) for story in stories
    }


def _spread(runs: Sequence[Run], stories: Sequence[Labelled], undefined: str) -> float:
    """Return the sample standard deviation of MAP over runs."""
    means = [mean_over_stories(measure_stories("map", [run], stories), undefined=undefined) for run in runs]
    return float(np.std(means, ddof=1))
