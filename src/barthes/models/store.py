"""The folder of fetched models, in which a model is whole or not there at all.

::

    models/
      smollm2-135m/              a model, put there by one rename
        barthes.json             its manifest: licence, source, sizes, SHA-256
        config.json  model.safetensors  tokenizer.json  tokenizer_config.json  LICENSE
      .smollm2-135m.checked      when all its bytes were last compared, and how the files looked then
      .smollm2-135m.lock         held by the process that is changing it
      .smollm2-135m.….partial/   that process's work; if it was killed, the next fetch sweeps it away
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from barthes.errors import ModelError, OutputError
from barthes.files import write_atomically
from barthes.models.manifest import MANIFEST, Manifest, read_manifest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["RECHECK_DAYS", "ModelStore", "StoredModel", "models_folder"]

RECHECK_DAYS = 30
"""After so many days all bytes of a model are compared again, though no file of it was touched."""

State = Literal["fetched", "damaged", "not fetched"]


def models_folder() -> Path:
    """Where models are kept: `BARTHES_CACHE`, or else the user's cache folder for Barthes, `/models`.

    Raises:
        ModelError: `BARTHES_CACHE` is in the home folder of nobody.
    """
    import platformdirs

    cache = os.environ.get("BARTHES_CACHE")
    root = _expand(cache) if cache else platformdirs.user_cache_path("barthes", appauthor=False)
    return root.absolute() / "models"


def _expand(cache: str) -> Path:
    try:
        return Path(cache).expanduser()
    except RuntimeError as error:  # ~ of an unknown user: a folder of that name is not what was meant
        raise ModelError(
            "there is no such home folder.", where=f"BARTHES_CACHE={cache}", remedy="Give another path."
        ) from error


@dataclass(frozen=True, slots=True)
class StoredModel:
    """What the store holds under a name.

    Attributes:
        folder: Where the model is, or would be.
        state: Whether it can be used.
        manifest: What it was recorded to consist of, if that can be told.
        fault: Why it is damaged.
    """

    folder: Path
    state: State
    manifest: Manifest | None = None
    fault: str | None = None


class ModelStore:
    """Models in a folder, by name.

    Args:
        folder: Where they are; by default `models_folder()`. It need not exist.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = models_folder() if folder is None else folder

    def look_up(self, name: str, *, sha256: str) -> StoredModel:
        """Whether the model made from the file with that SHA-256 is there, by its files and their lengths."""
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
        """The same, or damaged where its bytes are no longer those that were stored.

        Half a gigabyte takes half a second or more to compare, so it is done only if a file was touched since
        the last time, or after `RECHECK_DAYS`; a folder that we may not write to is left at that.
        """
        manifest = stored.manifest
        if stored.state != "fetched" or manifest is None:
            return stored
        try:
            looks = _describe(stored.folder, manifest)
        except OSError as error:  # it was whole a moment ago
            return replace(stored, state="damaged", fault=f"it cannot be read ({error.strerror or error})")
        found = self._read_check(stored.folder.name)
        if found.get("files") == looks:
            age = time.time() - found.get("time", 0)
            if 0 <= age < RECHECK_DAYS * 86_400 or not os.access(self.folder, os.W_OK):
                return stored
        if (fault := manifest.find_difference(stored.folder)) is not None:
            return replace(stored, state="damaged", fault=fault)
        content = json.dumps({"time": time.time(), "files": looks})
        with contextlib.suppress(OutputError):  # somebody else's folder: it is compared each time
            write_atomically(self._check_path(stored.folder.name), content)
        return stored

    def _check_path(self, name: str) -> Path:
        # Not in the model's folder: what is in there is part of the model, for those who hash it.
        return self.folder / f".{name}.checked"

    def _read_check(self, name: str) -> dict[str, Any]:
        try:
            content = json.loads(self._check_path(name).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        sound = isinstance(content, dict) and isinstance(content.get("time", 0), int | float)
        return content if sound else {}

    @contextlib.contextmanager
    def lock(self, name: str, *, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Be the only process that changes a model; `waiting` is called if another one is at it."""
        from filelock import FileLock, Timeout

        self.folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.folder / f".{name}.lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            waiting()
            lock.acquire()
        try:
            yield
        finally:
            lock.release()

    @contextlib.contextmanager
    def workshop(self, name: str) -> Iterator[Path]:
        """A folder to work in, on the same disk, which is gone afterwards; the caller holds the lock."""
        for abandoned in self.folder.glob(f".{name}.????????.partial"):
            shutil.rmtree(abandoned, ignore_errors=True)
        folder = Path(tempfile.mkdtemp(prefix=f".{name}.", suffix=".partial", dir=self.folder))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def install(self, name: str, folder: Path) -> Path:
        """Make a finished folder of the workshop the model of that name; the caller holds the lock."""
        for path in [*folder.iterdir(), folder]:
            _flush(path)  # or a power cut could leave files of the right length with nothing in them
        destination = self.folder / name
        self._check_path(name).unlink(missing_ok=True)
        if destination.exists():
            destination.rename(folder.with_name("replaced"))
        folder.rename(destination)
        _flush(self.folder)
        return destination

    def remove(self, name: str) -> bool:
        """Delete a model and what unfinished fetches left of it; False where there was none."""
        if not self.folder.is_dir():
            return False
        with self.lock(name), self.workshop(name) as workshop:
            if not (self.folder / name).exists():
                return False
            # Renamed first: a deletion that is interrupted leaves nothing that looks like a model.
            (self.folder / name).rename(workshop / "removed")
            self._check_path(name).unlink(missing_ok=True)
        return True


def _describe(folder: Path, manifest: Manifest) -> dict[str, list[int]]:
    """How the files of a model look from outside: lengths, and the times (ns) at which they were changed."""
    looks = {}
    for name in manifest.files:
        found = (folder / name).stat()
        looks[name] = [found.st_size, found.st_mtime_ns, found.st_ctime_ns]
    return looks


def _flush(path: Path) -> None:
    """Have a file, or the names in a folder, written to the disk itself."""
    if path.is_dir() and os.name == "nt":
        return  # Windows opens no folders
    handle = os.open(path, os.O_RDONLY if os.name != "nt" else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
