"""Whether a difference between two methods, or a mean, would survive other stories of the same kind.

The story is the unit throughout: every function takes one figure a story, in the same order of stories.
NaN stands for a story without a figure; it leaves its pair out. With nothing left the answer is NaN.
"""

from __future__ import annotations

import math
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from barthes.errors import UnknownNameError
from barthes.evaluation.metrics import rank_correlation
from barthes.models.language_model import FloatArray

__all__ = [
    "SIGNIFICANT",
    "Alternative",
    "bootstrap_interval",
    "bootstrap_share",
    "describe_p",
    "is_better",
    "permutation_test",
    "spearman",
    "wilcoxon",
]

SIGNIFICANT = 0.05
"""p below which a difference counts; the paper's."""

Alternative = Literal["two-sided", "greater", "less"]
"""What is tried to be shown: that the methods differ, that ours is better, that ours is worse."""

_EXACT = 16  # pairs; their 65,536 patterns of signs are gone through one by one
_DRAWS = 1_000_000  # random numbers at a time, which bounds the memory
_DECIMALS = 12  # figures lie in [0, 1]; what differs only beyond this differs by rounding


def wilcoxon(ours: npt.ArrayLike, theirs: npt.ArrayLike, *, alternative: Alternative = "two-sided") -> float:
    """The p-value of Wilcoxon's signed-rank test over stories.

    SciPy's, with equal pairs left out as Wilcoxon did. Exact up to 50 pairs without ties among the
    differences, and up to 16 with ties; beyond that by the normal approximation. 1.0 where all pairs are
    equal.

    >>> wilcoxon([0.5, 0.6, 0.7, 0.8, 0.9], [0.1, 0.1, 0.1, 0.1, 0.1])  # 2 of the 32 patterns of signs
    0.0625
    """
    differences = _subtract(ours, theirs)
    if not len(differences):
        return math.nan
    differences = differences[differences != 0]
    if not len(differences):
        return 1.0
    from scipy import stats

    ranks = stats.rankdata(np.abs(differences))
    if len(np.unique(ranks)) < len(ranks) <= _EXACT:  # tied: SciPy would approximate beyond 13 pairs
        return _enumerate_signs(np.copysign(ranks, differences), alternative)
    return float(stats.wilcoxon(differences, alternative=alternative).pvalue)


def permutation_test(
    ours: npt.ArrayLike,
    theirs: npt.ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    resamples: int = 10_000,
    seed: int = 0,
) -> float:
    """The p-value of the mean difference when each story's two figures could as well be swapped.

    Exact up to 16 pairs. Beyond that from seeded random swaps, as (b + 1) / (resamples + 1) where b of them
    are as extreme, which is never 0. It looks at the size of the differences, where `wilcoxon` looks at
    their ranks.

    >>> permutation_test([0.5, 0.6, 0.7, 0.8, 0.9], [0.1, 0.1, 0.1, 0.1, 0.1])
    0.0625
    """
    differences = np.sort(_subtract(ours, theirs))  # sorted: the order of the stories changes nothing
    if not len(differences):
        return math.nan
    if not differences.any():
        return 1.0
    if len(differences) <= _EXACT:
        return _enumerate_signs(differences, alternative)
    generator = np.random.default_rng(seed)
    extreme = sum(
        _count_extreme(differences, generator.choice((-1.0, 1.0), size=size), alternative)
        for size in _block_sizes(resamples, len(differences))
    )
    return (extreme + 1) / (resamples + 1)


def is_better(p: float | None, ours: float | None, theirs: float | None) -> bool:
    """Whether a method beats a baseline: p of a two-sided test is below 0.05, and its figure is the higher.

    A method that differs because it is worse is not better, nor is one of which something is not known.

    >>> is_better(0.01, 0.28, 0.21), is_better(0.01, 0.15, 0.21), is_better(None, 0.28, 0.21)
    (True, False, False)
    """
    if p is None or ours is None or theirs is None:
        return False
    return p < SIGNIFICANT and ours > theirs


