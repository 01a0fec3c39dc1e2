"""The release's windows: halves that are not traded, and holes."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from barthes.reproduction.release_windows import Window, find_window

lengths = st.lists(st.integers(1, 9), min_size=1, max_size=30)
limits = st.integers(1, 60)


def find_windows(lengths, limit):
    """The window of each sentence."""
    return [find_window(lengths, target, limit) for target in range(len(lengths))]


def test_by_hand():
    """Five sentences of 3 tokens, 13 in all: 5 a side, so one sentence a side."""
    assert find_windows([3] * 5, 13) == [
        Window((), (1,)),
        Window((0,), (2,)),
        Window((1,), (3,)),
        Window((2,), (4,)),
        Window((3,), ()),  # its other half stays empty: nothing is given to the left
    ]


def test_a_sentence_that_does_not_fit_leaves_a_hole():
    """(20 - 4) // 2 = 8 a side: S_4 (3) fits, S_3 (9) does not, S_2 (4) does, S_1 (2) does not any more."""
    assert find_windows([2, 4, 9, 3, 4, 7, 2, 1], 20)[4] == Window((1, 3), (5, 7))


def test_a_hole_may_be_next_to_the_target():
    assert find_windows([1, 9, 2, 9, 1], 8)[2] == Window((0,), (4,))


def test_an_odd_token_is_nobodys():
    assert find_windows([3, 1, 3], 6)[1] == Window((), ())
    assert find_windows([3, 1, 3], 7)[1] == Window((0,), (2,))


def test_a_target_beyond_the_limit_stands_alone():
    assert find_windows([1, 9, 1], 5)[1] == Window((), ())


@given(lengths, limits)
def test_windows_fit_and_keep_the_order(lengths, limit):
    for k, window in enumerate(find_windows(lengths, limit)):
        chosen = (*window.before, k, *window.after)
        assert all(a < b for a, b in pairwise(chosen))  # so the target is there once
        assert 0 <= chosen[0] <= chosen[-1] < len(lengths)
        spare = max(limit - lengths[k], 0)
        for side in (window.before, window.after):
            assert 2 * sum(lengths[i] for i in side) <= spare
        assert sum(lengths[i] for i in chosen) <= max(limit, lengths[k])


@given(lengths, limits)
def test_what_was_skipped_did_not_fit(lengths, limit):
    for k, window in enumerate(find_windows(lengths, limit)):
        half = (limit - lengths[k]) // 2
        for i in set(range(len(lengths))) - {k, *window.before, *window.after}:
            nearer = [j for j in (*window.before, *window.after) if abs(j - k) < abs(i - k)]
            taken = sum(lengths[j] for j in nearer if (j < k) == (i < k))
            assert taken + lengths[i] > half


@given(lengths)
def test_a_story_that_fits_one_side_is_read_whole(lengths):
    n = len(lengths)
    for k, window in enumerate(find_windows(lengths, 2 * sum(lengths))):
        assert (*window.before, k, *window.after) == tuple(range(n))
