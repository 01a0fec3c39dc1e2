"""Every edit of a shared reading equals a separate computation, however edits are grouped into passes."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings

from barthes.errors import ModelError
from barthes.models.forward_pass import ForwardPass
from barthes.models.language_model import Edit
from barthes.models.shared_reading import SharedReading
from tests.models.edits import MODELS, edited_texts
from tests.tiny_models import by_hand, tiny_model, tiny_network

FRESH = {name: tiny_network(name).eval() for name in MODELS}


def limit_memory(monkeypatch, tokens):
    """Make passes of more tokens run out of memory; return the list of the sizes of all passes."""
    forward, sizes = ForwardPass.hidden_states, []

    def hidden_states(self, texts, plan):
        sizes.append(sum(map(len, texts)))
        if sizes[-1] > tokens:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return forward(self, texts, plan)

    monkeypatch.setattr(ForwardPass, "hidden_states", hidden_states)
    return sizes


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=40, deadline=None)
@given(text=edited_texts())
def test_every_edit_equals_a_separate_computation(name, text):
    tokens, edits = text
    reading = MODELS[name].read(tokens)
    assert isinstance(reading, SharedReading)
    expected = by_hand(FRESH[name], tokens[:1], tokens[1:])
    np.testing.assert_allclose(reading.log_probabilities, expected, atol=1e-4)
    for edit, found in zip(edits, reading.rescore(edits), strict=True):
        context = [*tokens[: edit.start], *edit.replacement]
        follows = tokens[edit.stop : edit.until]
        np.testing.assert_allclose(found, by_hand(FRESH[name], context, follows), atol=1e-4)


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=40, deadline=None)
@given(text=edited_texts())
def test_a_short_text_and_its_edits_in_one_pass_equal_separate_passes(name, text):
    tokens, edits = text
    reading = MODELS[name].read(tokens)
    rescored = reading.rescore(edits)
    plain = MODELS[name].read(tokens)
    np.testing.assert_allclose(reading.log_probabilities, plain.log_probabilities, atol=1e-5, rtol=1e-5)
    for found, expected in zip(rescored, plain.rescore(edits), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-5, rtol=1e-5)
    for found, expected in zip(reading.rescore(edits), plain.rescore(edits), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize(
    ("memory", "pass_tokens", "reach", "passes"),
    [
        (999, 1024, 99, [16 + 16 + 10]),
        (40, 1024, 99, [16 + 16 + 10, 16, 16 + 10]),
        (999, 41, 99, [16, 16 + 10]),
        (999, 24, 4, [16 + 4 + 4]),
    ],
)
def test_passes_of_a_text_and_its_edits(monkeypatch, memory, pass_tokens, reach, passes):
    """One pass for all; two if they do not fit into memory, or into one pass."""
    tokens, edits = [0, *range(2, 18)], [Edit(1, 1, (3,), 1 + reach), Edit(6, 7, (2,), 7 + reach)]
    model = tiny_model(pass_tokens=pass_tokens)
    plain = model.read(tokens)
    known, expected = plain.log_probabilities, list(plain.rescore(edits))
    sizes = limit_memory(monkeypatch, memory)
    reading = model.read(tokens)
    rescored = list(reading.rescore(edits))
    for found, separate in zip(rescored, expected, strict=True):
        np.testing.assert_allclose(found, separate, atol=1e-5)
    np.testing.assert_allclose(reading.log_probabilities, known, atol=1e-5)
    assert sizes == passes


@pytest.mark.parametrize("name", MODELS)
def test_states_of_spans_are_means_after_the_given_layers(name):
    text, spans = [0, *range(2, 14)], [(1, 4), (4, 5), (6, 6), (7, 13)]
    found = tiny_model(name).states(text, spans, layers=[0, 1, 2])
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

    monkeypatch.setattr(ForwardPass, "mean_states", fail)
    with pytest.raises(ModelError, match="not enough memory to read 4 tokens"):
        MODELS["llama"].states([0, 2, 3, 4], [(1, 4)], layers=[1])


def test_scores_do_not_depend_on_the_number_of_readers(two_threads):
    model = tiny_model(pass_tokens=30)
    tokens = [model.start_token, *(2 + place % 17 for place in range(60))]
    edits = [Edit(start, start + 3) for start in range(1, 40, 3)]
    reading = model.read(tokens)
    _ = reading.log_probabilities
    together = list(reading.rescore(edits))
    torch.set_num_threads(1)
    for mine, its in zip(together, reading.rescore(edits), strict=True):
        np.testing.assert_array_equal(mine, its)


def test_out_of_memory_halves_the_pass_and_continues(monkeypatch):
    tokens, edits = [0, *range(2, 18)], [Edit(i, i + 1) for i in range(1, 15)]
    expected = list(MODELS["llama"].read(tokens).rescore(edits))
    reading = MODELS["llama"].read(tokens)
    _ = reading.log_probabilities
    sizes = limit_memory(monkeypatch, 20)
    for one, other in zip(reading.rescore(edits), expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)
    assert sizes[0] > 20 >= sizes[-1]


@pytest.mark.parametrize(
    ("message", "kind", "expected"),
    [
        ("CPU: can't allocate memory: 1 bytes", ModelError, "not enough memory.*smaller window"),
        ("index out of range", RuntimeError, "index out of range"),
    ],
)
def test_errors_of_a_single_edit(monkeypatch, message, kind, expected):
    reading = MODELS["llama"].read([0, 1, 2, 3])

    def fail(*arguments):
        raise RuntimeError(message)

    monkeypatch.setattr(ForwardPass, "hidden_states", fail)
    with pytest.raises(kind, match=expected):
        list(reading.rescore([Edit(1, 2)]))
