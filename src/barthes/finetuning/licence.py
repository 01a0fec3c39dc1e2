"""Under which licence a base model is, where that can be told without a network."""

from __future__ import annotations

import os
import re
from pathlib import Path

from barthes.models.embedded import EMBEDDED
from barthes.models.manifest import read_manifest

__all__ = ["UNKNOWN_LICENCE", "find_licence"]

UNKNOWN_LICENCE = "see the base model"
_LINE = re.compile(r"^licen[sc]e:\s*[\"']?([\w.+-]+)", re.MULTILINE)


def find_licence(name: str) -> str:
    """The licence of a base: of an embedded model, or what a folder's manifest or model card says.

    >>> find_licence("smollm2-135m"), find_licence("some/model")
    ('Apache-2.0', 'see the base model')
    """
    if name in EMBEDDED:
        return EMBEDDED[name].licence
    path = Path(os.path.expanduser(name))  # noqa: PTH111 - Path's own raises for an unknown user
    folder = path.parent if path.is_file() else path
    if not path.exists():
        return UNKNOWN_LICENCE
    manifest = read_manifest(folder) if path.is_dir() else None
    return manifest.licence if manifest else _read_card(folder / "README.md")


def _read_card(card: Path) -> str:
    """The licence in the head of a model card."""
    try:
        text = card.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return UNKNOWN_LICENCE
    head = text.split("---", 2)[1] if text.startswith("---") and text.count("---") > 1 else ""
    found = _LINE.search(head)
    return found[1] if found else UNKNOWN_LICENCE
