"""Sentence deletion with a horizon."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.narrative import Narrative
from barthes.salience.removal_method import Preview, SentenceDeletion
from tests.tiny_models import WORDS, by_hand, tiny_model, tiny_network

MODEL = tiny_model()
FRESH = tiny_network().eval()
sentences = st.lists(st.sampled_from(WORDS[2:]), min_size=1, max_size=6).map(" ".join)


@settings(max_examples=25, deadline=None)
@given(st.lists(sentences, min_size=1, max_size=7), st.integers(1, 50))
def test_it_is_the_sum_of_the_near_losses_over_the_whole_rest(texts, horizon):
    story = Narrative.from_sentences(texts)
    pieces = MODEL.encode([str(sentence) for sentence in story])
    found = Preview(MODEL, horizon=horizon).score(story)
    for k, score in enumerate(found.scores):
        before = [MODEL.start_token, *(token for ids in pieces[:k] for token in ids)]
        after = [token for ids in pieces[k + 1 :] for token in ids] or [MODEL.end_token]
        near = after[:horizon]
        told = by_hand(FRESH, [*before, *pieces[k]], near)
        without = by_hand(FRESH, before, near)
        assert score == pytest.approx((told - without).sum() / len(after), abs=1e-4)


def test_what_was_not_read_has_no_influence():
    story = Narrative.from_sentences(["the wolf came .", "it rained .", "a girl ran .", "the wolf ate ."])
    exact = SentenceDeletion(MODEL).score(story)
    found = Preview(MODEL, horizon=4).score(story)
    assert [len(column) for column in found.influences.columns] == [2, 1, 1, 0]
    np.testing.assert_allclose(found.influences.columns[0][0], exact.influences.columns[0][0], atol=1e-5)
    assert any("An estimate" in note for note in found.notes)
    assert not any("An estimate" in note for note in exact.notes)


def test_a_far_horizon_is_exact():
    story = Narrative.from_sentences(["the wolf came .", "it rained .", "a girl ran ."])
    found = Preview(MODEL, horizon=999).score(story)
    assert found.scores == pytest.approx(SentenceDeletion(MODEL).score(story).scores, abs=1e-6)
    assert found.notes == ()


def test_progress_counts_what_is_read():
    story = Narrative.from_sentences(["the wolf came ."] * 8)
    steps = []
    Preview(MODEL, horizon=2).score(story, progress=lambda done, total: steps.append((done, total)))
    assert steps[-1][0] == steps[-1][1] == 1 + 8 * 4 + 7 * 2


def test_no_horizon_is_refused():
    with pytest.raises(ValueError, match="too short"):
        Preview(MODEL, horizon=0)
