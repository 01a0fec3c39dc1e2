"""Content hashes (SHA-256) that are the same on every machine, for cache keys and for provenance."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any


def hash_content(content: Any) -> str:
    """Hash a JSON-serializable value; the order of keys does not matter.

    >>> hash_content({"a": 1, "b": 2}) == hash_content({"b": 2, "a": 1})
    True
    """
    return hashlib.sha256(json.dumps(content, ensure_ascii=True, sort_keys=True).encode()).hexdigest()


def hash_bytes(content: bytes) -> str:
    """Hash bytes, as ``sha256sum`` does."""
    return hashlib.sha256(content).hexdigest()


def hash_file(path: Path) -> str:
    """Hash the content of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
