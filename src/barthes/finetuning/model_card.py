"""The model card of a fine-tuned model, and the licence of its base."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from barthes.files import expand_home
from barthes.models.embedded import EMBEDDED
from barthes.models.store import read_manifest

__all__ = ["CURVE", "UNKNOWN_LICENCE", "find_licence", "render_card"]

CURVE = "loss.png"
"""The name of the loss curve; beside it is one in SVG."""

UNKNOWN_LICENCE = "see the base model"

_MOST_SOURCES = 30
_LICENCE_NAME = re.compile(r"\w[\w.+-]*")


def render_card(record: dict[str, Any], *, curve: bool = True) -> str:
    """Return the card in Markdown, with the metadata that model hubs read. It names no folders of the user.

    Args:
        record: The record of a run.
        curve: Whether the loss curve is beside the card.
    """
    from jinja2 import Environment, PackageLoader

    stories, perplexity = record["stories"], record["perplexity"]
    settings = record["settings"] | {"dtype": record["precision"], "device": record["device"]}
    lora = settings["method"] == "lora"
    hidden = {"model"} if lora else {"model", "rank", "alpha", "adapter_dtype"}
    sources = sorted({_source(story["name"]) for part in stories.values() for story in part})
    more = f" and {len(sources) - _MOST_SOURCES} more" if len(sources) > _MOST_SOURCES else ""
    licence = record["base"]["licence"]
    environment = Environment(
        loader=PackageLoader("barthes.finetuning", "."), trim_blocks=True, keep_trailing_newline=True
    )
    return environment.get_template("model_card.md").render(
        record=record,
        base=_short(record["base"]["name"]),
        licence="" if licence == UNKNOWN_LICENCE else licence.lower(),
        lora=lora,
        curve=CURVE if curve else "",
        figures=[
            (name, perplexity[part])
            for part, name in (("held_out", "stories held out"), ("train", "stories trained on"))
            if perplexity[part]
        ],
        parts=[
            (name, len(stories[part]), sum(story["words"] for story in stories[part]), record["tokens"][part])
            for part, name in (("train", "Trained on"), ("held_out", "Held out"))
            if stories[part]
        ],
        sources=", ".join(f"`{source}`" for source in sources[:_MOST_SOURCES]) + more,
        settings=[
            (name.replace("_", " "), value)
            for name, value in settings.items()
            if name not in hidden and value is not None
        ],
        versions=", ".join(f"{name} {version}" for name, version in record["versions"].items()),
    )


def _short(name: str) -> str:
    """Return a model's name, or the last part of its path."""
    path = Path(name)
    return path.name if path.is_absolute() or path.exists() or name.startswith((".", "~")) else name


def _source(name: str) -> str:
    """Return the file that a story comes from, without its folders and the story's title."""
    return name.partition(": ")[0].rpartition("/")[2] or name


def find_licence(name: str) -> str:
    """Return the licence of a base: of an embedded model, a folder, a GGUF file, or a model on the hub.

    >>> find_licence("smollm2-135m")
    'Apache-2.0'
    """
    if name in EMBEDDED:
        return EMBEDDED[name].licence
    path = expand_home(name)
    if path.is_dir():
        manifest = read_manifest(path)
        found = manifest.licence if manifest else _read_card(path / "README.md")
    elif path.is_file():
        found = _read_gguf(path) or _read_card(path.parent / "README.md")
    else:
        found = _find_on_hub(name)
    return found or UNKNOWN_LICENCE


def _find_on_hub(name: str) -> str | None:
    """Return the licence of a model on the hub, from its card in the cache or from the hub."""
    from barthes.models.pretrained import ask_hub, find_cached

    if (card := find_cached(name, "README.md")) is not None:
        return _read_card(card)
    try:
        data = ask_hub(name).card_data
    except OSError:  # no network, no permission, no such model
        return None
    return _check_name(None if data is None else data.get("license"))


def _read_card(card: Path) -> str | None:
    """Return the licence in the metadata of a model card."""
    from huggingface_hub import metadata_load

    try:
        data = metadata_load(card)
    except Exception:  # no card, no text, or no YAML
        return None
    return _check_name((data or {}).get("license"))


def _read_gguf(file: Path) -> str | None:
    """Return the licence in the metadata of a GGUF file."""
    from gguf import GGUFReader

    try:
        field = GGUFReader(file).get_field("general.license")
        return None if field is None else _check_name(field.contents())
    except (OSError, ValueError, IndexError, KeyError):  # it could be loaded; only this is not to be read
        return None


def _check_name(licence: object) -> str | None:
    """Return a licence that is named in one word; some cards hold lists there, or whole texts."""
    return licence if isinstance(licence, str) and _LICENCE_NAME.fullmatch(licence) else None
