"""The embedded model without transformers equals transformers."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoTokenizer

from barthes.models.causal import CausalModel
from barthes.models.language_model import Edit
from barthes.models.llama import load_llama
from barthes.models.pretrained import convert_gguf, load_pretrained


@pytest.fixture(scope="module")
def folder(tiny_gguf, tmp_path_factory):
    folder = tmp_path_factory.mktemp("llama")
    convert_gguf(tiny_gguf, folder)
    return folder


@pytest.mark.parametrize(("products", "tolerance"), [(torch.float32, 1e-5), (torch.bfloat16, 0.05)])
def test_numbers_are_those_of_transformers(folder, products, tolerance):
    models = [
        CausalModel(network, tokenizer, name="tiny", products=products)
        for tokenizer, network in (load_llama(folder), load_pretrained("tiny", folder, dtype=torch.float32))
    ]
    [tokens], [expected] = (model.encode(["the wolf ate the sheep and the girl ran"]) for model in models)
    assert tokens == expected
    tokens = [models[0].start_token, *tokens]
    found, expected = (
        [
            *model.read(tokens).rescore([Edit(2, 4), Edit(3, 5, (4, 5, 6))]),
            model.read(tokens).log_probabilities,
        ]
        for model in models
    )
    np.testing.assert_allclose(np.concatenate(found), np.concatenate(expected), atol=tolerance)
    last = models[0].network.config.num_hidden_layers
    for layers in ([0], [0, 1], [1, last]):
        found, expected = (model.states(tokens, [(1, 3)], layers=layers) for model in models)
        np.testing.assert_allclose(found, expected, atol=10 * tolerance)
    assert models[0].network.state_dict().keys() == models[1].network.state_dict().keys()
    for name in ("start_token", "end_token", "context_length", "precision"):
        assert getattr(models[0], name) == getattr(models[1], name)


@given(
    text=st.text()
    | st.sampled_from(["<|endoftext|>the<|im_start|> wolf", "e\u0301 \u00a0\u200b\x00\r\n", "狼が来た 🐺"])
)
def test_tokens_are_those_of_transformers(folder, text):
    mine, its = load_llama(folder)[0], AutoTokenizer.from_pretrained(folder)
    options = {"add_special_tokens": False, "split_special_tokens": True}
    assert mine([text], **options)["input_ids"] == its([text], **options)["input_ids"]
