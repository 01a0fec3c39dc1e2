"""Several texts in one pass give the same results as each alone."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.errors import ModelError
from barthes.models.forward_pass import ForwardPass
from barthes.models.shared_reading import SharedReading
from tests.models.edits import MODELS, edited_texts
from tests.tiny_models import tiny_model, tiny_network

TEXTS = [[0, *range(2, 14)], [0, 3, 4], [0, *range(4, 12)]]


ROUNDING = 5e-5  # nats: float32 products of different shapes differ by up to 1.4e-5 on some processors


@settings(max_examples=20, deadline=None)
@given(texts=st.lists(edited_texts(), min_size=1, max_size=4))
@pytest.mark.parametrize("pass_tokens", [1, 20, 1024])
def test_texts_that_are_read_together_are_independent(pass_tokens, texts):
    model = JOINT[pass_tokens]
    readings = model.read_together([(tokens, 1) for tokens, _ in texts])
    for reading, (tokens, edits) in zip(readings, texts, strict=True):
        assert isinstance(reading, SharedReading)
        alone = MODELS["llama"].read(tokens)
        np.testing.assert_allclose(reading.log_probabilities, alone.log_probabilities, atol=ROUNDING)
        for one, other in zip(reading.rescore(edits), alone.rescore(edits), strict=True):
            np.testing.assert_allclose(one, other, atol=ROUNDING)


JOINT = {size: tiny_model(pass_tokens=size) for size in (1, 20, 1024)}


def test_given_tokens_are_not_scored():
    [reading] = MODELS["llama"].read_together([(TEXTS[0], 5)])
    known = MODELS["llama"].read(TEXTS[0]).log_probabilities
    assert np.isnan(reading.log_probabilities[:4]).all()
    np.testing.assert_allclose(reading.log_probabilities[4:], known[4:], atol=1e-5)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("pass_tokens", [1, 12, 1024])
def test_embeddings_are_means_after_half_of_the_layers(name, pass_tokens):
    texts = [[0, 3, 4, 5], [0, *range(2, 14)], [0], [0, 7]]
    found = tiny_model(name, pass_tokens=pass_tokens).embed(texts)
    fresh = tiny_network(name).eval()
    for row, text in zip(found, texts, strict=True):
        with torch.inference_mode():
            states = fresh.base_model(torch.tensor([text]), output_hidden_states=True).hidden_states
        expected = states[2][0, 1:].mean(dim=0) if len(text) > 1 else torch.zeros(32)  # of 0, 1, 2, 3
        np.testing.assert_allclose(row, expected, atol=1e-4)


@pytest.mark.parametrize("name", MODELS)
def test_states_of_spans_are_means_after_the_given_layers(name):
    text, spans = [0, *range(2, 14)], [(1, 4), (4, 5), (6, 6), (7, 13)]
    found = tiny_model(name).average_states(text, spans, layers=[0, 1, 2])
    with torch.inference_mode():
        states = tiny_network(name).eval().base_model(torch.tensor([text]), output_hidden_states=True)
    assert found.shape == (4, 3, 32)
    assert not found[2].any()  # an empty span
    for row, (start, stop) in zip(found[[0, 1, 3]], [spans[0], spans[1], spans[3]], strict=True):
        expected = np.stack([layer[0, start:stop].mean(dim=0) for layer in states.hidden_states[:3]])
        np.testing.assert_allclose(row, expected, atol=1e-4)


def test_a_text_whose_states_do_not_fit_into_memory_is_an_error(monkeypatch):
    def fail(*args, **options):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(ForwardPass, "layer_states", fail)
    with pytest.raises(ModelError, match="not enough memory to read 13 tokens"):
        MODELS["llama"].average_states(TEXTS[0], [(1, 4)], layers=[1])


def read(model):
    return [reading.log_probabilities for reading in model.read_together([(text, 1) for text in TEXTS])]


def embed(model):
    return model.embed(TEXTS)


@pytest.mark.parametrize(("compute", "method"), [(read, "hidden_states"), (embed, "middle_states")])
def test_texts_that_do_not_fit_into_memory_together_are_split_into_passes(monkeypatch, compute, method):
    model = MODELS["llama"]
    expected = compute(model)
    forward, sizes, limit = getattr(ForwardPass, method), [], 14

    def limited(self, texts, plan):
        sizes.append(len(plan.positions))
        if sizes[-1] > limit:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return forward(self, texts, plan)

    monkeypatch.setattr(ForwardPass, method, limited)
    for found, one in zip(compute(model), expected, strict=True):
        np.testing.assert_allclose(found, one, atol=1e-5)
    assert max(sizes) > limit
    limit = 0
    with pytest.raises(ModelError, match=r"not enough memory to read 13 tokens"):
        compute(model)


def test_other_errors_are_not_treated_as_lack_of_memory(monkeypatch):
    def fail(*arguments):
        raise RuntimeError("index out of range")

    monkeypatch.setattr(ForwardPass, "middle_states", fail)
    with pytest.raises(RuntimeError, match="index out of range"):
        MODELS["llama"].embed(TEXTS)