def describe_p(p: float) -> str:
    """A p-value with three decimals, more where they would round it across 0.05.

    >>> describe_p(0.0134), describe_p(0.0495), describe_p(0.04999), describe_p(0.05), describe_p(0.00001)
    ('0.013', '0.0495', '< 0.05', '0.050', '< 0.001')
    """
    if 0.0495 <= p < SIGNIFICANT:  # three decimals would print 0.050 beside a dagger
        return f"{p:.4f}" if p < 0.04995 else "< 0.05"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def bootstrap_interval(
    values: npt.ArrayLike, *, level: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> tuple[float, float]:
    """The percentile interval of the mean over stories drawn again with replacement.

    NaN where fewer than two stories have a figure: one story says nothing about others.

    >>> low, high = bootstrap_interval([0.1, 0.2, 0.3, 0.4])
    >>> 0.1 <= low < 0.25 < high <= 0.4
    True
    """
    figures = np.asarray(values, dtype=np.float64)
    figures = np.sort(figures[~np.isnan(figures)])  # sorted: the order of the stories changes nothing
    if len(figures) < 2:
        return math.nan, math.nan
    return _cut_middle(_resample_means(figures, resamples, np.random.default_rng(seed)), level)


def bootstrap_share(
    correct: npt.ArrayLike,
    totals: npt.ArrayLike,
    *,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> tuple[float, float]:
    """The percentile interval of an accuracy, Σ correct / Σ totals, over stories drawn again.

    Args:
        correct: How many answers about each story are right.
        totals: Of how many; a story about which there are none is left out.
        level: How much of the resampled shares lies in the interval.
        resamples: How many samples are drawn.
        seed: Of the draws.

    Answers about one story stand or fall together, so the story is what is drawn. NaN where there are fewer
    than two; a point where all stories have the same share.

    >>> bootstrap_share([5, 5], [5, 5])
    (1.0, 1.0)
    """
    counts = np.column_stack([np.asarray(correct, dtype=np.int64), np.asarray(totals, dtype=np.int64)])
    counts = counts[counts[:, 1] > 0]
    if len(counts) < 2:
        return math.nan, math.nan
    # Stories with the same counts are alike: it is enough to draw how many of each kind there are.
    kinds, sizes = np.unique(counts, axis=0, return_counts=True)
    drawn = np.random.default_rng(seed).multinomial(len(counts), sizes / len(counts), size=resamples)
    rights, alls = (drawn @ kinds).T
    return _cut_middle(rights / alls, level)


def spearman(xs: npt.ArrayLike, ys: npt.ArrayLike) -> float:
    """Spearman's ρ between two figures a model, such as MAP and perplexity; NaN where one is constant.

    Of three models there are only six orders: ρ = -1 then comes about by chance once in six.

    >>> spearman([0.26, 0.27, 0.28], [40.0, 31.0, 18.0])
    -1.0
    """
    x, y = _pair(xs, ys)
    return rank_correlation(x, y)


def _cut_middle(figures: FloatArray, level: float) -> tuple[float, float]:
    """The ends of the middle part of so large a share."""
    if not 0 < level < 1:
        raise ValueError(f"a level of {level}: it must lie between 0 and 1, such as 0.95")
    low, high = np.quantile(figures, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _resample_means(figures: FloatArray, resamples: int, generator: np.random.Generator) -> FloatArray:
    """The means of so many samples with replacement."""
    blocks = _block_sizes(resamples, len(figures))
    drawn = (figures[generator.integers(len(figures), size=size)] for size in blocks)
    means: FloatArray = np.concatenate([sample.mean(axis=1) for sample in drawn])
    return means.clip(figures[0], figures[-1])  # rounding must not move the mean of equal figures


def _block_sizes(rows: int, columns: int) -> list[tuple[int, int]]:
    """The shapes of the blocks of so many rows, about a million numbers each."""
    height = max(1, _DRAWS // columns)
    return [(min(height, rows - done), columns) for done in range(0, rows, height)]


def _enumerate_signs(differences: FloatArray, alternative: Alternative) -> float:
    """The share of all 2^n patterns of signs that are as extreme as the one seen."""
    bits = np.arange(2 ** len(differences))[:, np.newaxis] >> np.arange(len(differences)) & 1
    return _count_extreme(differences, np.where(bits, -1.0, 1.0), alternative) / len(bits)


def _count_extreme(differences: FloatArray, signs: FloatArray, alternative: Alternative) -> int:
    """How many rows of signs give a sum as large as that seen, as small, or either."""
    seen, sums = differences.sum(), signs @ differences
    if alternative == "less":
        seen, sums = -seen, -sums
    elif alternative == "two-sided":
        seen, sums = abs(seen), np.abs(sums)
    elif alternative != "greater":
        raise UnknownNameError("alternative", alternative, get_args(Alternative))
    rounding = 1e-12 * np.abs(differences).sum()
    return int((sums >= seen - rounding).sum())


def _pair(ours: npt.ArrayLike, theirs: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Both as arrays, without the pairs of which one is NaN."""
    a, b = np.asarray(ours, dtype=np.float64), np.asarray(theirs, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(f"figures of shapes {a.shape} and {b.shape} cannot be paired")
    both = ~(np.isnan(a) | np.isnan(b))
    return a[both], b[both]


def _subtract(ours: npt.ArrayLike, theirs: npt.ArrayLike) -> FloatArray:
    a, b = _pair(ours, theirs)
    return np.round(a - b, _DECIMALS)
