from __future__ import annotations

import json
import os
import threading
import time
from dataclasses import replace
from pathlib import Path

import platformdirs
import pytest

from barthes.errors import ModelError
from barthes.models.store import (
    MANIFEST,
    RECHECK_DAYS,
    ModelStore,
    StoredFile,
    StoredModel,
    _describe,
    models_folder,
    read_manifest,
    write_manifest,
)


@pytest.fixture
def store(tmp_path):
    return ModelStore(tmp_path / "models")


def put(store, name="tiny", weights=b"123", sha256="abc"):
    with store.lock(name), store.temporary_folder(name) as temporary:
        folder = temporary / "model"
        folder.mkdir()
        (folder / "model.safetensors").write_bytes(weights)
        (folder / "config.json").write_text("{}")
        write_manifest(folder, name=name, licence="MIT", source="a wheel", sha256=sha256)
        return store.install(name, folder)


def contents(folder):
    """Return the names in a folder, without the note of the last check and the lock, which stays."""
    return {path.name for path in folder.iterdir() if path.suffix not in (".lock", ".checked")}


def check(store):
    return store.check(store.look_up("tiny", sha256="abc"))


def flip(path):
    """Change one bit of a file."""
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


def test_models_are_in_the_cache_folder(monkeypatch, tmp_path):
    monkeypatch.delenv("BARTHES_CACHE", raising=False)
    assert models_folder() == platformdirs.user_cache_path("barthes", appauthor=False) / "models"
    monkeypatch.chdir(tmp_path)
    for name, folder in ((tmp_path, tmp_path), ("~/stories", Path.home() / "stories"), ("a", tmp_path / "a")):
        monkeypatch.setenv("BARTHES_CACHE", str(name))
        assert models_folder() == folder / "models"
    monkeypatch.setenv("BARTHES_CACHE", "~nobody-here/cache")
    with pytest.raises(ModelError, match="BARTHES_CACHE=~nobody-here/cache: there is no such home folder"):
        models_folder()


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="there is no folder of this kind")
def test_a_folder_is_writable_if_a_file_can_be_created(store):
    assert store.is_writable()
    assert list(store.folder.iterdir()) == []
    assert not ModelStore(Path("/proc/self")).is_writable()  # though the administrator may write to it


def test_looking_up_creates_nothing(store):
    assert store.look_up("tiny", sha256="abc").state == "not fetched"
    assert not store.remove("tiny")
    assert not store.folder.exists()


def test_an_installed_model_is_found(store):
    folder = put(store)
    stored = store.look_up("tiny", sha256="abc")
    assert (stored.state, stored.folder, stored.fault) == ("fetched", folder, None)
    assert stored.manifest.size == 5
    assert set(stored.manifest.files) == {"config.json", "model.safetensors"}
    assert contents(store.folder) == {"tiny"}
    assert json.loads((folder / MANIFEST).read_text())["licence"] == stored.manifest.licence == "MIT"


UNREADABLE = "barthes.json is missing or cannot be read"


@pytest.mark.parametrize(
    ("file", "content", "fault"),
    [
        ("config.json", None, "config.json is missing"),
        ("model.safetensors", "12", "2 bytes long, not 3"),
        (MANIFEST, None, UNREADABLE),
        *(
            (MANIFEST, text, UNREADABLE)
            for text in ("{", '{"format": 1}', '{"format": 99}', "[]", "[" * 10**5)
        ),
        (MANIFEST, '{"format": 1, "files": {"a": {"size": "b", "sha256": 1}}}', UNREADABLE),
    ],
)
def test_missing_files_and_other_sizes_are_noticed(store, file, content, fault):
    path = put(store) / file
    path.unlink() if content is None else path.write_text(content)
    stored = store.look_up("tiny", sha256="abc")
    assert stored.state == "damaged"
    assert fault in stored.fault


