from __future__ import annotations

import os
from pathlib import Path

import platformdirs
import pytest

from barthes.errors import ModelError
from barthes.models.store import MANIFEST, check_modified, find_stored, models_folder, write_manifest


@pytest.fixture
def folder(tmp_path):
    """A stored model."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"123")
    (folder / "config.json").write_text("{}")
    write_manifest(folder, name="tiny", licence="MIT", source="a wheel", sha256="abc")
    return folder


def check(folder):
    return check_modified(find_stored(folder, sha256="abc"))


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


def test_a_stored_model_is_found(folder):
    stored = check(folder)
    assert (stored.state, stored.folder, stored.fault) == ("fetched", folder, None)
    assert (stored.manifest.size, stored.manifest.licence) == (5, "MIT")
    assert set(stored.manifest.files) == {"config.json", "model.safetensors"}
    assert check(folder / "other").state == "not fetched"
    assert find_stored(folder, sha256="another").state == "damaged"


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
def test_missing_files_and_other_sizes_are_noticed(folder, file, content, fault):
    (folder / file).unlink() if content is None else (folder / file).write_text(content)
    stored = check(folder)
    assert stored.state == "damaged"
    assert fault in stored.fault


@pytest.mark.skipif(os.name == "nt", reason="Windows does not record when a file was changed")
def test_bytes_are_compared_only_if_a_file_was_modified(folder, monkeypatch):
    weights = folder / "model.safetensors"
    with monkeypatch.context() as patch:
        patch.setattr("barthes.models.store.hash_file", lambda _: pytest.fail("compared"))
        assert check(folder).state == "fetched"
    os.utime(folder / MANIFEST, ns=(1, 1))
    before = weights.stat()
    flip(weights)
    os.utime(weights, ns=(before.st_atime_ns, before.st_mtime_ns))  # as some programs do when they copy
    assert "model.safetensors has changed" in check(folder).fault
    flip(weights)
    assert check(folder).state == "fetched"
    monkeypatch.setattr("barthes.models.store.hash_file", lambda _: pytest.fail("compared again"))
    assert check(folder).state == "fetched"


def test_an_unreadable_file_counts_as_damage(folder):
    weights = folder / "model.safetensors"
    weights.unlink()
    weights.symlink_to(weights.name)  # a loop, which not even root can read
    assert "model.safetensors cannot be read" in check(folder).fault
    assert check(folder / ("a" * 5000)).state == "damaged"
