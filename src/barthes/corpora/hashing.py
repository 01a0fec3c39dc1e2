"""By what a text's content is known again: the same hash for the same content, on every machine."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from barthes.annotation.events import Annotation

__all__ = ["hash_annotation", "hash_bytes", "hash_content", "hash_file"]


def hash_content(content: Any) -> str:
    """SHA-256 of what JSON can hold; the order of keys does not matter.

    >>> hash_content({"a": 1, "b": 2}) == hash_content({"b": 2, "a": 1})
    True
    """
    return hashlib.sha256(json.dumps(content, ensure_ascii=True, sort_keys=True).encode()).hexdigest()


def hash_annotation(annotation: Annotation) -> str:
    """SHA-256 of all that an annotation says."""
    return hash_content(annotation.to_dict())


def hash_bytes(content: bytes) -> str:
    """SHA-256 of bytes, as ``sha256sum`` tells it."""
    return hashlib.sha256(content).hexdigest()


def hash_file(path: Path) -> str:
    """SHA-256 of a file that has been read before."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
