"""Under which licence a base model is: what its manifest, its card, its file or the hub says."""

from __future__ import annotations

import re
from pathlib import Path

from barthes.files import expand_home
from barthes.models.embedded import EMBEDDED
from barthes.models.store import read_manifest

__all__ = ["UNKNOWN_LICENCE", "find_licence"]

UNKNOWN_LICENCE = "see the base model"
_NAME = r"\w[\w.+-]*"
_LINE = re.compile(rf"^licen[sc]e:[ \t]*[\"']?({_NAME})[\"']?[ \t]*(?:#.*)?$", re.MULTILINE)


def find_licence(name: str) -> str:
    """The licence of a base: of an embedded model, of a folder, of a GGUF file, or of a model on the hub.

    >>> find_licence("smollm2-135m")
    'Apache-2.0'
    """
    if name in EMBEDDED:
        return EMBEDDED[name].licence
    path = expand_home(name)
    if path.is_dir():
        manifest = read_manifest(path)
        return manifest.licence if manifest else _read_card(path / "README.md")
    if path.is_file():
        return _read_gguf(path) or _read_card(path.parent / "README.md")
    from barthes.models.pretrained import find_cached

    card = find_cached(name, "README.md")
    return _ask_hub(name) if card is None else _read_card(card)


def _read_card(card: Path) -> str:
    """The licence in the head of a model card."""
    try:
        text = card.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return UNKNOWN_LICENCE
    head = text.split("---", 2)[1] if text.startswith("---") and text.count("---") > 1 else ""
    found = _LINE.search(head)
    return found[1] if found else UNKNOWN_LICENCE


def _read_gguf(file: Path) -> str | None:
    """What a GGUF file says of itself."""
    from gguf import GGUFReader

    try:
        field = GGUFReader(file).get_field("general.license")
        return None if field is None else _check_name(field.contents())
    except (OSError, ValueError, IndexError, KeyError):  # it was loaded; only this is not to be had from it
        return None


def _ask_hub(name: str) -> str:
    """What a model's card on the hub says, where it did not come from there with the model."""
    from barthes.models.pretrained import ask_hub

    try:
        card = ask_hub(name).card_data
    except OSError:  # no network, no permission, no such model
        return UNKNOWN_LICENCE
    return _check_name(None if card is None else card.get("license")) or UNKNOWN_LICENCE


def _check_name(licence: object) -> str | None:
    """A licence that is named in one word; strangers write lists there, and whole texts."""
    return licence if isinstance(licence, str) and re.fullmatch(_NAME, licence) else None
