"""The folder of fetched models, in which a model is whole or not there at all.

::

    models/
      smollm2-135m/              a model, put there by one rename
        barthes.json             its manifest: licence, source, sizes, SHA-256
        config.json  model.safetensors  tokenizer.json  tokenizer_config.json  LICENSE
      .smollm2-135m.lock         held by the process that is changing it
      .smollm2-135m.….partial/   that process's work; if it was killed, the next fetch sweeps it away
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from barthes.errors import ModelError
from barthes.models.manifest import MANIFEST, Manifest, read_manifest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["ModelStore", "StoredModel", "models_folder"]

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
        if not folder.exists():
            return StoredModel(folder, "not fetched")
        manifest = read_manifest(folder)
        if manifest is None:
            return StoredModel(folder, "damaged", fault=f"{MANIFEST} is missing or cannot be read")
        if manifest.sha256 != sha256:
            return StoredModel(folder, "damaged", manifest, fault="it was made from another file")
        fault = manifest.find_fault(folder)
        return StoredModel(folder, "damaged" if fault else "fetched", manifest, fault)

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
        return True


def _flush(path: Path) -> None:
    """Have a file, or the names in a folder, written to the disk itself."""
    if path.is_dir() and os.name == "nt":
        return  # Windows opens no folders
    handle = os.open(path, os.O_RDONLY if os.name != "nt" else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
