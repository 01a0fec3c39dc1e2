"""Measurements as JSON, and profiles rebuilt from them."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from barthes.models.counting import CountingModel
from barthes.narrative import Narrative
from barthes.salience.measurement import Measurement, RemovalLoss
from barthes.salience.mutual_information import MutualInformation
from barthes.salience.preview import Preview
from barthes.salience.removal_method import EventSalience, SentenceDeletion
from tests.strategies import narratives

STORY = Narrative.from_sentences(["A wolf came.", "It rained.", "The wolf ate.", "A girl ran.", "It died."])


@settings(deadline=None)
@given(narratives(max_size=8))
def test_a_measurement_survives_json_exactly(narrative):
    model = CountingModel([narrative.text])
    for method in (SentenceDeletion(model), Preview(model, horizon=3), MutualInformation(model)):
        measurement = method.measure(narrative)
        again = Measurement.from_dict(json.loads(json.dumps(measurement.to_dict())))
        profile, expected = method.present(narrative, again), method.score(narrative)
        assert profile == expected
        assert profile.influences == expected.influences
        if expected.stability is not None:
            assert np.array_equal(profile.stability.draws, expected.stability.draws)


def test_events_are_found_again():
    method = EventSalience(CountingModel([STORY.text]), method="paa")
    again = Measurement.from_dict(method.measure(STORY).to_dict())
    assert method.present(STORY, again) == method.score(STORY)
    assert method.score(STORY).surprise is None


def test_without_losses_there_are_scores_only():
    method = SentenceDeletion(CountingModel([STORY.text]))
    bare = Measurement.from_dict(replace(method.measure(STORY), losses=()).to_dict())
    profile = method.present(STORY, bare)
    assert profile.scores == method.score(STORY).scores
    assert (profile.influences, profile.stability) == (None, None)


def test_nan_and_large_numbers_are_kept():
    loss = RemovalLoss(0, 0.5, np.array([np.nan, 1e300]), np.array([0.0, 3.0]), rest=7, surprise=1e-300)
    [again] = Measurement.from_dict(Measurement((0.5,), losses=(loss,)).to_dict()).losses
    assert (again.index, again.total, again.rest, again.surprise) == (0, 0.5, 7, 1e-300)
    assert np.array_equal(again.later, loss.later, equal_nan=True)
    assert np.array_equal(again.tokens, loss.tokens)


GOOD = {"scores": [0.5, 0.25], "window": None, "notes": ["a note"]}


@pytest.mark.parametrize(
    "content",
    [
        None,
        [],
        "scores",
        {},
        GOOD | {"scores": [0.5, "much"]},
        GOOD | {"scores": [0.5, float("nan")]},
        GOOD | {"scores": [0.5, 1]},
        GOOD | {"window": 2.5},
        GOOD | {"window": True},
        GOOD | {"notes": [1]},
        GOOD | {"losses": {}},
        GOOD | {"losses": {"index": [0], "rest": [0], "sizes": [1], "later": "?", "tokens": "?"}},
    ],
)
def test_other_content_is_refused(content):
    assert Measurement.from_dict(GOOD) == Measurement((0.5, 0.25), None, ("a note",))
    with pytest.raises(ValueError, match=r"measurement|base64|characters"):
        Measurement.from_dict(content)
