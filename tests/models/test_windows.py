from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.models.windows import find_windows

lengths = st.lists(st.integers(1, 9), min_size=1, max_size=30)


def define(lengths, k, limit):
    """The definition with plain sums: half of the room per side, and the other's if it cannot use it."""
    before, after = sum(lengths[:k]), sum(lengths[k + 1 :])
    spare = limit - lengths[k]
    left = min(before, max(spare // 2, spare - after))
    right = min(after, spare - left)
    first = max([k - n for n in range(k + 1) if sum(lengths[k - n : k]) <= left], key=lambda f: -f)
    last = max(n for n in range(k + 1, len(lengths) + 1) if sum(lengths[k + 1 : n]) <= right)
    return first, last


@given(lengths, st.integers(18, 60))
def test_windows_follow_the_definition_if_the_next_sentence_fits_into_one_side(lengths, limit):
    for k, window in enumerate(find_windows(lengths, limit)):
        expected = define(lengths, k, limit)
        if expected[1] > k + 1 or k == len(lengths) - 1:
            assert window == expected


@given(lengths, st.integers(18, 60))
def test_windows_contain_the_target_and_the_next_sentence_within_the_limit(lengths, limit):
    for k, (first, last) in enumerate(find_windows(lengths, limit)):
        assert 0 <= first <= k < last <= len(lengths)
        assert last > k + 1 or k == len(lengths) - 1
        assert sum(lengths[first:last]) <= limit


@given(lengths)
def test_a_story_within_the_limit_is_one_window(lengths):
    assert set(find_windows(lengths, sum(lengths))) == {(0, len(lengths))}


@pytest.mark.parametrize(
    ("lengths", "limit", "expected"),
    [
        ([1, 1, 4, 9], 14, [(0, 3), (0, 3), (1, 4), (1, 4)]),  # the next sentence costs the left side
        ([2, 9, 9], 10, [(0, 2), (1, 3), (2, 3)]),  # two sentences that exceed the limit together
        ([5, 20, 5], 10, [(0, 2), (1, 3), (2, 3)]),  # a sentence that exceeds it alone
    ],
)
def test_the_next_sentence_is_always_included(lengths, limit, expected):
    assert find_windows(lengths, limit) == expected
