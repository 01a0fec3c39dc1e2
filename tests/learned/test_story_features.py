"""Features of sentences and events: shapes, centring, predicates, stories that do not fit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.annotation.annotator import annotate
from barthes.learned.story_features import LAYERS, PLACES, _divide, read_features
from barthes.models.counting import CountingModel
from barthes.narrative import Narrative
from barthes.removal.anonymization import remove_single_events
from tests.tiny_models import WORDS

STORY = Narrative.from_sentences(
    ["A wolf came to the king.", "It rained.", "The wolf ate and ran, and died."]
)
MODEL = CountingModel([STORY.text])


class ShortModel(CountingModel):
    context_length = 30


def test_states_of_sentences_are_means_over_their_tokens():
    found = read_features(MODEL, STORY)
    tokens = MODEL.encode([str(sentence) for sentence in STORY])
    counts = np.array([np.bincount(ids, minlength=len(MODEL.vocabulary)) / len(ids) for ids in tokens])
    centred = counts - counts.mean(axis=0)  # this model forgets what came before
    np.testing.assert_allclose(found.states, np.repeat(centred[:, None], len(LAYERS), axis=1))
    assert found.cues.shape == (3, 5)
    assert found.places.shape == (3, PLACES)
    assert found.story[-2:].tolist() == pytest.approx([np.log(3), np.log(np.mean([7, 3, 9]))])


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join), min_size=1, max_size=8)
)
def test_features_are_centred_and_finite(sentences):
    found = read_features(MODEL, Narrative.from_sentences(sentences))
    for values in (found.states, found.cues, found.places):
        assert np.isfinite(values).all()
        np.testing.assert_allclose(values.sum(axis=0), 0, atol=1e-9)


def test_the_state_of_an_event_is_that_of_its_predicate():
    events, _ = remove_single_events(STORY, annotate(STORY), arguments=False)
    words = [STORY.text[slice(*event.predicate.span)] for _, event in events]
    assert words == ["came", "rained", "ate", "ran", "died"]
    found = read_features(MODEL, STORY, events=events)
    ids = [MODEL.vocabulary.index(word) for word in words]
    assert found.states[:, 0].argmax(axis=1).tolist() == ids  # also after centring


def test_whitespace_does_not_move_predicates():
    text = "The old\r\n    wolf  came\r\n    home and ate."
    story = Narrative(text, ((0, len(text)),))
    events, _ = remove_single_events(story, annotate(story), arguments=False)
    found = read_features(CountingModel([text]), story, events=events)
    words = [CountingModel([text]).vocabulary[k] for k in found.states[:, 0].argmax(axis=1)]
    assert words == [text[slice(*event.predicate.span)] for _, event in events] == ["came", "ate"]


def test_a_sentence_that_does_not_fit_is_read_in_part_with_a_note():
    story = Narrative.from_sentences(["It rained.", "The wolf came " * 10 + "home."])
    events, _ = remove_single_events(story, annotate(story), arguments=False)
    for found, units in (
        (read_features(ShortModel([story.text]), story), 2),
        (read_features(ShortModel([story.text]), story, events=events), len(events)),
    ):
        assert len(found.states) == units
        assert found.notes[0].startswith("Sentence 2 has 32 tokens")


@given(st.lists(st.integers(1, 6), min_size=5, max_size=60))
def test_parts_cover_the_story_and_none_is_tiny(sizes):
    parts = list(_divide([[0] * size for size in sizes], 14))
    assert [start for start, _ in parts] == [0, *(stop for _, stop in parts[:-1])]
    assert parts[-1][1] == len(sizes)
    totals = [sum(sizes[start:stop]) for start, stop in parts]
    assert max(totals) < 28
    assert len(parts) == 1 or min(totals) >= sum(sizes) / len(parts) - 6  # at most one sentence less


def test_a_story_that_does_not_fit_is_read_in_parts():
    story = Narrative.from_sentences(["The wolf came to the king."] * 12)
    seen = []
    found = read_features(
        ShortModel([story.text]), story, progress=lambda done, total: seen.append((done, total))
    )
    assert "parts" in found.notes[0]
    assert len(found.states) == 12
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1][0] == seen[-1][1]


def test_a_single_sentence_and_no_events():
    alone = Narrative.from_sentences(["Rain."])
    found = read_features(MODEL, alone)
    assert not found.states.any()
    assert not found.places.any()
    assert read_features(MODEL, alone, events=[]).states.shape[0] == 0
