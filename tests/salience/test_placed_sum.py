"""Cues, and a place in the story that counts the less the longer it is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.baselines import Length, Position, TfIdf
from barthes.methods import parse_formula
from barthes.narrative import Narrative
from barthes.salience.combination import SHORT, PlacedSum, add_placed, weigh_places

grid = st.integers(-30, 30).map(float)
rows = st.lists(st.tuples(grid, grid), min_size=1, max_size=40)


@given(rows)
def test_it_is_the_mean_of_the_scaled_scores_and_the_place(rows):
    columns = list(zip(*rows, strict=True))
    n = len(rows)
    for k, found in enumerate(add_placed(columns)):
        cues = [(c[k] - min(c)) / (max(c) - min(c)) if max(c) > min(c) else 0.0 for c in columns]
        place = min(1, SHORT / n) * k / (n - 1) if n > 1 else 0.0
        assert found == pytest.approx(sum(cues) / 2 + place)


@given(st.integers(1, 300))
def test_the_place_counts_less_in_longer_stories(sentences):
    places, more = weigh_places(sentences), weigh_places(sentences + 1)
    assert places[0] == 0.0
    assert np.all(np.diff(places) > 0)
    if sentences > 1:
        assert more.max() <= places.max() <= 1.0


def test_names():
    assert PlacedSum(Length(), TfIdf()).name == str(parse_formula("placed:length+tfidf"))
    assert PlacedSum(PlacedSum(Length()), TfIdf()).name == "placed:length+tfidf"
    assert (PlacedSum(Length()) + Position()).name == "(placed:length)+position"


def test_a_story_of_one_sentence_has_no_place():
    story = Narrative.from_sentences(["It rained."])
    assert PlacedSum(Length()).score(story).scores == (0.0,)


def test_its_draws_are_around_its_scores():
    story = Narrative.from_sentences(
        ["A wolf came to the village.", "It rained.", "The wolf ate the goat of the old man.", "He wept."]
    )
    profile = PlacedSum(Length(), TfIdf()).score(story)
    assert profile.stability is not None
    bounds = zip(profile.stability.low, profile.scores, profile.stability.high, strict=True)
    assert all(low - 1e-9 <= score <= high + 1e-9 for low, score, high in bounds)
    assert profile.stability.draws.mean(axis=0) == pytest.approx(profile.scores, abs=0.05)
