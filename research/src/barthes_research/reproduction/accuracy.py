"""The bootstrap interval of an accuracy over stories whose answers are dependent."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt


def bootstrap_share(
    correct: npt.ArrayLike,
    totals: npt.ArrayLike,
    *,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> tuple[float, float]:
    """Return the percentile bootstrap interval of an accuracy, Σ correct / Σ totals, over stories.

    Args:
        correct: The number of correct answers about each story.
        totals: The number of answers about each story; stories with none are left out.
        level: The share of the resampled accuracies inside the interval.
        resamples: The number of samples.
        seed: Seed of the samples.

    Stories are resampled as a whole, since their answers are dependent. NaN for fewer than two stories.

    >>> bootstrap_share([5, 5], [5, 5])
    (1.0, 1.0)
    """
    counts = np.column_stack([np.asarray(correct, dtype=np.int64), np.asarray(totals, dtype=np.int64)])
    counts = counts[counts[:, 1] > 0]
    if len(counts) < 2:
        return math.nan, math.nan
    # Draw how many stories of each kind (with the same counts) are in each sample.
    kinds, sizes = np.unique(counts, axis=0, return_counts=True)
    drawn = np.random.default_rng(seed).multinomial(len(counts), sizes / len(counts), size=resamples)
    rights, alls = (drawn @ kinds).T
    low, high = np.quantile(rights / alls, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
