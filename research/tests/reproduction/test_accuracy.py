from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.evaluation.significance import bootstrap_interval
from barthes_research.reproduction.accuracy import bootstrap_share

counts = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=30).map(
    lambda pairs: [(min(pair), max(pair)) for pair in pairs]
)


@settings(deadline=None, max_examples=50)
@given(counts)
def test_the_interval_of_a_share_lies_among_the_shares(pairs):
    correct, totals = zip(*pairs, strict=True)
    low, high = bootstrap_share(correct, totals, resamples=1000)
    shares = [right / total for right, total in pairs if total]
    if len(shares) < 2:
        assert math.isnan(low)
        assert math.isnan(high)
    else:
        assert min(shares) - 1e-9 <= low <= high <= max(shares) + 1e-9
    assert bootstrap_share(correct[::-1], totals[::-1], resamples=1000) == pytest.approx(
        (low, high), nan_ok=True
    )


def test_the_interval_of_a_share_is_near_the_full_enumeration():
    """Stories of different length: a sample's share is a ratio of sums, not a mean of shares."""
    stories = [(1, 5), (2, 3), (5, 5), (0, 4), (4, 5)]
    shares = [
        sum(right for right, _ in sample) / sum(total for _, total in sample)
        for sample in itertools.product(stories, repeat=len(stories))
    ]
    found = bootstrap_share(*zip(*stories, strict=True), level=0.9)
    assert found == pytest.approx(tuple(np.quantile(shares, [0.05, 0.95])), abs=0.02)  # they are discrete


def test_the_interval_of_a_share_with_equal_totals_is_that_of_the_mean():
    right = np.random.default_rng(0).integers(0, 6, 200)
    assert bootstrap_share(right, [5] * 200) == bootstrap_share(right, [5] * 200, seed=0)
    assert bootstrap_share(right, [5] * 200) != bootstrap_share(right, [5] * 200, seed=1)
    assert bootstrap_share(right, [5] * 200) == pytest.approx(bootstrap_interval(right / 5), abs=0.003)


def test_the_interval_of_a_share_of_nothing_or_one_story():
    for correct, totals in [([], []), ([3], [5]), ([3, 0], [5, 0])]:
        assert all(map(math.isnan, bootstrap_share(correct, totals)))
