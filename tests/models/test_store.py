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
    with store.lock(name), store.temporary_folder(name) as workshop:
        folder = workshop / "model"
        folder.mkdir()
        (folder / "model.safetensors").write_bytes(weights)
        (folder / "config.json").write_text("{}")
        write_manifest(folder, name=name, licence="MIT", source="a wheel", sha256=sha256)
        return store.install(name, folder)


def contents(folder):
    """All but the note of the last check, and the lock: taking it away would race with its next holder."""
    return {path.name for path in folder.iterdir() if path.suffix not in (".lock", ".checked")}


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


def test_nothing_is_created_by_looking(store):
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
    assert stored.manifest == write_manifest(
        folder, name="tiny", licence="MIT", source="a wheel", sha256="abc"
    )


def write(text):
    """Damage: another manifest."""
    return lambda folder: (folder / MANIFEST).write_text(text)


@pytest.mark.parametrize(
    ("damage", "fault"),
    [
        (lambda folder: (folder / "config.json").unlink(), "config.json is missing"),
        (lambda folder: (folder / "model.safetensors").write_bytes(b"12"), "2 bytes long, not 3"),
        (lambda folder: (folder / MANIFEST).unlink(), "barthes.json is missing or cannot be read"),
        *(
            (write(text), "barthes.json is missing or cannot be read")
            for text in (
                *("{", '{"format": 1}', '{"format": 99}', "[]", "[" * 100_000),
                '{"format": 1, "files": {"a": {"size": "b", "sha256": 1}}}',
            )
        ),
    ],
)
def test_damage_is_noticed_at_every_use(store, damage, fault):
    damage(put(store))
    stored = store.look_up("tiny", sha256="abc")
    assert stored.state == "damaged"
    assert fault in stored.fault


def look(store):
    return store.check(store.look_up("tiny", sha256="abc"))


def flip(path):
    """Change one bit, and nothing else that can be seen."""
    before = path.stat()
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    return before


def test_a_file_that_was_touched_is_compared_byte_by_byte(store):
    folder = put(store)
    assert look(store).state == "fetched"
    before = flip(folder / "model.safetensors")
    os.utime(folder / "model.safetensors", ns=(before.st_atime_ns, before.st_mtime_ns))  # as some copiers do
    found = look(store)
    assert (found.state, found.folder) == ("damaged", folder)
    assert "model.safetensors has changed" in found.fault
    flip(folder / "model.safetensors")
    assert look(store).state == "fetched"


def test_what_was_compared_is_not_compared_again(store, monkeypatch):
    put(store)
    assert look(store).state == "fetched"
    monkeypatch.setattr("barthes.models.store.hash_file", lambda _: pytest.fail("compared again"))
    assert look(store).state == "fetched"


def test_after_a_month_it_is_compared_again(store):
    """A disk that forgets touches no file."""
    folder = put(store)
    look(store)
    flip(folder / "model.safetensors")
    note = store.folder / ".tiny.checked"
    note.write_text(_describe(folder, read_manifest(folder)))
    for age, state in ((RECHECK_DAYS - 1, "fetched"), (RECHECK_DAYS + 1, "damaged"), (-2, "damaged")):
        os.utime(note, (time.time() - age * 86_400,) * 2)
        assert look(store).state == state


@pytest.mark.parametrize("note", [b"", b"{}", b"\xff"])
def test_a_broken_note_of_the_last_check_is_no_note(store, note):
    folder = put(store)
    (store.folder / ".tiny.checked").write_bytes(note)
    assert look(store).state == "fetched"
    flip(folder / "model.safetensors")
    assert look(store).state == "damaged"


def test_the_note_goes_with_the_model(store):
    put(store)
    look(store)
    assert (store.folder / ".tiny.checked").exists()
    store.remove("tiny")
    assert not (store.folder / ".tiny.checked").exists()


def test_a_model_made_from_another_file_is_not_taken(store):
    put(store, sha256="old")
    assert store.look_up("tiny", sha256="new").state == "damaged"


def test_a_new_model_replaces_the_old_one(store):
    put(store, weights=b"old")
    folder = put(store, weights=b"newer")
    assert (folder / "model.safetensors").read_bytes() == b"newer"
    assert contents(store.folder) == {"tiny"}


def test_a_failure_leaves_what_was_there(store, monkeypatch):
    folder = put(store, weights=b"old")
    monkeypatch.setattr(store, "install", lambda name, folder: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        put(store, weights=b"newer")
    assert (folder / "model.safetensors").read_bytes() == b"old"
    assert contents(store.folder) == {"tiny"}


def test_what_a_killed_process_left_is_swept_away_but_not_the_work_on_another_model(store):
    (store.folder / ".tiny.abcdefgh.partial" / "model").mkdir(parents=True)
    (store.folder / ".tiny.2.abcdefgh.partial").mkdir()
    put(store)
    assert contents(store.folder) == {"tiny", ".tiny.2.abcdefgh.partial"}


def test_removing(store):
    put(store)
    put(store, name="other")
    (store.folder / ".tiny.abcdefgh.partial").mkdir()
    assert store.remove("tiny")
    assert not store.remove("tiny")
    assert contents(store.folder) == {"other"}


def test_one_at_a_time(store):
    events = []
    waited = threading.Event()

    def second():
        with store.lock("tiny", waiting=waited.set):
            events.append("second")

    with store.lock("tiny", waiting=lambda: events.append("waited for nobody")):
        thread = threading.Thread(target=second)
        thread.start()
        assert waited.wait(timeout=10)
        events.append("first")
    thread.join(timeout=10)
    assert events == ["first", "second"]


def test_a_file_that_cannot_be_read_is_damage(store):
    folder = put(store)
    weights = folder / "model.safetensors"
    weights.unlink()
    weights.symlink_to(weights.name)  # it leads to itself: nobody can read that, not even root
    assert "model.safetensors cannot be read" in store.look_up("tiny", sha256="abc").fault
    weights.unlink()
    weights.mkdir()
    files = {weights.name: StoredFile(weights.stat().st_size, "abc")}
    stored = StoredModel(folder, "fetched", replace(read_manifest(folder), files=files))
    assert "model.safetensors cannot be read" in store.check(stored).fault
    weights.rmdir()
    assert store.check(stored).state == "damaged"


def test_a_store_that_cannot_be_looked_into_is_no_traceback(tmp_path):
    stored = ModelStore(tmp_path / ("a" * 5000)).look_up("tiny", sha256="abc")
    assert (stored.state, stored.fault.startswith("it cannot be read")) == ("damaged", True)
