from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import RobertaConfig, RobertaForCausalLM

from barthes.errors import ModelError
from barthes.models.causal import CausalModel
from barthes.models.forward_pass import ForwardPass
from barthes.models.language_model import Edit, PlainReading
from tests.tiny_models import WORDS, by_hand, tiny_model, tiny_network, tiny_tokenizer

ARCHITECTURES = ["llama", "gpt2", "neox"]
MODELS = {name: tiny_model(name) for name in [*ARCHITECTURES, "mistral"]}
FRESH = {name: tiny_network(name).eval() for name in MODELS}

token_lists = st.lists(st.integers(0, len(WORDS) + 1), min_size=3, max_size=30)


@st.composite
def edited_texts(draw):
    tokens = draw(token_lists)
    cut = st.tuples(st.integers(1, len(tokens)), st.integers(1, len(tokens)))
    replacement = st.lists(st.integers(0, len(WORDS) + 1), max_size=3).map(tuple)
    reach = st.none() | st.integers(1, 40)
    edits = draw(st.lists(st.tuples(cut, replacement, reach), min_size=1, max_size=5))
    return tokens, [
        Edit(min(cut), max(cut), new, None if reach is None else max(cut) + reach)
        for cut, new, reach in edits
    ]


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_plain_architectures_share_the_prefix(name):
    assert MODELS[name].shares_prefix


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=40, deadline=None)
@given(text=edited_texts())
def test_every_edit_equals_a_computation_of_its_own(name, text):
    tokens, edits = text
    reading = MODELS[name].read(tokens)
    np.testing.assert_allclose(
        reading.log_probabilities, by_hand(FRESH[name], tokens[:1], tokens[1:]), atol=1e-4
    )
    for edit, found in zip(edits, reading.rescore(edits), strict=True):
        context = [*tokens[: edit.start], *edit.replacement]
        follows = tokens[edit.stop : edit.until]
        np.testing.assert_allclose(found, by_hand(FRESH[name], context, follows), atol=1e-4)


@settings(max_examples=20, deadline=None)
@given(texts=st.lists(edited_texts(), min_size=1, max_size=4), pass_tokens=st.sampled_from([1, 20, 1024]))
def test_texts_that_are_read_together_do_not_see_each_other(texts, pass_tokens):
    model = tiny_model(pass_tokens=pass_tokens)
    for reading, (tokens, edits) in zip(model.read_together([(t, 1) for t, _ in texts]), texts, strict=True):
        alone = MODELS["llama"].read(tokens)
        np.testing.assert_allclose(reading.log_probabilities, alone.log_probabilities, atol=1e-5)
        for one, other in zip(reading.rescore(edits), alone.rescore(edits), strict=True):
            np.testing.assert_allclose(one, other, atol=1e-5)


def test_what_is_given_is_not_scored():
    tokens = [0, *range(2, 14)]
    [reading] = tiny_model().read_together([(tokens, 5)])
    known = MODELS["llama"].read(tokens).log_probabilities
    assert np.isnan(reading.log_probabilities[:4]).all()
    np.testing.assert_allclose(reading.log_probabilities[4:], known[4:], atol=1e-5)


def test_texts_that_do_not_fit_together_are_read_one_by_one(monkeypatch):
    texts = [[0, *range(2, 14)], [0, 3, 4], [0, *range(4, 12)]]
    model = tiny_model()
    expected = [model.read(tokens).log_probabilities for tokens in texts]
    forward, sizes = ForwardPass.hidden_states, []

    def small_memory(self, ids, positions, plan):
        sizes.append(len(ids))
        if len(ids) > 14:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return forward(self, ids, positions, plan)

    monkeypatch.setattr(ForwardPass, "hidden_states", small_memory)
    found = model.read_together([(tokens, 1) for tokens in texts])
    assert max(sizes) > 14
    for reading, one in zip(found, expected, strict=True):
        np.testing.assert_allclose(reading.log_probabilities, one, atol=1e-5)


@settings(max_examples=20, deadline=None)
@given(text=edited_texts(), pass_tokens=st.integers(1, 64))
def test_scores_do_not_depend_on_how_many_edits_go_together(text, pass_tokens):
    tokens, edits = text
    together = list(MODELS["llama"].read(tokens).rescore(edits))
    apart = list(tiny_model(pass_tokens=pass_tokens).read(tokens).rescore(edits))
    for one, other in zip(together, apart, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)


def test_sliding_windows_are_read_edit_by_edit():
    model = MODELS["mistral"]
    assert not model.shares_prefix
    assert isinstance(model.read([0, 1, 2]), PlainReading)


def test_out_of_memory_halves_the_pass_and_goes_on(monkeypatch):
    model = tiny_model()
    tokens = [0, *range(2, 18)]
    edits = [Edit(i, i + 1) for i in range(1, 15)]
    expected = list(model.read(tokens).rescore(edits))
    reading = model.read(tokens)
    forward, sizes = reading._forward.hidden_states, []

    def small_memory(ids, positions, plan):
        sizes.append(len(ids))
        if len(ids) > 20:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return forward(ids, positions, plan)

    monkeypatch.setattr(ForwardPass, "hidden_states", staticmethod(small_memory))
    found = list(reading.rescore(edits))
    assert max(sizes) > 20
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)


