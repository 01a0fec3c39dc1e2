"""What a stored model must hold: a small file beside the weights, by which damage is noticed."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from barthes.files import write_atomically
from barthes.models.checksum import file_sha256

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["MANIFEST", "Manifest", "StoredFile", "read_manifest", "write_manifest"]

MANIFEST = "barthes.json"
_FORMAT = 1  # of the folder as a whole: a model stored in another form is fetched again


@dataclass(frozen=True, slots=True)
class StoredFile:
    """The length (bytes) and the SHA-256 of one file of a stored model."""

    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """Where a stored model comes from, under which licence, and the files that it consists of.

    Attributes:
        name: What people call it.
        licence: An SPDX identifier.
        source: The published file that it was made from.
        sha256: That file's SHA-256.
        files: The stored files by name, the manifest itself left out.
    """

    name: str
    licence: str
    source: str
    sha256: str
    files: Mapping[str, StoredFile]

    @property
    def size(self) -> int:
        """The bytes of all files together."""
        return sum(file.size for file in self.files.values())

    def find_fault(self, folder: Path) -> str | None:
        """The first file that is missing, out of reach or of another length; cheap enough for every use."""
        for name, file in self.files.items():
            try:
                found = (folder / name).stat().st_size
            except FileNotFoundError:
                return f"{name} is missing"
            except (OSError, ValueError) as error:  # ValueError: a null in the name
                return f"{name} cannot be read ({getattr(error, 'strerror', None) or error})"
            if found != file.size:
                return f"{name} is {found:,} bytes long, not {file.size:,}"
        return None

    def find_difference(self, folder: Path) -> str | None:
        """The first file that is missing or not, byte for byte, what was stored; reads all of them."""
        if (fault := self.find_fault(folder)) is not None:
            return fault
        for name, file in self.files.items():
            try:
                found = file_sha256(folder / name)
            except OSError as error:
                return f"{name} cannot be read ({error.strerror or error})"
            if found != file.sha256:
                return f"{name} has changed: SHA-256 {file.sha256} expected, {found} found"
        return None


def write_manifest(folder: Path, *, name: str, licence: str, source: str, sha256: str) -> Manifest:
    """Record the files that are in a folder as those of a model."""
    files = {
        path.name: StoredFile(path.stat().st_size, file_sha256(path))
        for path in sorted(folder.iterdir())
        if path.name != MANIFEST
    }
    manifest = Manifest(name, licence, source, sha256, files)
    content = {"format": _FORMAT, **asdict(manifest)}
    write_atomically(folder / MANIFEST, json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    return manifest


def read_manifest(folder: Path) -> Manifest | None:
    """What a folder was recorded to hold; None where that cannot be told."""
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
