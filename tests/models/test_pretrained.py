from __future__ import annotations

import json
import os

import gguf
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.utils import logging

from barthes.models.loading import load_model
from barthes.models.pretrained import convert_gguf
from tests.tiny_gguf import HEADS, KEY_VALUE_HEADS, write_gguf

TEXTS = [
    "",
    " ",
    "the wolf ate the sheep",
    "the wolf  ate\n\n\tthe sheep ",
    "In 1812 two brothers; 12,000 tales … “Who goes there?” – Übermut, 狼が来た 🐺",
    "<|endoftext|>the<|im_start|> wolf<|im_end|>",
    "e\u0301 \u00a0\u200b\x00\r\n",
]

# The names of a Llama's tensors in llama.cpp and in transformers.
NAMES = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


@pytest.fixture(scope="module")
def folder(tiny_gguf, tmp_path_factory):
    folder = tmp_path_factory.mktemp("converted")
    convert_gguf(tiny_gguf, folder)
    return folder


@pytest.fixture(scope="module")
def network(folder):
    return AutoModelForCausalLM.from_pretrained(folder, local_files_only=True)


@pytest.fixture(scope="module")
def tokenizers(tiny_gguf, folder):
    """The tokenizer of the GGUF file and the stored one."""
    return (
        AutoTokenizer.from_pretrained(tiny_gguf.parent, gguf_file=tiny_gguf.name),
        AutoTokenizer.from_pretrained(folder, local_files_only=True),
    )


def dequantise(path):
    """Return the weights of a GGUF file under transformers' names, read with gguf alone."""
    weights = {}
    for tensor in gguf.GGUFReader(path).tensors:
        *block, short, _ = tensor.name.split(".")
        values = gguf.dequantize(tensor.data, tensor.tensor_type)
        if heads := {"attn_q": HEADS, "attn_k": KEY_VALUE_HEADS}.get(short):
            pairs = values.reshape(heads, -1, 2, values.shape[1])  # llama.cpp interleaves rotary pairs
            values = pairs.swapaxes(1, 2).reshape(values.shape)
        prefix = f"model.layers.{block[1]}." if block else ""
        weights[f"{prefix}{NAMES[short]}.weight"] = values
    return weights


def test_the_weights_are_exactly_the_dequantised_ones(tiny_gguf, network):
    expected = dequantise(tiny_gguf)
    found = {name: tensor.numpy() for name, tensor in network.state_dict().items()}
    assert np.array_equal(found.pop("lm_head.weight"), expected["model.embed_tokens.weight"])
    assert found.keys() == expected.keys()
    for name, weights in expected.items():
        assert found[name].dtype == np.float32
        assert np.array_equal(found[name], weights), name


def test_tied_tensors_are_stored_once(folder, network):
    assert network.config.tie_word_embeddings
    weights = sum(parameter.numel() for parameter in network.parameters())
    assert 4 * weights < (folder / "model.safetensors").stat().st_size < 4 * weights + 5000


@given(text=st.text() | st.sampled_from(TEXTS))
def test_the_tokens_of_any_text_are_those_of_the_gguf_file(tokenizers, text):
    original, stored = tokenizers
    assert stored(text)["input_ids"] == original(text)["input_ids"]
    if text in TEXTS:
        assert stored.decode(stored(text)["input_ids"]) == text


def test_the_folder_does_not_mention_gguf_or_the_conversion(folder, tiny_gguf):
    assert {path.name for path in folder.iterdir()} == {
        "config.json",
        "model.safetensors",
        "tokenizer.json",
        "tokenizer_config.json",
    }
    config = json.loads((folder / "config.json").read_text())
    assert config["architectures"] == ["LlamaForCausalLM"]
    assert "quantization_config" not in config
    assert str(tiny_gguf.parent) not in "".join(path.read_text() for path in folder.glob("*.json"))


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_the_weights_have_the_usual_permissions(folder, tmp_path):
    (tmp_path / "plain").touch()
    usual = (tmp_path / "plain").stat().st_mode & (folder.stat().st_mode | 0o600)
    assert all(path.stat().st_mode & 0o777 == usual & 0o777 for path in folder.glob("model.safetensors"))


def test_nothing_is_printed_and_the_settings_of_transformers_are_restored(tiny_gguf, tmp_path, capfd):
    before = logging.get_verbosity(), logging.is_progress_bar_enabled()
    convert_gguf(tiny_gguf, tmp_path)
    assert before == (logging.get_verbosity(), logging.is_progress_bar_enabled())
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("adds_start", [True, False])
def test_texts_start_as_the_gguf_file_says(tmp_path, adds_start):
    gguf_file = write_gguf(tmp_path / "tiny.gguf", adds_start=adds_start)
    folder = tmp_path / "folder"
    folder.mkdir()
    convert_gguf(gguf_file, folder)
    for source in (gguf_file, folder):
        model = load_model(str(source), dtype="float32")
        names = model.tokenizer.convert_ids_to_tokens([model.start_token, model.end_token])
        assert names == ["<|im_start|>" if adds_start else "<|endoftext|>", "<|endoftext|>"]
        assert model.tokenizer.bos_token_id not in model.encode(["the wolf"])[0]
