"""The sentence after the story, against the sentence alone."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.models.counting import CountingModel
from barthes.narrative import Narrative
from barthes.salience.mutual_information import MutualInformation
from tests.tiny_models import WORDS, by_hand, tiny_model, tiny_network

MODEL = tiny_model()
FRESH = tiny_network().eval()
stories = st.lists(
    st.lists(st.sampled_from(WORDS[2:]), min_size=1, max_size=6).map(" ".join), min_size=1, max_size=6
)


@settings(max_examples=25, deadline=None)
@given(stories)
def test_it_is_the_difference_of_two_likelihoods(sentences):
    story = Narrative.from_sentences(sentences)
    pieces = MODEL.encode([str(sentence) for sentence in story])
    found = MutualInformation(MODEL).score(story)
    before: list[int] = []
    for ids, score in zip(pieces, found.scores, strict=True):
        told = by_hand(FRESH, [MODEL.start_token, *before], ids).sum()
        alone = by_hand(FRESH, [MODEL.start_token], ids).sum()
        assert score == pytest.approx(told - alone, abs=1e-3)
        before += ids
    assert found.scores[0] == 0.0


def test_by_hand():
    model = CountingModel(["a b a c"], k=1.0)
    story = Narrative.from_sentences(["a", "b"])
    start = model.continuation_log_probabilities([model.start_token], model.encode(["b"])[0])
    after = model.continuation_log_probabilities(model.encode(["a"])[0], model.encode(["b"])[0])
    expected = float(after[0] - start[0])
    assert MutualInformation(model).score(story).scores == pytest.approx((0.0, expected))
    assert expected > math.log(1.5)


def test_long_stories_are_read_in_windows():
    sentences = ["the wolf ate a sheep ."] * 60
    story = Narrative.from_sentences(sentences)
    steps = []
    profile = MutualInformation(MODEL).score(story, progress=lambda done, total: steps.append((done, total)))
    assert np.isfinite(profile.scores).all()
    assert steps == sorted(steps)
    assert steps[-1][0] == steps[-1][1]
    assert (profile.method, profile.model) == ("pmi", MODEL.name)
