"""The model card: what somebody must know who is given the folder."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from gguf import GGUFWriter

from barthes.finetuning.card import render_card
from barthes.finetuning.licence import UNKNOWN_LICENCE, find_licence


def loss(perplexity, tokens=100):
    return {"perplexity": perplexity, "nats_per_token": 1.0, "tokens": tokens}


@pytest.fixture
def record():
    return {
        "barthes": "0.1.0",
        "command": "barthes finetune --train tales --method lora --out mine",
        "base": {"name": "smollm2-135m", "licence": "Apache-2.0", "sha256": "0" * 64},
        "settings": {"method": "lora", "epochs": 3, "learning_rate": 2e-4, "rank": 8, "seed": 0},
        "precision": "bfloat16",
        "device": "cpu",
        "steps": {"planned": 30, "done": 20, "best": 12},
        "tokens": {"train": 5000, "held_out": 700},
        "stories": {
            "train": [
                {"name": "grimm: The Wolf", "words": 900, "sha256": "1" * 64},
                {"name": "grimm: The Frog", "words": 800, "sha256": "2" * 64},
            ],
            "held_out": [{"name": "jacobs: Jack", "words": 500, "sha256": "3" * 64}],
        },
        "perplexity": {
            "held_out": {"before": loss(31.416), "after": loss(21.0)},
            "train": {"before": loss(30.0), "after": loss(15.5)},
        },
        "versions": {"python": "3.11.7", "torch": "2.13.0"},
    }


def test_the_card_says_what_was_done(record):
    card = render_card(record)
    assert card.startswith("---\nlicense: apache-2.0\nbase_model: smollm2-135m\n")
    assert "library_name: peft" in card
    assert "| stories held out | 31.42 | 21.00 | 100 |" in card
    assert "| stories trained on | 30.00 | 15.50 | 100 |" in card
    assert "- Trained on: 2 stories, 1,700 words, 5,000 tokens" in card
    assert "- From: `grimm`, `jacobs`" in card
    assert "| learning rate | 0.0002 |" in card
    assert "step 12 of 30 (20 were done)" in card
    assert record["command"] in card
    assert "The Wolf" not in card  # the record has the list
    assert "`loss.png` shows the loss" in card
    assert "loss.png" not in render_card(record, curve=False)  # without matplotlib there is none


def test_paths_of_ones_own_are_not_told(record):
    record["base"] = {"name": "/home/someone/models/tiny", "licence": UNKNOWN_LICENCE, "sha256": "0" * 64}
    card = render_card(record)
    assert "/home" not in card
    assert "base_model: tiny" in card
    assert "license:" not in card


def test_without_held_out_stories(record):
    record["perplexity"]["held_out"] = None
    record["stories"]["held_out"] = []
    card = render_card(record)
    assert "stories held out" not in card
    assert "Held out" not in card


def test_licences(tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert find_licence("smollm2-135m") == "Apache-2.0"
    assert find_licence("gpt2") == UNKNOWN_LICENCE
    assert find_licence(str(tmp_path)) == UNKNOWN_LICENCE
    (tmp_path / "README.md").write_text("---\nlanguage: en\nlicense: mit\n---\n# A model\n", encoding="utf-8")
    assert find_licence(str(tmp_path)) == "mit"
    (tmp_path / "README.md").write_text("---\nlicense: 'mit'  # as its base\n---\n", encoding="utf-8")
    assert find_licence(str(tmp_path)) == "mit"
    for card in (
        "# A model\nlicense: none\n",
        "---\nlicense:\n- mit\n---\n",
        "---\nlicense: CC BY 4.0\n---\n",
    ):
        (tmp_path / "README.md").write_text(card, encoding="utf-8")
        assert find_licence(str(tmp_path)) == UNKNOWN_LICENCE


def test_the_licence_of_a_gguf_file(tmp_path):
    file = tmp_path / "tiny.gguf"
    for licence in ("apache-2.0", "Mine:\n---\n# All rights", ["mit", "gpl"], None):
        writer = GGUFWriter(file, "llama")
        if isinstance(licence, list):
            writer.add_array("general.license", licence)
        elif licence:
            writer.add_license(licence)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        assert find_licence(str(file)) == (licence if licence == "apache-2.0" else UNKNOWN_LICENCE)
    (tmp_path / "README.md").write_text("---\nlicense: mit\n---\n")
    assert find_licence(str(file)) == "mit", "of the card beside it"
    file.write_bytes(b"GGUF, but not really")
    (tmp_path / "README.md").unlink()
    assert find_licence(str(file)) == UNKNOWN_LICENCE


@pytest.mark.parametrize(
    ("card", "licence"),
    [({"license": "mit"}, "mit"), ({"license": ["mit", "gpl"]}, UNKNOWN_LICENCE), (None, UNKNOWN_LICENCE)],
    ids=["one", "several", "no card"],
)
def test_the_licence_of_a_model_on_the_hub(monkeypatch, card, licence):
    asked = []

    def answer(name, *, timeout):
        asked.append((name, timeout > 0))
        return SimpleNamespace(card_data=card)

    monkeypatch.setattr("huggingface_hub.model_info", answer)
    assert find_licence("someone/model") == licence
    assert asked == [("someone/model", True)]


def test_a_card_in_the_cache_is_read_without_the_hub(tmp_path, monkeypatch):
    card = tmp_path / "README.md"
    card.write_text("---\nlicense: mit\n---\n", encoding="utf-8")
    monkeypatch.setattr("huggingface_hub.try_to_load_from_cache", lambda name, file: str(tmp_path / file))
    monkeypatch.setattr("huggingface_hub.model_info", lambda *_, **__: pytest.fail("the hub was asked"))
    assert find_licence("someone/model") == "mit"
