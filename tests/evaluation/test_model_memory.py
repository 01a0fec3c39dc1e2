from __future__ import annotations

import importlib.metadata
import os

import pytest

from barthes.evaluation.model_memory import (
    KnownModel,
    locate_model,
    recall_model,
    remember_fingerprint,
    stamp_model,
)
from barthes.models.embedded import DEFAULT_MODEL, EMBEDDED, is_fetched
from tests.models.adapters import adapt, save_base

AUTO = {"device": "auto", "dtype": "auto"}


def test_what_is_remembered_is_recalled(tmp_path):
    file = tmp_path / "model.gguf"
    file.write_bytes(b"weights")
    remember_fingerprint(tmp_path / "memory", str(file), "f", **AUTO, precision="float32")
    known = recall_model(tmp_path / "memory", str(file), **AUTO)
    assert known == KnownModel(stamp_model(str(file)), "f", "float32")
    assert recall_model(tmp_path / "memory", str(file), **AUTO).fingerprint == "f"
    assert recall_model(tmp_path / "memory", str(file), device="auto", dtype="float16") is None
    file.write_bytes(b"other weights")
    assert recall_model(tmp_path / "memory", str(file), **AUTO) is None


def test_a_home_that_is_nobodys():
    assert stamp_model("~nosuchuser/model") is None
    assert locate_model("~nosuchuser/model") == "~nosuchuser/model"


def test_only_what_is_there_is_a_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert locate_model("gpt2") == "gpt2"
    (tmp_path / "gpt2").mkdir()
    (tmp_path / DEFAULT_MODEL).mkdir()
    assert locate_model("./gpt2/") == locate_model("gpt2") == str((tmp_path / "gpt2").resolve())
    assert locate_model(DEFAULT_MODEL) == DEFAULT_MODEL, "as `load_model` understands it"


def test_transformers_put_there_by_hand(tmp_path, monkeypatch):
    def unknown(package):
        raise importlib.metadata.PackageNotFoundError(package)

    (tmp_path / "weights").write_bytes(b"")
    monkeypatch.setattr(importlib.metadata, "version", unknown)
    assert stamp_model(str(tmp_path)) is not None


def test_names_without_files_have_no_stamp(tmp_path, monkeypatch):
    monkeypatch.setenv("BARTHES_CACHE", str(tmp_path))
    for name in ("no/such/model/at/all", "barthes/no-such-model", *EMBEDDED):
        assert stamp_model(name) is None
        assert recall_model(tmp_path, name, device="auto", dtype="auto") is None


@pytest.mark.skipif(not is_fetched(DEFAULT_MODEL), reason="the default model has not been fetched")
def test_the_embedded_model_has_a_stamp():
    stamp = stamp_model(DEFAULT_MODEL)
    assert stamp is not None
    assert stamp == stamp_model(DEFAULT_MODEL)


def test_the_stamp_of_an_adapter_tells_that_its_base_has_changed(tmp_path):
    base = save_base(tmp_path / "base")
    adapter = tmp_path / "adapter"
    adapt(adapter, str(base))
    before = stamp_model(str(adapter))
    assert before is not None
    changed = base / "model.safetensors"
    os.utime(changed, (1, 1))
    assert stamp_model(str(adapter)) != before
