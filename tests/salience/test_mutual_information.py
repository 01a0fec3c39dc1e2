"""Mutual information against separate computations of both likelihoods."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.models.counting import CountingModel
from barthes.models.windows import predict_tokens
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
def test_scores_are_differences_of_two_likelihoods(sentences):
    story = Narrative.from_sentences(sentences)
    pieces = MODEL.encode([str(sentence) for sentence in story])
    found = MutualInformation(MODEL).score(story)
    before: list[int] = []
    for ids, score in zip(pieces, found.scores, strict=True):
        after = by_hand(FRESH, [MODEL.start_token, *before], ids).sum()
        alone = by_hand(FRESH, [MODEL.start_token], ids).sum()
        assert score == pytest.approx(after - alone, abs=1e-3)
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
    ids = [token for piece in MODEL.encode(sentences) for token in piece]
    size, step = MODEL.context_length - 1, (MODEL.context_length - 1) // 2
    after = list(by_hand(FRESH, [MODEL.start_token], ids[:size]))
    while len(after) < len(ids):  # each window starts with the second half of the one before
        start = len(after) - (size - step)
        after += list(by_hand(FRESH, [MODEL.start_token, *ids[start : len(after)]], ids[len(after) :][:step]))
    width = len(MODEL.encode(["", sentences[0]])[1])
    alone = by_hand(FRESH, [MODEL.start_token], MODEL.encode(sentences[:2])[1]).sum()
    for k in (1, 30, 59):
        assert profile.scores[k] == pytest.approx(sum(after[k * width : (k + 1) * width]) - alone, abs=1e-3)
    assert profile.window == MODEL.context_length
    assert "at most 128 tokens before each" in profile.notes[-1]
    total = 2 * len(ids)
    assert steps == sorted(steps)
    assert {each for _, each in steps} == {total}
    assert (steps[0][0], steps[-1][0]) == (0, total)
    assert sum(0 < done < total / 2 for done, _ in steps) > 1, "reading the story reports progress too"
    assert total / 2 in [done for done, _ in steps]
    assert (profile.method, profile.model) == ("pmi", MODEL.name)


def test_a_sentence_longer_than_the_context_is_read_alone_in_windows():
    long = " ".join(["the wolf ate a sheep ."] * 30)
    story = Narrative.from_sentences(["a girl came .", long])
    ids = MODEL.encode([str(sentence) for sentence in story])[1]
    assert len(ids) > MODEL.context_length
    alone = predict_tokens(MODEL, ids).sum()
    after = predict_tokens(
        MODEL, [token for piece in MODEL.encode(["a girl came .", long]) for token in piece]
    )
    expected = after[-len(ids) :].sum() - alone
    assert MutualInformation(MODEL).score(story).scores[1] == pytest.approx(expected, abs=1e-3)