def test_bytes_are_compared_only_if_a_file_was_modified(store, monkeypatch):
    weights = put(store) / "model.safetensors"
    assert check(store).state == "fetched"
    with monkeypatch.context() as patch:
        patch.setattr("barthes.models.store.hash_file", lambda _: pytest.fail("compared again"))
        assert check(store).state == "fetched"
    before = weights.stat()
    flip(weights)
    os.utime(weights, ns=(before.st_atime_ns, before.st_mtime_ns))  # as some programs do when they copy
    found = check(store)
    assert (found.state, found.folder) == ("damaged", weights.parent)
    assert "model.safetensors has changed" in found.fault
    flip(weights)
    assert check(store).state == "fetched"


def test_bytes_are_compared_again_after_a_month(store):
    folder, note = put(store), store.folder / ".tiny.checked"
    flip(folder / "model.safetensors")
    note.write_text(_describe(folder, read_manifest(folder)))
    for age, state in ((RECHECK_DAYS - 1, "fetched"), (RECHECK_DAYS + 1, "damaged"), (-2, "damaged")):
        os.utime(note, (time.time() - age * 86_400,) * 2)
        assert check(store).state == state


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff"])
def test_a_damaged_note_of_the_last_check_is_ignored(store, content):
    folder, note = put(store), store.folder / ".tiny.checked"
    note.write_bytes(content)
    assert check(store).state == "fetched"
    assert note.read_bytes() != content
    note.write_bytes(content)
    flip(folder / "model.safetensors")
    assert check(store).state == "damaged"
    store.remove("tiny")
    assert not note.exists()


def test_a_new_model_replaces_one_made_from_another_file(store):
    put(store, weights=b"old", sha256="old")
    assert store.look_up("tiny", sha256="new").state == "damaged"
    folder = put(store, weights=b"newer", sha256="new")
    assert (folder / "model.safetensors").read_bytes() == b"newer"
    assert contents(store.folder) == {"tiny"}


def test_after_an_error_the_old_model_is_still_there(store, monkeypatch):
    folder = put(store, weights=b"old")
    monkeypatch.setattr(store, "install", lambda name, folder: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        put(store, weights=b"newer")
    assert (folder / "model.safetensors").read_bytes() == b"old"
    assert contents(store.folder) == {"tiny"}


def test_files_of_a_killed_process_are_deleted_but_not_those_of_another_model(store):
    abandoned = store.folder / ".tiny.abcdefgh.partial" / "model"
    abandoned.mkdir(parents=True)
    (store.folder / ".tiny.2.abcdefgh.partial").mkdir()
    put(store)
    assert contents(store.folder) == {"tiny", ".tiny.2.abcdefgh.partial"}
    abandoned.mkdir(parents=True)
    assert store.remove("tiny")
    assert not store.remove("tiny")
    assert contents(store.folder) == {".tiny.2.abcdefgh.partial"}


def test_a_lock_has_one_holder(store):
    events = []
    waited = threading.Event()

    def second():
        with store.lock("tiny", waiting=waited.set):
            events.append("second")

    with store.lock("tiny", waiting=lambda: events.append("waited")):
        thread = threading.Thread(target=second)
        thread.start()
        assert waited.wait(timeout=10)
        events.append("first")
    thread.join(timeout=10)
    assert events == ["first", "second"]


def test_an_unreadable_file_counts_as_damage(store):
    folder = put(store)
    weights = folder / "model.safetensors"
    weights.unlink()
    weights.symlink_to(weights.name)  # a loop, which not even root can read
    assert "model.safetensors cannot be read" in store.look_up("tiny", sha256="abc").fault
    weights.unlink()
    weights.mkdir()
    files = {weights.name: StoredFile(weights.stat().st_size, "abc")}
    stored = StoredModel(folder, "fetched", replace(read_manifest(folder), files=files))
    assert "model.safetensors cannot be read" in store.check(stored).fault
    weights.rmdir()
    assert store.check(stored).state == "damaged"
    stored = ModelStore(store.folder / ("a" * 5000)).look_up("tiny", sha256="abc")
    assert (stored.state, stored.fault.startswith("it cannot be read")) == ("damaged", True)
