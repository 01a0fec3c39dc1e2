"""The loss curve, the model card and the licence of a base. To accept changes of cards: GOLDEN=write."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from gguf import GGUFWriter

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
        ("---\nlicense: 'mit'  # as its base\n---\n", "mit"),
        ("# A model\nlicense: none\n", UNKNOWN_LICENCE),
        ("---\nlicense:\n- mit\n---\n", UNKNOWN_LICENCE),
        ("---\nlicense: CC BY 4.0\n---\n", UNKNOWN_LICENCE),
        ("---\nlicense: [\n---\n", UNKNOWN_LICENCE),
    ],
)
def test_the_licence_on_a_card(tmp_path, monkeypatch, card, licence):
    """In a folder, and in the local cache of the hub, which is then not queried."""
    if card is not None:
        (tmp_path / "README.md").write_text(card, encoding="utf-8")
    assert find_licence(str(tmp_path)) == licence
    monkeypatch.setattr("huggingface_hub.try_to_load_from_cache", lambda name, file: str(tmp_path / file))
    monkeypatch.setattr("huggingface_hub.model_info", lambda *_, **__: pytest.fail("the hub was queried"))
    if card is not None:
        assert find_licence("someone/model") == licence


def test_the_licence_of_an_embedded_model_and_of_one_on_the_hub_offline(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert find_licence("smollm2-135m") == "Apache-2.0"
    assert find_licence("gpt2") == UNKNOWN_LICENCE


@pytest.mark.parametrize("licence", ["apache-2.0", "Mine:\n---\n# All rights", ["mit", "gpl"], None])
def test_the_licence_of_a_gguf_file(tmp_path, licence):
    file = tmp_path / "tiny.gguf"
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
    file.write_bytes(b"GGUF, but not really")
    assert find_licence(str(file)) == UNKNOWN_LICENCE
    (tmp_path / "README.md").write_text("---\nlicense: mit\n---\n")
    assert find_licence(str(file)) == "mit"  # from the card beside it


@pytest.mark.parametrize(
    ("card", "licence"),
    [({"license": "mit"}, "mit"), ({"license": ["mit", "gpl"]}, UNKNOWN_LICENCE), (None, UNKNOWN_LICENCE)],
    ids=["one", "several", "no card"],
)
def test_the_licence_of_a_model_on_the_hub(monkeypatch, card, licence):
    def answer(name, *, timeout):
        assert (name, timeout > 0) == ("someone/model", True)
        return SimpleNamespace(card_data=card)

    monkeypatch.setattr("huggingface_hub.model_info", answer)
    assert find_licence("someone/model") == licence
