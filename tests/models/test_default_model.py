"""The real default model; it is fetched if it is not in the cache (`make test` fetches it first)."""

from __future__ import annotations

import hashlib
import socket

import numpy as np
import pytest
from safetensors import safe_open
from transformers import AutoModelForCausalLM, AutoTokenizer

from barthes.models.embedded import DEFAULT_MODEL, EMBEDDED, ensure, verify

# SHA-256 of the names and float32 values of all 272 tensors, sorted by name, dequantised from the published
# file by the gguf package (with the rotary halves of queries and keys reordered).
WEIGHTS = "785e20b3e653276b0579b744214a1186d730ba80af04f397f642d6432e5e0154"

TOKENS = {
    "": "",
    "Once upon a time there was a girl.": "6403 1980 253 655 665 436 253 8180 30",
    "“Stop!” she cried – 12,000 men.": "1585 25725 10761 1041 31592 816 216 33 34 28 32 32 32 1800 30",
    "don't can't IT'S": "12420 982 416 982 9627 23 67",
    "\n\n  Übermut\t<|endoftext|>The end.<|im_end|>": "8866 5549 246 593 22258 197 0 504 1112 30 2",
}


@pytest.fixture(scope="module")
def folder():
    return ensure(DEFAULT_MODEL)


def test_all_bytes_match_the_manifest(folder):
    manifest = verify(DEFAULT_MODEL)
    model = EMBEDDED[DEFAULT_MODEL]
    assert (manifest.licence, manifest.sha256) == ("Apache-2.0", model.sha256)
    licence = (folder / "LICENSE").read_text()
    assert "Apache License" in licence or "Apache-2.0" in licence


def test_the_weights_are_exactly_the_dequantised_ones(folder):
    digest = hashlib.sha256()
    with safe_open(folder / "model.safetensors", "np") as weights:
        for name in sorted(weights.keys()):
            tensor = weights.get_tensor(name)
            assert tensor.dtype == np.float32
            digest.update(name.encode())
            digest.update(np.ascontiguousarray(tensor))
    assert digest.hexdigest() == WEIGHTS


def test_the_tokens_are_those_of_the_published_model(folder):
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    assert {text: " ".join(map(str, tokenizer(text)["input_ids"])) for text in TOKENS} == TOKENS
    assert tokenizer.convert_tokens_to_ids("<|endoftext|>") == 0
    assert tokenizer.chat_template is None
    assert len(tokenizer("a wolf " * 20_000)["input_ids"]) > 8192  # and no warning about the length


def test_it_is_loaded_without_a_network(folder, monkeypatch):
    """Neither finding the folder nor loading it with transformers opens a connection."""

    def refuse(*arguments, **options):
        pytest.fail(f"a connection was opened: {arguments}")

    for owner, name in ((socket.socket, "connect"), (socket, "create_connection"), (socket, "getaddrinfo")):
        monkeypatch.setattr(owner, name, refuse)
    assert ensure(DEFAULT_MODEL) == folder
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    network = AutoModelForCausalLM.from_pretrained(folder, local_files_only=True)
    ids = tokenizer("Once upon a time there was a", return_tensors="pt").input_ids
    found = tokenizer.decode(network(ids).logits[0, -1].argmax()).strip()
    assert found in ("little", "young", "small", "girl", "kingdom")
