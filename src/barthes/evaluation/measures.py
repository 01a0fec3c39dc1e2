"""The measures that a method is judged by, by name: what is computed of a story, and how it is shown."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from barthes.corpora.corpus import Corpus, Labelled
from barthes.corpora.rocstories_salience import RocStoriesSalience
from barthes.corpora.tripod import Tripod
from barthes.errors import UnknownNameError
from barthes.evaluation.metrics import (
    agreement_within,
    area_under_curve,
    average_precision,
    r_precision,
    rank_correlation,
)

__all__ = ["MEASURES", "Measure", "check_measures", "choose_measures"]


@dataclass(frozen=True)
class Measure:
    """A figure of one story, of which the mean over stories is told.

    Attributes:
        name: In JSON, such as ``map``.
        heading: In tables, such as ``MAP``.
        describe: What it is, in a few words.
        measure: The figure of a story by the scores of its sentences; NaN where it has none.
        zero: Whether 0 is the worst that it can be, so that it may stand for a figure that is missing.
    """

    name: str
    heading: str
    describe: str
    measure: Callable[[Labelled, Sequence[float]], float]
    zero: bool = True

    def policy(self, undefined: str) -> str:
        """What becomes of a story without a figure; it is left out where 0 would not be the worst."""
        return undefined if self.zero else "skip"


MEASURES: dict[str, Measure] = {
    each.name: each
    for each in (
        Measure(
            "map",
            "MAP",
            "mean average precision",
            lambda story, scores: average_precision(story.labels, scores),
        ),
        Measure(
            "r_precision",
            "R-prec.",
            "precision among as many sentences as are salient",
            lambda story, scores: r_precision(story.labels, scores),
        ),
        Measure(
            "agreement",
            "±1",
            "share of the salient sentences with a chosen one at most one sentence away, as many being "
            "chosen as are salient",
            lambda story, scores: agreement_within(story.labels, scores),
        ),
        Measure(
            "auc",
            "AUC",
            "area under the ROC curve",
            lambda story, scores: area_under_curve(story.labels, scores),
            zero=False,
        ),
        Measure(
            "spearman",
            "ρ",
            "Spearman's rank correlation with the grades of the labels",
            lambda story, scores: _correlate(story.grades, scores),
            zero=False,
        ),
    )
}
"""Every measure that can be asked for."""


def _correlate(grades: Sequence[float], scores: Sequence[float]) -> float:
    """Spearman's ρ; 0 where a method gives all sentences the same score.

    It is not defined there, but the story must not be left out: a method would gain by not deciding, and
    be measured on other stories than its rivals. To average precision such scores are chance, too.
    """
    found = rank_correlation(grades, scores)
    return 0.0 if math.isnan(found) and min(grades) < max(grades) else found


def check_measures(names: Sequence[str]) -> tuple[str, ...]:
    """The names, each once, if there are such measures and at least one of them.

    Raises:
        UnknownNameError: There is no such measure.
    """
    for name in names:
        if name not in MEASURES:
            raise UnknownNameError("measure", name, MEASURES)
    if not names:
        raise ValueError("there must be at least one measure")
    return tuple(dict.fromkeys(names))


def choose_measures(corpus: Corpus) -> tuple[str, ...]:
    """The measures that fit a corpus, the one first that decides.

    Votes are graded, so a ranking is compared with their shares; a turning point may as well be seen in the
    sentence before or after.
    """
    if isinstance(corpus, RocStoriesSalience):
        return ("spearman", "auc")
    if isinstance(corpus, Tripod):
        return ("map", "agreement")
    return ("map",)