def test_a_single_text_too_large_for_memory_is_explained(monkeypatch):
    reading = tiny_model().read([0, 1, 2, 3])

    def no_memory(ids, positions, plan):
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 1 bytes")

    monkeypatch.setattr(ForwardPass, "hidden_states", staticmethod(no_memory))
    with pytest.raises(ModelError, match=r"not enough memory.*smaller window"):
        list(reading.rescore([Edit(1, 2)]))


def test_other_failures_are_not_taken_for_lack_of_memory(monkeypatch):
    reading = tiny_model().read([0, 1, 2, 3])

    def broken(ids, positions, plan):
        raise RuntimeError("index out of range")

    monkeypatch.setattr(ForwardPass, "hidden_states", staticmethod(broken))
    with pytest.raises(RuntimeError, match="index out of range"):
        list(reading.rescore([Edit(1, 2)]))


def test_sentences_are_tokenised_one_by_one():
    model = MODELS["llama"]
    pieces = ["the wolf came .", "it rained .", "a girl ran ."]
    whole = model.encode(pieces)
    assert model.encode([pieces[0], pieces[2]]) == [whole[0], whole[2]]


def test_the_fingerprint_follows_the_weights():
    model = tiny_model()
    before = model.fingerprint
    assert before == tiny_model().fingerprint
    other = tiny_model()
    with torch.no_grad():
        next(other.network.parameters())[0, 0] += 1
    assert other.fingerprint != before


def test_the_fingerprint_follows_the_architecture():
    network = tiny_network()
    network.config.rope_parameters["rope_theta"] = 77.0
    other = CausalModel(network, tiny_tokenizer(), name="other")
    assert other.fingerprint != tiny_model().fingerprint


def test_models_that_see_the_future_are_refused():
    torch.manual_seed(0)
    size = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48}
    network = RobertaForCausalLM(RobertaConfig(vocab_size=len(WORDS) + 2, is_decoder=False, **size))
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    with pytest.raises(ValueError, match="not a causal model"):
        CausalModel(network, tiny_tokenizer(), name="roberta")


def test_lack_of_memory_at_the_first_reading_is_explained(monkeypatch):
    def no_memory(*arguments, **options):
        raise torch.OutOfMemoryError("CUDA out of memory")

    model = tiny_model()
    monkeypatch.setattr(model.network.base_model, "forward", no_memory)
    with pytest.raises(ModelError, match="not enough memory to read 4 tokens"):
        model.read([0, 1, 2, 3])


def test_texts_start_and_end_with_the_tokens_of_texts_not_of_messages():
    chat = tiny_tokenizer()
    chat.add_special_tokens({"eos_token": "<|im_end|>", "bos_token": "<|im_start|>"})
    network = tiny_network()
    network.resize_token_embeddings(len(chat))
    model = CausalModel(network, chat, name="chat")
    assert (model.start_token, model.end_token) == (0, 0)


def test_a_story_that_names_a_special_token_does_not_end():
    tokenised = MODELS["llama"].encode(["the wolf <|endoftext|> ran"])[0]
    assert MODELS["llama"].end_token not in tokenised


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("pass_tokens", [1, 12, 1024])
def test_embeddings_are_means_half_way_up(name, pass_tokens):
    texts = [[0, 3, 4, 5], [0, *range(2, 14)], [0], [0, 7]]
    found = tiny_model(name, pass_tokens=pass_tokens).embed(texts)
    for row, text in zip(found, texts, strict=True):
        with torch.inference_mode():
            states = FRESH[name].base_model(torch.tensor([text]), output_hidden_states=True).hidden_states
        expected = states[2][0, 1:].mean(dim=0) if len(text) > 1 else torch.zeros(32)  # of 0, 1, 2, 3
        np.testing.assert_allclose(row, expected, atol=1e-4)


def test_embeddings_that_do_not_fit_together_are_made_in_halves(monkeypatch):
    texts = [[0, *range(2, 14)], [0, 3, 4], [0, *range(4, 12)]]
    model = tiny_model()
    expected = model.embed(texts)
    forward, sizes = ForwardPass.middle_states, []

    def small_memory(self, ids, positions, plan):
        sizes.append(len(ids))
        if len(ids) > 14:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return forward(self, ids, positions, plan)

    monkeypatch.setattr(ForwardPass, "middle_states", small_memory)
    np.testing.assert_allclose(model.embed(texts), expected, atol=1e-5)
    assert max(sizes) > 14

    def no_memory(self, ids, positions, plan):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(ForwardPass, "middle_states", no_memory)
    with pytest.raises(ModelError, match="not enough memory"):
        model.embed(texts)
