"""Embedding similarity against a separate computation."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.errors import ModelError
from barthes.models.counting import CountingModel
from barthes.narrative import Narrative
from barthes.salience.embedding_similarity import EmbeddingSimilarity
from tests.tiny_models import WORDS, tiny_model, tiny_network

MODEL = tiny_model()
FRESH = tiny_network().eval()
stories = st.lists(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join), min_size=1, max_size=8
)


def embed_by_hand(ids):
    with torch.inference_mode():
        states = FRESH.base_model(torch.tensor([[MODEL.start_token, *ids]]), output_hidden_states=True)
    return states.hidden_states[2][0, 1:].double().mean(dim=0).numpy()


@settings(max_examples=25, deadline=None)
@given(stories)
def test_scores_are_cosines_with_the_mean(sentences):
    story = Narrative.from_sentences(sentences)
    vectors = [embed_by_hand(MODEL.encode([str(sentence)])[0]) for sentence in story]
    whole = np.mean(vectors, axis=0)
    expected = [v @ whole / np.linalg.norm(v) / np.linalg.norm(whole) for v in vectors]
    assert EmbeddingSimilarity(MODEL).score(story).scores == pytest.approx(tuple(expected), abs=1e-5)


@settings(max_examples=25, deadline=None)
@given(stories, st.randoms())
def test_the_order_of_the_sentences_does_not_matter(sentences, random):
    model = CountingModel(sentences)
    shuffled = random.sample(sentences, len(sentences))

    def score(sentences):
        return EmbeddingSimilarity(model).score(Narrative.from_sentences(sentences)).scores

    found = dict(zip(sentences, score(sentences), strict=True))
    assert [found[each] for each in shuffled] == pytest.approx(score(shuffled))


def test_a_sentence_longer_than_the_context_is_read_as_far_as_it_fits():
    words = ["the wolf ate a sheep ."] * 30
    story = Narrative.from_sentences([" ".join(words), "a girl came ."])
    steps = []
    profile = EmbeddingSimilarity(MODEL).score(story, progress=lambda *step: steps.append(step))
    ids = [MODEL.encode([str(sentence)])[0][: MODEL.context_length - 1] for sentence in story]
    vectors = [embed_by_hand(each) for each in ids]
    whole = np.mean(vectors, axis=0)
    expected = [v @ whole / np.linalg.norm(v) / np.linalg.norm(whole) for v in vectors]
    assert profile.scores == pytest.approx(tuple(expected), abs=1e-5)
    assert profile.notes == ("Sentences cut off because they fill the model's context: 1.",)
    assert steps == [(0, 2), (2, 2)]
    assert (profile.method, profile.model, profile.precision) == ("embedding", MODEL.name, "float32")
    assert profile.influences is None


def test_nan_is_refused():
    class Broken(CountingModel):
        def embed(self, texts):
            return np.full((len(texts), 3), np.nan)

    with pytest.raises(ModelError, match="not numbers"):
        EmbeddingSimilarity(Broken(["a"])).score(Narrative.from_sentences(["a"]))
