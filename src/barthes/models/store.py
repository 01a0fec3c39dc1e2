"""Store fetched models in a folder, in which a model is either complete or absent.

::

    models/
      smollm2-135m/              a model, moved there by one rename
        barthes.json             its manifest: licence, source, sizes, SHA-256
        config.json  model.safetensors  tokenizer.json  tokenizer_config.json  LICENSE
      .smollm2-135m.checked      the state of the files when all bytes were last compared
      .smollm2-135m.lock         held by a process that changes the model
      .smollm2-135m.….partial/   that process's temporary files; the next fetch deletes those of a killed one
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from barthes.cache import cache_folder
from barthes.errors import OutputError
from barthes.files import write_atomically
from barthes.hashing import hash_file

RECHECK_DAYS = 30
"""All bytes of a model are compared again after this many days, even if no file was modified."""

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


def write_manifest(folder: Path, *, name: str, licence: str, source: str, sha256: str) -> Manifest:
    """Write the manifest of a model whose files are in a folder."""
    files = {
        path.name: StoredFile(path.stat().st_size, hash_file(path))
        for path in sorted(folder.iterdir())
        if path.name != MANIFEST
    }
    manifest = Manifest(name, licence, source, sha256, files)
    content = {"format": _FORMAT, **asdict(manifest)}
    write_atomically(folder / MANIFEST, json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    return manifest


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


@dataclass(frozen=True, slots=True)
class StoredModel:
    """The state of a model in the store."""

    folder: Path  # where the model is, or will be
    state: Literal["fetched", "damaged", "not fetched"]
    manifest: Manifest | None = None  # if there is a valid one
    fault: str | None = None  # why it is damaged


class ModelStore:
    """Models by name in a folder, by default `models_folder()`, which need not exist."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder: Path = models_folder() if folder is None else folder

    def is_writable(self) -> bool:
        """Whether models can be stored; creates the folder."""
        probe = self.folder / f".{os.getpid()}.probe"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            probe.touch()  # os.access ignores Windows' access control lists
            probe.unlink(missing_ok=True)  # another thread may have deleted it
        except OSError:
            return False
        return True

    def look_up(self, name: str, *, sha256: str) -> StoredModel:
        """Look for the model made from the file with that SHA-256; check the names and sizes of its files."""
        folder = self.folder / name
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

    def check(self, stored: StoredModel) -> StoredModel:
        """Return the model, as damaged if its bytes are not those that were stored.

        Comparing half a gigabyte takes half a second or more. It is done if a file was modified since the
        last time and, unless the folder is read-only, after `RECHECK_DAYS`.
        """
        manifest, note = stored.manifest, self._check_path(stored.folder.name)
        if stored.state != "fetched" or manifest is None:
            return stored
        try:
            files = _describe(stored.folder, manifest)
        except OSError as error:  # changed since it was looked up
            return replace(stored, state="damaged", fault=f"it cannot be read ({error.strerror or error})")
        with contextlib.suppress(OSError, ValueError):  # no valid note: compare
            age = time.time() - note.stat().st_mtime
            is_recent = 0 <= age < RECHECK_DAYS * 86_400 or not self.is_writable()
            if is_recent and note.read_text(encoding="utf-8") == files:
                return stored
        if (fault := manifest.find_fault(stored.folder, read=True)) is not None:
            return replace(stored, state="damaged", fault=fault)
        with contextlib.suppress(OutputError):  # a read-only folder: compare each time
            write_atomically(note, files)
        return stored

    def _check_path(self, name: str) -> Path:
        return self.folder / f".{name}.checked"

    @contextlib.contextmanager
    def lock(self, name: str, *, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Lock a model against changes by other processes; call `waiting` if another one holds the lock."""
        from filelock import FileLock, Timeout

        self.folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.folder / f".{name}.lock")
        try:
            held = lock.acquire(timeout=0)
        except Timeout:
            waiting()
            held = lock.acquire()
        with held:
            yield

    @contextlib.contextmanager
    def temporary_folder(self, name: str) -> Iterator[Path]:
        """Yield a temporary folder on the same disk; the caller holds the lock."""
        for abandoned in self.folder.glob(f".{name}.????????.partial"):
            shutil.rmtree(abandoned, ignore_errors=True)
        with tempfile.TemporaryDirectory(
            prefix=f".{name}.", suffix=".partial", dir=self.folder, ignore_cleanup_errors=True
        ) as folder:
            yield Path(folder)

    def install(self, name: str, folder: Path) -> Path:
        """Move a complete folder from `temporary_folder` into the store; the caller holds the lock."""
        for path in folder.iterdir():  # a power cut must not leave files without their content
            with path.open("rb+") as file:
                os.fsync(file.fileno())
        destination = self.folder / name
        self._check_path(name).unlink(missing_ok=True)
        if destination.exists():
            destination.rename(folder.with_name("replaced"))
        folder.rename(destination)
        return destination

    def remove(self, name: str) -> bool:
        """Delete a model and the files of unfinished fetches; return False if there was no model."""
        if not self.folder.is_dir():
            return False
        with self.lock(name), self.temporary_folder(name) as temporary:
            if not (self.folder / name).exists():
                return False
            # Renamed first, so that an interrupted deletion does not leave an incomplete model.
            (self.folder / name).rename(temporary / "removed")
            self._check_path(name).unlink(missing_ok=True)
        return True


def _describe(folder: Path, manifest: Manifest) -> str:
    """Return the sizes and modification times (ns) of a model's files, as JSON."""
    states = {name: (folder / name).stat() for name in manifest.files}
    return json.dumps({name: [s.st_size, s.st_mtime_ns, s.st_ctime_ns] for name, s in states.items()})
