from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import barthes
from barthes.report.alignment import _share_words, align
from barthes.report.comparison import compare
from barthes.report.page import render_comparison
from tests.report.profiles import by_hand

WORDS = st.sampled_from(["wolf", "goat", "rain", "hill", "the", "came"])
DRAFT = st.lists(st.lists(WORDS, min_size=1, max_size=5).map(" ".join), max_size=12)


def score(sentences, method="length"):
    return barthes.score(sentences, method=method)


@given(DRAFT, DRAFT)
@settings(max_examples=60)
def test_every_sentence_is_in_one_match(first, second):
    matches = align(first, second)
    assert sorted(m.first for m in matches if m.first is not None) == list(range(len(first)))
    assert [m.second for m in matches if m.second is not None] == list(range(len(second)))
    kept = [m.first for m in matches if m.first is not None and m.second is not None and not m.moved]
    assert kept == sorted(kept)
    assert all(first[m.first] == second[m.second] for m in matches if m.moved)


@given(DRAFT)
def test_a_draft_matches_itself(draft):
    assert [(m.first, m.second, m.moved) for m in align(draft, draft)] == [
        (k, k, False) for k in range(len(draft))
    ]


def test_gains_and_losses_are_differences_of_scores():
    comparison = compare(
        score(["A wolf came.", "It rained hard."]), score(["A wolf came.", "It rained hard now."])
    )
    assert comparison.comparable
    [gain] = comparison.gained()
    assert gain.change == 1.0
    assert comparison.lost() == ()


def test_methods_are_compared_by_standing():
    sentences = ["One two three.", "One two.", "One."]
    comparison = compare(score(sentences, "length"), score(sentences, "position"))
    assert not comparison.comparable
    assert [pair.change for pair in comparison.pairs] == [-1.0, 0.0, 1.0]
    assert comparison.spearman == pytest.approx(-1.0)
    plain = json.loads(json.dumps(comparison.to_dict(), allow_nan=False))
    assert plain["change_in"] == "standing"
    assert plain["before"]["method"] == "length"


def test_spearman_needs_more_than_one_score():
    assert compare(score(["A wolf."]), score(["A wolf."])).spearman is None


@given(DRAFT, DRAFT)
@settings(max_examples=60)
def test_sentences_share_words_by_dice_over_bags(first, second):
    def dice(a, b):
        mine, theirs = Counter(a.split()), Counter(b.split())
        return 2 * (mine & theirs).total() / (mine.total() + theirs.total())

    if first and second:
        expected = [[dice(a, b) for b in second] for a in first]
        assert _share_words(first, second) == pytest.approx(np.array(expected))


@pytest.mark.parametrize("model", ["counting", "another"])
def test_the_last_sentence_of_a_draft_is_not_ranked(model):
    first = by_hand(["A wolf came.", "It rained.", "The end."], [0.1, 0.2, 2.25])
    second = by_hand(
        ["A wolf came.", "It rained.", "The end.", "Really."], [0.081, 0.2, 0.1, 3.0], model=model
    )
    comparison = compare(first, second)
    assert [bool(pair.reason) for pair in comparison.pairs] == [False, False, True, True]
    assert [pair.change is None for pair in comparison.pairs] == [False, False, True, True]
    assert comparison.spearman == pytest.approx(1.0), "over what both rank"
    assert "Not ranked: nothing follows the last sentence." in render_comparison(comparison)
    lengths = compare(score(["A wolf came.", "The end."]), score(["A wolf came.", "The very end."]))
    assert "ot ranked" not in render_comparison(lengths)
