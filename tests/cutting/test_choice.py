"""Which sentences are chosen, for prices and references by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.cutting.choice import choose, find_prices
from barthes.cutting.references import References

NONE = frozenset[int]()


def refer(count, firm=None, loose=None):
    """References of some sentences to others, as a mapping from the earlier to the later ones."""
    return References(
        *(tuple(frozenset((kind or {}).get(k, ())) for k in range(count)) for kind in (firm, loose))
    )


def test_prices_are_ranks_of_both_or_of_the_cost_alone():
    costs, words = [1.0, 5.0, 6.0, 8.0], [10, 10, 20, 10]
    assert find_prices(costs, None, words).tolist() == pytest.approx([0.0, 2 / 3, 1 / 3, 1.25])
    both = find_prices(costs, [9.0, 0.0, 5.0, 1.0], words)
    assert both.tolist() == pytest.approx([0.65, 0.35 * 2 / 3, 0.35 / 3 + 0.65 * 2 / 3, 0.6 + 0.65 / 3 - 0.0])


@pytest.mark.parametrize(
    ("firm", "loose", "target", "gone"),
    [
        ({}, {}, 40, [0]),
        ({}, {}, 30, [0, 1]),
        ({0: [3]}, {}, 40, [1]),  # 0 would take 3 with it, which is dearer on average than 1
        ({0: [1]}, {}, 30, [0, 1]),
        ({0: [4]}, {}, 40, [1]),  # the last sentence stays, and so does what it refers to
        ({}, {0: [3]}, 40, [1]),  # a broken loose reference makes 0 dearer than 1
        ({}, {0: [3], 1: [3]}, 40, [0]),
        ({}, {1: [0]}, 30, [0, 1]),  # what refers to 1 is gone
        ({0: [4], 1: [4], 2: [4], 3: [4]}, {}, 40, [0]),  # nothing else is left
    ],
)
def test_the_cheapest_passage_goes_that_nothing_kept_refers_to(firm, loose, target, gone):
    prices = np.array([0.1, 0.2, 0.9, 0.8, 0.0])
    assert choose(prices, [10] * 5, target, refer(5, firm, loose)) == gone


@given(st.data())
def test_the_target_is_reached_and_fixed_sentences_stay(data):
    count = data.draw(st.integers(3, 12))
    words = data.draw(st.lists(st.integers(1, 30), min_size=count, max_size=count))
    later = [data.draw(st.frozensets(st.integers(k + 1, count - 1), max_size=2)) for k in range(count - 1)]
    references = References((*later, NONE), (NONE,) * count)
    fixed = data.draw(st.sets(st.integers(0, count - 2), max_size=count - 2))
    least = sum(words[k] for k in {*fixed, count - 1})
    target = data.draw(st.integers(least, max(least, sum(words) - 1)))
    gone = choose(np.linspace(0, 1, count), words, target, references, fixed=fixed)
    assert sum(words) - sum(words[k] for k in gone) <= target
    assert len(set(gone)) == len(gone)
    assert not set(gone) & {*fixed, count - 1}
