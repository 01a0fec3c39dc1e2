"""The weights, settings, record and model card of the included adapter agree."""

from __future__ import annotations

import hashlib
import json

import pytest

from barthes.models.embedded import DEFAULT_MODEL
from barthes_research.adapters.adapter import read_adapter
from barthes_research.adapters.source import INCLUDED

FOLKTALE = INCLUDED["folktale"]

SHA256 = "2923e16ac46f937f40338ba46c8ee5936fb5c2208b9db58f93b5e66cf7623b4a"


def read(name):
    return json.loads((FOLKTALE / name).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def card():
    return (FOLKTALE / "README.md").read_text(encoding="utf-8")


def test_the_weights_are_the_evaluated_ones():
    content = (FOLKTALE / "adapter_model.safetensors").read_bytes()
    assert hashlib.sha256(content).hexdigest() == SHA256


def test_settings_and_record_name_the_same_base_and_scale(card):
    assert sum(file.stat().st_size for file in FOLKTALE.iterdir()) <= 6_000_000
    assert "Apache-2.0" in card
    assert read_adapter(FOLKTALE).base == DEFAULT_MODEL
    settings, record = read("adapter_config.json"), read("barthes.json")
    assert settings["base_model_name_or_path"] == record["base"]["name"] == DEFAULT_MODEL
    assert settings["lora_alpha"] == record["settings"]["alpha"]
    assert settings["r"] == record["settings"]["rank"] == 8
    assert record["settings"]["adapter_dtype"] == "bfloat16"
