"""Significance tests against full enumeration, and their repeatability."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.evaluation.significance import (
    bootstrap_interval,
    describe_p,
    is_better,
    permutation_test,
    wilcoxon,
)
from tests.evaluation import metric_oracles as oracles

NAN = math.nan

# Eighths are exact, and tie often; hundredths tie up to rounding, as real figures do.
eighths = st.integers(0, 8).map(lambda n: n / 8)
pairs = st.lists(st.tuples(eighths, eighths), min_size=1, max_size=8)
each_test = pytest.mark.parametrize("test", [wilcoxon, permutation_test], ids=lambda test: test.__name__)


def figures(n, seed=0, gain=0.05):
    """Two methods on n stories that differ by a gain in the mean."""
    generator = np.random.default_rng(seed)
    theirs = generator.uniform(0.1, 0.5, n)
    return theirs + generator.normal(gain, 0.1, n), theirs


@each_test
@settings(deadline=None, max_examples=50)
@given(pairs=pairs)
def test_small_samples_are_enumerated(test, pairs):
    ours, theirs = zip(*pairs, strict=True)
    differences = [a - b for a, b in pairs]
    enumerate_all = getattr(oracles, test.__name__)
    expected = enumerate_all(differences) if any(differences) else 1.0
    assert test(ours, theirs) == pytest.approx(expected)


def test_both_are_exact_for_the_fifteen_tales():
    """With ties too, where SciPy alone would have gone over to the normal approximation."""
    ours, theirs = figures(15)
    for a, b in [(ours, theirs), (ours.round(1), theirs.round(1))]:
        differences = (a - b).round(9).tolist()
        assert wilcoxon(a, b) == pytest.approx(oracles.wilcoxon(differences))
        assert permutation_test(a, b) == pytest.approx(oracles.permutation_test(differences))
        assert permutation_test(a, b, seed=1) == permutation_test(a, b, seed=2)


def test_sixteen_tied_pairs_are_still_enumerated():
    ours = [0.2] * 12 + [0.1] * 4
    assert wilcoxon(ours, [0.15] * 16) == pytest.approx(oracles.wilcoxon([1] * 12 + [-1] * 4))
    # of 16 throws of a coin, 12 or more alike
    tail = sum(math.comb(16, n) for n in range(5))
    assert permutation_test(ours, [0.15] * 16) == pytest.approx(2 * tail / 2**16)


def test_many_stories():
    """Beyond enumeration: the random swaps come near the exact answer and follow their seed."""
    ours, theirs = figures(20)
    exact = oracles.permutation_test((ours - theirs).tolist()[:18])
    found = permutation_test(ours[:18], theirs[:18])
    assert found == pytest.approx(exact, abs=4 * math.sqrt(exact / 10_000))
    assert found == permutation_test(ours[:18], theirs[:18], seed=0)
    assert found != permutation_test(ours[:18], theirs[:18], seed=1)
    assert permutation_test(np.arange(100) / 10, np.zeros(100), resamples=99) == 1 / 100
    assert wilcoxon(*figures(60, gain=0.3)) < 1e-9


@each_test
def test_order_of_stories_changes_nothing(test):
    ours, theirs = figures(18)
    shuffled = np.random.default_rng(1).permutation(18)
    assert test(ours, theirs) == test(ours[shuffled], theirs[shuffled])


@each_test
def test_both_sides_count(test):
    ours, theirs = figures(12)
    assert test(ours, theirs) == test(theirs, ours)


@each_test
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [([0.1, 0.2, 0.3], [0.1, 0.2, 0.3]), ([0.1 + 0.2], [0.3]), ([0.3, 0.1], [0.2, 0.2])],
    ids=["equal", "equal but for rounding", "tied differences but for rounding"],
)
def test_methods_that_do_not_differ(test, ours, theirs):
    assert test(ours, theirs) == 1


@each_test
def test_undefined_stories_leave_their_pair_out(test):
    ours, theirs = figures(9)
    with_holes = test([NAN, *ours, 0.4], [0.9, *theirs, NAN])
    assert with_holes == test(ours, theirs)
    assert math.isnan(test([NAN, 0.1], [0.1, NAN]))
    assert math.isnan(test([], []))


@each_test
def test_figures_must_pair(test):
    with pytest.raises(ValueError, match="cannot be paired"):
        test([0.1, 0.2], [0.1])


def test_interval_is_deterministic():
    values, _ = figures(15)
    assert bootstrap_interval(values) == bootstrap_interval(values)
    assert bootstrap_interval(values) == bootstrap_interval(values[::-1])
    assert bootstrap_interval(values) != bootstrap_interval(values, seed=1)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.floats(0, 1), min_size=2, max_size=30))
def test_interval_lies_among_the_figures(values):
    low, high = bootstrap_interval(values, resamples=1000)
    assert min(values) <= low <= high <= max(values)


def test_interval_is_near_the_full_enumeration():
    values = [0.05, 0.2, 0.25, 0.3, 0.6]
    means = oracles.bootstrap_means(values)
    expected = tuple(np.quantile(means, [0.025, 0.975]))
    assert bootstrap_interval(values) == pytest.approx(expected, abs=0.011)


def test_interval_of_undefined_figures():
    assert bootstrap_interval([0.1, NAN, 0.3]) == bootstrap_interval([0.1, 0.3])
    assert bootstrap_interval([0.1, 0.1, 0.1]) == (0.1, 0.1)
    for too_few in ([], [0.4], [NAN, 0.4]):
        assert all(map(math.isnan, bootstrap_interval(too_few)))


@pytest.mark.parametrize(
    ("p", "ours", "better"),
    [(0.01, 0.3, True), (0.01, 0.1, False), (0.05, 0.3, False), (0.01, 0.2, False), (NAN, 0.3, False)],
)
def test_better_means_higher_and_significant(p, ours, better):
    assert is_better(p, ours, 0.2) is better
    assert not is_better(p, ours, NAN)
    assert not is_better(p, None, 0.2)
    assert not is_better(None, ours, 0.2)


@given(st.floats(0, 1) | st.floats(0.049, 0.051))
def test_rounding_never_moves_p_across_the_threshold(p):
    shown = describe_p(p)
    assert (shown.startswith("<") or float(shown) < 0.05) == (p < 0.05)
