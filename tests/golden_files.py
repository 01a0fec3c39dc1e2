"""Compare rendered documents with golden files; run with GOLDEN=write to accept changes."""

from __future__ import annotations

import os
from pathlib import Path


def check_golden(path: Path, document: str) -> None:
    """Fail unless the file has exactly this content."""
    if os.environ.get("GOLDEN") == "write":
        path.write_bytes(document.encode("utf-8"))
    assert document == path.read_bytes().decode("utf-8")
