"""The model card of a run. To accept changes: GOLDEN=write."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from barthes_research.finetuning.training_result import UNKNOWN_LICENCE, render_card

GOLDEN = Path(__file__).parent / "data"


@pytest.fixture
def record():
    return json.loads((GOLDEN / "record.json").read_text(encoding="utf-8"))


def compare(card, name):
    if os.environ.get("GOLDEN") == "write":
        (GOLDEN / name).write_text(card, encoding="utf-8")
    assert card == (GOLDEN / name).read_text(encoding="utf-8")


def test_the_card_of_an_adapter(record):
    compare(render_card(record), "adapter_card.md")


def test_the_card_of_a_local_model(record):
    """Without a licence, held-out stories or a command."""
    record["base"] = {"name": "/home/someone/models/tiny", "licence": UNKNOWN_LICENCE, "sha256": "0" * 64}
    record["settings"]["method"] = "full"
    record["perplexity"]["held_out"] = None
    record["stories"]["held_out"] = []
    record["stories"]["train"] = [{"name": f"book{i:02}: Tale", "words": 10} for i in range(32)]
    record["command"] = ""
    compare(render_card(record), "model_card.md")
