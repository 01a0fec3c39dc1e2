"""The loss curve, the model card and the licence of a base. To accept changes of cards: GOLDEN=write."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from barthes_research.finetuning.training_result import UNKNOWN_LICENCE, draw_curve, find_licence, render_card

GOLDEN = Path(__file__).parent / "data"
LOSSES = [[1, 4.0], [2, 3.5], [3, 3.25]]


def test_the_loss_curve_is_drawn_reproducibly(tmp_path):
    pytest.importorskip("matplotlib")
    pictures = []
    for _ in range(2):
        assert draw_curve(LOSSES, [[2, 3.75], [3, 3.5]], tmp_path) is None
        pictures.append([(tmp_path / name).read_bytes() for name in ("loss.png", "loss.svg")])
    assert pictures[0] == pictures[1]
    assert pictures[0][0].startswith(b"\x89PNG")
    drawing = pictures[0][1].decode()
    assert "loss (nats per token)" in drawing
    assert "held-out stories (step 0: before)" in drawing
    assert ">2</text>" in drawing  # steps are integers


def test_without_matplotlib_a_note_says_how_to_install_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    note = draw_curve(LOSSES, [], tmp_path)
    assert "pip install matplotlib" in note
    assert not list(tmp_path.iterdir())


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
    """Without a licence, held-out stories, a loss curve or a command."""
    record["base"] = {"name": "/home/someone/models/tiny", "licence": UNKNOWN_LICENCE, "sha256": "0" * 64}
    record["settings"]["method"] = "full"
    record["perplexity"]["held_out"] = None
    record["stories"]["held_out"] = []
    record["stories"]["train"] = [{"name": f"book{i:02}: Tale", "words": 10} for i in range(32)]
    record["command"] = ""
    compare(render_card(record, curve=False), "model_card.md")


@pytest.mark.parametrize(
    ("card", "licence"),
    [
        (None, UNKNOWN_LICENCE),
        ("---\nlanguage: en\nlicense: mit\n---\n# A model\n", "mit"),
        ("# A model\nlicense: none\n", UNKNOWN_LICENCE),
        ("---\nlicense:\n- mit\n---\n", UNKNOWN_LICENCE),
        ("---\nlicense: CC BY 4.0\n---\n", UNKNOWN_LICENCE),
        ("---\nlicense: [\n---\n", UNKNOWN_LICENCE),
    ],
)
def test_the_licence_on_a_card(tmp_path, monkeypatch, card, licence):
    """In a folder, beside a file, and in the local cache of the hub."""
    if card is not None:
        (tmp_path / "README.md").write_text(card, encoding="utf-8")
    (tmp_path / "tiny.gguf").touch()
    assert find_licence(str(tmp_path)) == find_licence(str(tmp_path / "tiny.gguf")) == licence
    monkeypatch.setattr("huggingface_hub.try_to_load_from_cache", lambda name, file: str(tmp_path / file))
    assert find_licence("someone/model") == (licence if card else UNKNOWN_LICENCE)
