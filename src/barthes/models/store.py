"""The folder of fetched models, in which a model is either complete or absent.

::

    models/
      smollm2-135m/              a model, moved there by one rename
        barthes.json             its manifest: licence, source, sizes, SHA-256; written last
        config.json  model.safetensors  tokenizer.json  tokenizer_config.json  LICENSE
      .smollm2-135m.lock         held by a process that changes the model
      .smollm2-135m.….partial/   that process's temporary files; the next fetch deletes those of a killed one
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from barthes.cache import cache_folder
from barthes.files import write_atomically
from barthes.hashing import hash_file

MANIFEST = "barthes.json"
_FORMAT = 1  # of the whole folder; a model stored in another format is fetched again


def models_folder() -> Path:
    """Return the folder of fetched models, `models` in Barthes' cache folder."""
    return cache_folder() / "models"


@dataclass(frozen=True, slots=True)
class StoredFile:
    """The size (bytes) and the SHA-256 of one file of a stored model."""

    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """The origin, licence and files of a stored model."""

    name: str
    licence: str  # an SPDX identifier
    source: str  # the published file
    sha256: str  # of that file
    files: Mapping[str, StoredFile]  # by name, without the manifest

    @property
    def size(self) -> int:
        """The total size of its files in bytes."""
        return sum(file.size for file in self.files.values())

    def find_fault(self, folder: Path, *, read: bool = False) -> str | None:
        """Describe the first missing or changed file, if any; with `read`, compare all bytes."""
        for name, file in self.files.items():
            try:
                size = (folder / name).stat().st_size
                sha256 = hash_file(folder / name) if read and size == file.size else file.sha256
            except FileNotFoundError:
                return f"{name} is missing"
            except (OSError, ValueError) as error:  # ValueError: a null in the name
                return f"{name} cannot be read ({getattr(error, 'strerror', None) or error})"
            if size != file.size:
                return f"{name} is {size:,} bytes long, not {file.size:,}"
            if sha256 != file.sha256:
                return f"{name} has changed: SHA-256 {file.sha256} expected, {sha256} found"
        return None

    def is_older(self, folder: Path) -> bool:
        """Return whether a file in the folder was modified after the manifest was written there."""
        written = (folder / MANIFEST).stat().st_mtime_ns
        states = [(folder / name).stat() for name in self.files]
        return any(max(state.st_mtime_ns, state.st_ctime_ns) > written for state in states)


@dataclass(frozen=True, slots=True)
class StoredModel:
    """The state of a model in the folder of models."""

    folder: Path  # where the model is, or will be
    state: Literal["fetched", "damaged", "not fetched"]
    manifest: Manifest | None = None  # if there is a valid one
    fault: str | None = None  # why it is damaged


def write_manifest(folder: Path, *, name: str, licence: str, source: str, sha256: str) -> None:
    """Write the manifest of a model whose files are in a folder."""
    files = {path.name: StoredFile(path.stat().st_size, hash_file(path)) for path in sorted(folder.iterdir())}
    content = {"format": _FORMAT, **asdict(Manifest(name, licence, source, sha256, files))}
    write_atomically(folder / MANIFEST, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def read_manifest(folder: Path) -> Manifest | None:
    """Return the manifest in a folder; None if it is missing or invalid."""
    try:
        content = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if content.pop("format") != _FORMAT:
            return None
        files = {name: StoredFile(**file) for name, file in content.pop("files").items()}
        if not all(isinstance(file.size, int) and isinstance(file.sha256, str) for file in files.values()):
            return None
        return Manifest(files=files, **content)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def find_stored(folder: Path, *, sha256: str) -> StoredModel:
    """Look for the model made from the file with that SHA-256; check the names and sizes of its files."""
    try:
        folder.stat()
    except (FileNotFoundError, NotADirectoryError):
        return StoredModel(folder, "not fetched")
    except OSError as error:
        return StoredModel(folder, "damaged", fault=f"it cannot be read ({error.strerror or error})")
    manifest = read_manifest(folder)
    if manifest is None:
        return StoredModel(folder, "damaged", fault=f"{MANIFEST} is missing or cannot be read")
    if manifest.sha256 != sha256:
        return StoredModel(folder, "damaged", manifest, fault="it was made from another file")
    fault = manifest.find_fault(folder)
    return StoredModel(folder, "damaged" if fault else "fetched", manifest, fault)


def check_modified(stored: StoredModel) -> StoredModel:
    """Return the model, as damaged if a file was modified and its bytes are not those that were stored.

    Comparing half a gigabyte takes half a second or more, so it is done once per modification.
    """
    if stored.state != "fetched" or stored.manifest is None or not stored.manifest.is_older(stored.folder):
        return stored
    if (fault := stored.manifest.find_fault(stored.folder, read=True)) is not None:
        return replace(stored, state="damaged", fault=fault)
    with suppress(OSError):  # a read-only folder: compare each time
        os.utime(stored.folder / MANIFEST)
    return stored
