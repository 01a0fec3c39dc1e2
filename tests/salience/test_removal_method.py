"""Scores as they come: what a listener hears is what the profile says."""

from __future__ import annotations

import numpy as np
import pytest

import barthes
from tests.tiny_models import tiny_model

STORY = barthes.Narrative.from_sentences(
    ["A wolf came.", "The king slept.", "The wolf ate the sheep.", "It rained.", "The girl ran."]
)


def test_each_loss_is_told_in_story_order_and_is_that_of_the_profile():
    method = barthes.SentenceDeletion(tiny_model())
    heard = []
    profile = method.score(STORY, on_loss=heard.append)
    assert [loss.index for loss in heard] == [0, 1, 2, 3, 4]
    assert tuple(loss.total for loss in heard) == profile.scores
    for loss, column in zip(heard, profile.influences.columns, strict=True):
        assert np.array_equal(loss.later, column)


def test_listening_changes_nothing():
    method = barthes.SentenceDeletion(tiny_model())
    assert method.score(STORY, on_loss=lambda loss: None) == method.score(STORY)


def test_a_loss_is_told_before_the_next_progress():
    """So that those who listen see scores and progress grow together, and can stop in between."""
    told = []
    model = barthes.CountingModel([STORY.text])
    barthes.SentenceDeletion(model).score(
        STORY, progress=lambda done, total: told.append("progress"), on_loss=lambda loss: told.append("loss")
    )
    assert told == ["progress", *["progress", "loss"] * 5]


LONG = barthes.Narrative.from_sentences(["The wolf ate the sheep and the king slept ."] * 40)


@pytest.mark.parametrize("window", [None, 300])
def test_of_a_long_story_the_end_is_glimpsed_first_and_nothing_changes(window):
    model = tiny_model(context=1024)
    heard = []
    profile = barthes.SentenceDeletion(model, window=window).score(LONG, on_loss=heard.append)
    glimpsed = len(heard) - len(LONG)
    assert glimpsed > (2 if window is None else 0)
    places = [loss.index for loss in heard]
    assert places[:glimpsed] == sorted(places[:glimpsed])
    assert places[glimpsed:] == list(range(40))
    assert tuple(loss.total for loss in heard[glimpsed:]) == profile.scores
    for loss in heard[:glimpsed]:
        assert loss.total == pytest.approx(profile.scores[loss.index], abs=1e-5)
        assert loss.later == pytest.approx(profile.influences.columns[loss.index], abs=1e-5, nan_ok=True)
    assert profile == barthes.SentenceDeletion(model, window=window).score(LONG)
