"""Significance tests and bootstrap intervals over stories.

Every function takes one value per story, in the same order. Stories with NaN are left out; the result is NaN
if none is left.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from barthes.models.language_model import FloatArray

SIGNIFICANT = 0.05
"""A difference with a p below this is significant, as in the paper."""

_LEVEL = 0.95  # of intervals
_EXACT = 16  # pairs; their 65,536 sign patterns are enumerated
_BLOCK = 1_000_000  # random numbers drawn at once, to limit memory
_DECIMALS = 12  # values lie in [0, 1]; differences beyond this are rounding


def wilcoxon(ours: npt.ArrayLike, theirs: npt.ArrayLike) -> float:
    """Return the two-sided p-value of Wilcoxon's signed-rank test over stories.

    Equal pairs are left out. Exact up to 50 pairs, or 16 with tied differences, else by the normal
    approximation. 1.0 if all pairs are equal.

    >>> wilcoxon([0.5, 0.6, 0.7, 0.8, 0.9], [0.1, 0.1, 0.1, 0.1, 0.1])  # 2 of the 32 sign patterns
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
    if len(np.unique(ranks)) < len(ranks) <= _EXACT:  # ties: SciPy would approximate beyond 13 pairs
        return _enumerate_signs(np.copysign(ranks, differences))
    return float(stats.wilcoxon(differences).pvalue)


def permutation_test(
    ours: npt.ArrayLike, theirs: npt.ArrayLike, *, resamples: int = 10_000, seed: int = 0
) -> float:
    """Return the two-sided p-value of the mean difference when the two values of each story may be swapped.

    Exact up to 16 pairs, else (b + 1) / (resamples + 1) where b of the seeded random swaps are as extreme.
    It uses the sizes of the differences, `wilcoxon` their ranks.

    >>> permutation_test([0.5, 0.6, 0.7, 0.8, 0.9], [0.1, 0.1, 0.1, 0.1, 0.1])
    0.0625
    """
    differences = np.sort(_subtract(ours, theirs))  # sorted, so that the order of the stories is irrelevant
    if not len(differences):
        return math.nan
    if not differences.any():
        return 1.0
    if len(differences) <= _EXACT:
        return _enumerate_signs(differences)
    generator = np.random.default_rng(seed)
    extreme = sum(
        _count_extreme(differences, generator.choice((-1.0, 1.0), size=size))
        for size in _block_sizes(resamples, len(differences))
    )
    return (extreme + 1) / (resamples + 1)


def is_better(p: float | None, ours: float | None, theirs: float | None) -> bool:
    """Return whether a two-sided p is below 0.05 and our value is higher; False if any is unknown.

    >>> is_better(0.01, 0.28, 0.21), is_better(0.01, 0.15, 0.21), is_better(None, 0.28, 0.21)
    (True, False, False)
    """
    if p is None or ours is None or theirs is None:
        return False
    return p < SIGNIFICANT and ours > theirs


def describe_p(p: float) -> str:
    """Format a p-value with three decimals, or more if rounding would move it across 0.05.

    >>> describe_p(0.0134), describe_p(0.0495), describe_p(0.04999), describe_p(0.05), describe_p(0.00001)
    ('0.013', '0.0495', '< 0.05', '0.050', '< 0.001')
    """
    if 0.0495 <= p < SIGNIFICANT:  # three decimals would give 0.050
        return f"{p:.4f}" if p < 0.04995 else "< 0.05"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def bootstrap_interval(
    values: npt.ArrayLike, *, resamples: int = 10_000, seed: int = 0
) -> tuple[float, float]:
    """Return the 95 % percentile bootstrap interval of the mean over stories.

    NaN if fewer than two stories have a value.

    >>> low, high = bootstrap_interval([0.1, 0.2, 0.3, 0.4])
    >>> 0.1 <= low < 0.25 < high <= 0.4
    True
    """
    known = np.asarray(values, dtype=np.float64)
    known = np.sort(known[~np.isnan(known)])  # sorted, so that the order of the stories is irrelevant
    if len(known) < 2:
        return math.nan, math.nan
    generator = np.random.default_rng(seed)
    samples = (known[generator.integers(len(known), size=s)] for s in _block_sizes(resamples, len(known)))
    means: FloatArray = np.concatenate([sample.mean(axis=1) for sample in samples])
    means = means.clip(known[0], known[-1])  # rounding must not move a mean of equal values
    low, high = np.quantile(means, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return float(low), float(high)


def _block_sizes(rows: int, columns: int) -> list[tuple[int, int]]:
    """Return the shapes of blocks of about a million numbers that make up `rows` rows."""
    height = max(1, _BLOCK // columns)
    return [(min(height, rows - done), columns) for done in range(0, rows, height)]


def _enumerate_signs(differences: FloatArray) -> float:
    """Return the share of all 2^n sign patterns that are as extreme as the observed one."""
    bits = np.arange(2 ** len(differences))[:, np.newaxis] >> np.arange(len(differences)) & 1
    return _count_extreme(differences, np.where(bits, -1.0, 1.0)) / len(bits)


def _count_extreme(differences: FloatArray, signs: FloatArray) -> int:
    """Count the rows of signs whose sum is at least as extreme as the observed one."""
    rounding = 1e-12 * np.abs(differences).sum()
    return int((np.abs(signs @ differences) >= abs(differences.sum()) - rounding).sum())


def _subtract(ours: npt.ArrayLike, theirs: npt.ArrayLike) -> FloatArray:
    """Return the differences, without pairs with NaN."""
    a, b = np.asarray(ours, dtype=np.float64), np.asarray(theirs, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(f"figures of shapes {a.shape} and {b.shape} cannot be paired")
    differences = a - b
    known: FloatArray = np.round(differences[~np.isnan(differences)], _DECIMALS)
    return known
