"""Which files on this machine a model's name stands for; what changes in them may change its answers."""

from __future__ import annotations

from pathlib import Path

from barthes.errors import ModelError
from barthes.files import expand_home
from barthes.models.adapter import ADAPTER_SETTINGS, ADAPTER_WEIGHTS, is_adapter, read_adapter
from barthes.models.embedded import EMBEDDED, look_up

__all__ = ["list_model_files"]


def list_model_files(name: str) -> list[Path]:
    """The files of a model, looked for as `load_model` does; for an adapter, those of its base too.

    Empty where the model, or the base of an adapter, is not on this machine: a name that might be had from
    the hub, an embedded model that has not been fetched.
    """
    return _list_files(name, ())


def _list_files(name: str, above: tuple[Path, ...]) -> list[Path]:
    path = _find_path(name)
    if path is None or path in above:
        return []
    if not is_adapter(path):
        return sorted(file for file in path.iterdir() if file.is_file()) if path.is_dir() else [path]
    try:
        base = _list_files(read_adapter(path).base, (*above, path))
    except ModelError:  # loading it will say what is wrong
        return []
    return [path / ADAPTER_SETTINGS, path / ADAPTER_WEIGHTS, *base] if base else []


def _find_path(name: str) -> Path | None:
    """The folder or the file of a model, with links and dots resolved; None where there is none."""
    if name in EMBEDDED:
        stored = look_up(name)
        return stored.folder if stored.state == "fetched" else None
    given = expand_home(name)
    return given.resolve() if given.exists() else _find_snapshot(name)


def _find_snapshot(name: str) -> Path | None:
    """The folder in which the Hugging Face cache holds a model or an adapter of the hub."""
    from barthes.models.pretrained import find_cached

    for file in ("config.json", ADAPTER_SETTINGS):
        if (found := find_cached(name, file)) is not None:
            return found.parent
    return None
