"""Influence as a band and as a matrix."""

from __future__ import annotations

import numpy as np
import pytest

from barthes.models.counting import CountingModel
from barthes.narrative import Narrative
from barthes.salience.influence import Influence
from barthes.salience.preview import Preview
from barthes.salience.removal_method import SentenceDeletion

STORY = Narrative.from_sentences(["the wolf came .", "it rained .", "a girl ran .", "the wolf ate ."])
MODEL = CountingModel([STORY.text])


def test_influence_adds_up_to_salience():
    profile = SentenceDeletion(MODEL).score(STORY)
    lengths = np.array([len(ids) for ids in MODEL.encode([str(sentence) for sentence in STORY])])
    for k in range(len(STORY) - 1):
        later = slice(k + 1, None)
        mean = (profile.influence[later, k] * lengths[later]).sum() / lengths[later].sum()
        assert profile.scores[k] == pytest.approx(mean, abs=1e-9)
    assert np.isnan(profile.influence[np.triu_indices(len(STORY))]).all()


def test_what_was_not_read_has_no_influence():
    exact = SentenceDeletion(MODEL).score(STORY)
    found = Preview(MODEL, horizon=4).score(STORY)
    assert [len(column) for column in found.influences.columns] == [2, 1, 1, 0]
    assert found.influences.columns[0][0] == pytest.approx(exact.influences.columns[0][0], abs=1e-9)
    assert any("Estimated" in note for note in found.notes)
    assert not any("Estimated" in note for note in exact.notes)


def test_a_long_story_keeps_a_narrow_band():
    long = Narrative.from_sentences([*map(str, STORY)] * 500)
    profile = SentenceDeletion(MODEL, window=40).score(long)
    assert max(len(column) for column in profile.influences.columns) < 20


def test_lists_and_equality():
    known = Influence((np.array([0.5, np.nan]), np.array([1.0]), np.array([])))
    assert known.to_lists() == [[0.5, None], [1.0], []]
    assert Influence.from_lists(known.to_lists()) == known
    assert known != Influence(known.columns[:2])
    assert known != Influence((np.array([0.5, np.nan]), np.array([2.0]), np.array([])))
    assert known != "influence"
    for wrong in ([3.0], [["much"]]):
        with pytest.raises((TypeError, ValueError)):
            Influence.from_lists(wrong)


def test_the_influence_between_groups_is_the_mean_of_what_is_known():
    draw = np.random.default_rng(3)
    columns = tuple(draw.normal(size=min(7, 19 - k)) for k in range(20))
    columns[4][2] = np.nan
    influence, starts = Influence(columns), [0, 5, 6, 15]
    edges = [*starts, 20]
    found, dense = influence.average(starts).to_array(), influence.to_array()
    for later in range(4):
        for earlier in range(4):
            block = dense[edges[later] : edges[later + 1], edges[earlier] : edges[earlier + 1]]
            known = block[np.isfinite(block)]
            expected = known.mean() if later > earlier and len(known) else np.nan
            assert found[later, earlier] == pytest.approx(expected, nan_ok=True)
