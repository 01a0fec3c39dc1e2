from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from barthes.models.windows import find_windows

lengths = st.lists(st.integers(1, 9), min_size=1, max_size=30)


def yardstick(lengths, k, limit):
    """The definition, spelled out with sums: half a side, what one cannot use goes to the other."""
    before, after = sum(lengths[:k]), sum(lengths[k + 1 :])
    spare = limit - lengths[k]
    left = min(before, max(spare // 2, spare - after))
    right = min(after, spare - left)
    first = max([k - n for n in range(k + 1) if sum(lengths[k - n : k]) <= left], key=lambda f: -f)
    last = max(n for n in range(k + 1, len(lengths) + 1) if sum(lengths[k + 1 : n]) <= right)
    return first, last


@given(lengths, st.integers(18, 60))
def test_windows_are_the_definition_where_half_a_side_holds_the_next_sentence(lengths, limit):
    for k, window in enumerate(find_windows(lengths, limit)):
        expected = yardstick(lengths, k, limit)
        if expected[1] > k + 1 or k == len(lengths) - 1:
            assert window == expected


@given(lengths, st.integers(18, 60))
def test_windows_hold_the_target_and_the_next_and_no_more_than_the_limit(lengths, limit):
    for k, (first, last) in enumerate(find_windows(lengths, limit)):
        assert 0 <= first <= k < last <= len(lengths)
        assert last > k + 1 or k == len(lengths) - 1
        assert sum(lengths[first:last]) <= limit


@given(lengths)
def test_a_story_that_fits_is_one_window(lengths):
    assert set(find_windows(lengths, sum(lengths))) == {(0, len(lengths))}
