"""The wrapper of transformers models: tokens, fingerprints, and which models use shared readings."""

from __future__ import annotations

import pickle
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from transformers import RobertaConfig, RobertaForCausalLM

from barthes.errors import ModelError
from barthes.models import attention, causal
from barthes.models.causal import CausalModel
from barthes.models.forward_pass import ForwardPass
from barthes.models.language_model import PlainReading
from tests.models.edits import MODELS
from tests.tiny_models import WORDS, by_hand, tiny_model, tiny_network, tiny_tokenizer


@pytest.mark.parametrize("name", MODELS)
def test_causal_attention_shares_the_prefix(name):
    assert MODELS[name].shares_prefix
    assert MODELS[name].notes == ()


def test_other_attention_is_read_edit_by_edit_with_a_note(monkeypatch):
    monkeypatch.setattr(causal, "_depends_on_length", lambda config: True)
    model = tiny_model()
    assert not model.shares_prefix
    assert isinstance(model.read([0, 1, 2]), PlainReading)
    reason = "its attention cannot be shared, so the text is read again for every sentence."
    assert model.notes == (f"tiny-llama is slow: {reason}",)


def test_windows_that_a_network_does_not_pass_on_are_not_shared(monkeypatch):
    """Such a network would read a text beyond its window as if it had none."""
    network = tiny_network("mistral", sliding_window=60)
    network.config.sliding_window = 50
    monkeypatch.setattr(attention, "_configured_window", lambda module, layer: 60)
    model = CausalModel(network, tiny_tokenizer(), name="mistral")
    assert not model.shares_prefix
    np.testing.assert_allclose(
        model.read([0, 3, 4, 5]).log_probabilities,
        by_hand(tiny_network("mistral", sliding_window=60).eval(), [0], [3, 4, 5]),
        atol=1e-5,
    )


def test_windows_of_layers_that_have_none_do_not_matter():
    network = tiny_network("gemma3", layer_types=["full_attention"] * 3)
    assert CausalModel(network, tiny_tokenizer(), name="full").shares_prefix


@pytest.mark.parametrize(
    "fields",
    [
        {"rope_parameters": {"rope_type": "dynamic", "factor": 2.0}},
        {"rope_parameters": {"full_attention": {"rope_type": "longrope"}}},
        {"rope_scaling": {"type": "su"}},
        {"layer_types": ["chunked_attention", "full_attention"]},
    ],
)
def test_attention_that_changes_with_the_length_is_not_shared(fields):
    assert causal._depends_on_length(SimpleNamespace(**fields))
    plain = {"rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": 1e4}}}
    assert not causal._depends_on_length(SimpleNamespace(**plain))


def test_a_network_that_fails_with_the_shared_attention_keeps_its_own(monkeypatch):
    def fail(*arguments):
        raise RuntimeError("expected another shape")

    monkeypatch.setattr(ForwardPass, "hidden_states", fail)
    model = tiny_model()
    assert not model.shares_prefix
    expected = by_hand(tiny_network().eval(), [0], [3, 4, 5])
    np.testing.assert_allclose(model.read([0, 3, 4, 5]).log_probabilities, expected, atol=1e-5)


@pytest.mark.parametrize("method", ["hidden_states", "log_probabilities"])
def test_out_of_memory_is_not_taken_for_unsupported_attention(monkeypatch, method):
    def fail(*arguments):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(ForwardPass, method, fail)
    with pytest.raises(ModelError, match="not enough memory"):
        tiny_model()


def test_weights_that_are_not_numbers_are_called_so():
    network = tiny_network()
    with torch.no_grad():
        network.get_output_embeddings().weight.fill_(float("nan"))
    with pytest.raises(ModelError, match="NaN"):
        CausalModel(network, tiny_tokenizer(), name="damaged")


def test_low_precision_is_noted():
    model = CausalModel(tiny_network(), tiny_tokenizer(), name="tiny", products=torch.bfloat16)
    assert (model.precision, len(model.notes)) == ("bfloat16", 1)


def test_models_that_use_later_tokens_are_refused():
    torch.manual_seed(0)
    size = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48}
    network = RobertaForCausalLM(RobertaConfig(vocab_size=len(WORDS) + 2, is_decoder=False, **size))
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    with pytest.raises(ValueError, match="not a causal model"):
        CausalModel(network, tiny_tokenizer(), name="roberta")


def test_it_can_be_pickled():
    model = pickle.loads(pickle.dumps(MODELS["llama"]))
    expected = MODELS["llama"].read([0, 3, 4, 5]).log_probabilities
    assert model.read([0, 3, 4, 5]).log_probabilities.tolist() == expected.tolist()


def test_sentences_are_tokenised_independently():
    model = MODELS["llama"]
    pieces = ["the wolf came .", "it rained .", "a girl ran ."]
    whole = model.encode(pieces)
    assert model.encode([pieces[0], pieces[2]]) == [whole[0], whole[2]]


def test_the_fingerprint_depends_on_weights_and_architecture():
    before = tiny_model().fingerprint
    assert before == tiny_model().fingerprint
    other = tiny_model()
    with torch.no_grad():
        next(other.network.parameters())[0, 0] += 1
    assert other.fingerprint != before
    network = tiny_network()
    network.config.rope_parameters["rope_theta"] = 77.0
    assert CausalModel(network, tiny_tokenizer(), name="other").fingerprint != before


def test_texts_start_and_end_with_end_of_text_not_with_the_end_of_a_message():
    chat = tiny_tokenizer()
    chat.add_special_tokens({"eos_token": "<|im_end|>", "bos_token": "<|im_start|>"})
    network = tiny_network()
    network.resize_token_embeddings(len(chat))
    model = CausalModel(network, chat, name="chat")
    assert (model.start_token, model.end_token) == (0, 0)


def test_special_tokens_in_a_story_are_plain_text():
    tokenised = MODELS["llama"].encode(["the wolf <|endoftext|> ran"])[0]
    assert MODELS["llama"].end_token not in tokenised
