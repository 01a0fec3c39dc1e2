"""Ranking metrics: how well the scores of a story's sentences agree with its labels.

Only the order of the scores counts, so a monotone transform changes nothing. Tied sentences share a rank, so
the order of the sentences does not matter (except for `agreement_within`). An undefined metric is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from barthes.errors import BarthesError
from barthes.models.language_model import FloatArray

_Labels = npt.NDArray[np.bool_]
_Places = npt.NDArray[np.intp]


def average_precision(labels: npt.ArrayLike, scores: npt.ArrayLike) -> float:
    """Return the mean of the precision at each positive sentence, from the top; in (0, 1].

    AP = Σ (R_n − R_n−1) P_n over the distinct scores, as in scikit-learn. NaN if no sentence is positive.

    >>> average_precision([True, False, True], [0.3, -0.1, -0.2])  # (1/1 + 2/3) / 2
    0.8333333333333333
    """
    positive, places = _read(labels, scores)
    if not positive.any():
        return math.nan
    found, chosen = _count_from_top(positive, places)
    # Summed from the bottom as in scikit-learn, for identical results in a tenth of the time.
    recall = np.append((found / found[-1])[::-1], 0.0)
    return float(-np.sum(np.diff(recall) * (found / chosen)[::-1]))


def r_precision(labels: npt.ArrayLike, scores: npt.ArrayLike) -> float:
    """Return the precision among the R highest scores, where R sentences are positive; in [0, 1].

    Ties as in `precision_at`. NaN if no sentence is positive.

    >>> r_precision([True, False, True], [3, 2, 1])
    0.5
    """
    positive, places = _read(labels, scores)
    return _expect_precision(positive, places, k=int(positive.sum()))


def precision_at(labels: npt.ArrayLike, scores: npt.ArrayLike, k: int) -> float:
    """Return the share of positive sentences among the k highest scores; in [0, 1].

    A tie across rank k gives the expectation over all orders of the tied sentences. The denominator is k even
    for shorter stories, as in trec_eval. NaN if no sentence is positive.

    >>> precision_at([True, False, True], [2, 1, 1], k=2)  # (1 + 1/2) / 2
    0.75
    """
    if k < 1:
        raise ValueError(f"precision at {k}: k must be at least 1")
    return _expect_precision(*_read(labels, scores), k=k)


def agreement_within(labels: npt.ArrayLike, scores: npt.ArrayLike, *, distance: int = 1) -> float:
    """Return the share of positive sentences with one of the R highest scores within `distance` sentences.

    R is the number of positive sentences. In [0, 1]; `r_precision` for a distance of 0. Ties as in
    `precision_at`. NaN if no sentence is positive.

    >>> agreement_within([True, False, False, False, True], [1, 5, 0, 4, 3])  # chosen: the 2nd and the 4th
    1.0
    >>> agreement_within([True, False, False, False, True], [1, 5, 4, 0, 3])  # the 2nd and the 3rd
    0.5
    """
    if distance < 0:
        raise ValueError(f"agreement within {distance} sentences: it must be at least 0")
    positive, places = _read(labels, scores)
    if not positive.any():
        return math.nan
    last = np.sort(places)[-int(positive.sum())]
    above, tied = places > last, places == last
    size, drawn = int(tied.sum()), int(positive.sum() - above.sum())
    chances = []
    for place in np.flatnonzero(positive):
        near = slice(max(0, place - distance), place + distance + 1)
        # One minus the probability that all sentences drawn from the tie lie elsewhere.
        missed = math.comb(size - int(tied[near].sum()), drawn) / math.comb(size, drawn)
        chances.append(1.0 if above[near].any() else 1.0 - missed)
    return math.fsum(chances) / len(chances)


def area_under_curve(labels: npt.ArrayLike, scores: npt.ArrayLike) -> float:
    """Return how often a positive sentence scores higher than a negative one, ties counting half; in [0, 1].

    Also the area under the ROC curve; 0.5 is chance. NaN if all labels are the same.

    >>> area_under_curve([True, False, True, False], [4, 3, 2, 2])  # 2.5 of 4 pairs
    0.625
    """
    positive, places = _read(labels, scores)
    if not positive.any() or positive.all():
        return math.nan
    found, chosen = _count_from_top(positive, places)
    wrong = chosen - found
    # Points on a straight line are dropped as in scikit-learn, for identical results.
    bends = np.concatenate(([True], (np.diff(wrong, 2) != 0) | (np.diff(found, 2) != 0), [True]))
    bends = bends[-len(found) :]
    x = np.append(0.0, wrong[bends] / wrong[-1])
    y = np.append(0.0, found[bends] / found[-1])
    return float((np.diff(x) * (y[1:] + y[:-1]) / 2.0).sum())


def rank_correlation(grades: npt.ArrayLike, scores: npt.ArrayLike) -> float:
    """Return Spearman's ρ between graded labels and scores, ties at their mean rank; in [-1, 1].

    NaN if all grades or all scores are the same, or there is only one sentence.

    >>> rank_correlation([0.0, 0.2, 0.9], [-3, -1, 5])
    1.0
    """
    grade_places, score_places = _rank(grades, "grades"), _rank(scores, "scores")
    _check_lengths(len(grade_places), len(score_places), "grades")
    if not grade_places.any() or not score_places.any():  # all at place 0, or no sentences
        return math.nan
    from scipy.stats import rankdata

    # Ranks are multiples of ½, so their sums are exact, whatever the order of the sentences.
    x, y = (rankdata(places) - (len(places) + 1) / 2 for places in (grade_places, score_places))
    return float(np.dot(x, y) / math.sqrt(np.dot(x, x) * np.dot(y, y)))


def mean_over_stories(values: Iterable[float]) -> float:
    """Return the unweighted mean over stories, without undefined values; NaN if no value is left.

    >>> mean_over_stories([0.25, 0.75, float("nan")])
    0.5
    """
    defined = [value for value in values if not math.isnan(value)]
    return math.fsum(defined) / len(defined) if defined else math.nan


def _read(labels: npt.ArrayLike, scores: npt.ArrayLike) -> tuple[_Labels, _Places]:
    given = np.asarray(labels)
    if given.ndim != 1 or not np.isin(given, (0, 1)).all():
        raise ValueError("labels must be True or False, one per sentence; use rank_correlation for grades")
    places = _rank(scores, "scores")
    _check_lengths(len(given), len(places), "labels")
    return given.astype(np.bool_), places


def _rank(values: npt.ArrayLike, what: str) -> _Places:
    """Return the place of each value among the distinct values, 0 for the lowest."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"{what} must be numbers, one per sentence")
    if np.isnan(array).any():
        raise BarthesError(
            f"{int(np.isnan(array).sum())} of {len(array)} {what} are not numbers, so they cannot be ranked.",
            remedy="Score the story with another model or precision.",
        )
    return np.unique(array, return_inverse=True)[1]


def _count_from_top(positive: _Labels, places: _Places) -> tuple[FloatArray, FloatArray]:
    """Return how many positive and how many sentences in all have at least each distinct score."""
    found = np.bincount(places, weights=positive)[::-1].cumsum()
    chosen = np.bincount(places)[::-1].cumsum().astype(np.float64)
    return found, chosen


def _check_lengths(labels: int, scores: int, what: str) -> None:
    if labels != scores:
        raise ValueError(f"{labels} {what} for {scores} scores")


def _expect_precision(positive: _Labels, places: _Places, *, k: int) -> float:
    """Return the expected precision of the k highest; those tied at rank k are drawn at random."""
    if not positive.any():
        return math.nan
    if k >= len(places):
        return float(positive.sum() / k)
    last = np.sort(places)[-k]
    above, tied = places > last, places == last
    drawn = (k - above.sum()) * positive[tied].mean()
    return float((positive[above].sum() + drawn) / k)
