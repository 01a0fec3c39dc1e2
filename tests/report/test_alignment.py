from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.report.alignment import align

WORDS = st.sampled_from(["wolf", "goat", "rain", "hill", "the", "came"])
DRAFT = st.lists(st.lists(WORDS, min_size=1, max_size=5).map(" ".join), max_size=12)


@given(DRAFT, DRAFT)
@settings(max_examples=60)
def test_every_sentence_is_in_one_match(first, second):
    matches = align(first, second)
    assert sorted(m.first for m in matches if m.first is not None) == list(range(len(first)))
    assert [m.second for m in matches if m.second is not None] == list(range(len(second)))
    kept = [m.first for m in matches if m.first is not None and m.second is not None and not m.moved]
    assert kept == sorted(kept)
    assert all(first[m.first] == second[m.second] for m in matches if m.moved)


def test_removed_sentences_stay_where_they_were():
    matches = align(["A.", "B.", "C.", "D."], ["A.", "D.", "E."])
    assert [(m.first, m.second) for m in matches] == [(0, 0), (1, None), (2, None), (3, 1), (None, 2)]


def test_the_most_similar_of_several_sentences_is_paired():
    first = ["The wolf came over the hill.", "The end."]
    second = ["The wolf came home.", "The wolf came over the green hill.", "The end."]
    assert [(m.first, m.second) for m in align(first, second)] == [(None, 0), (0, 1), (1, 2)]
