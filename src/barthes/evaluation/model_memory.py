"""What is remembered of models, so that stored results can be used without loading them.

A fingerprint is a hash of all weights, and takes as long as loading them. So it is written down once,
together with the precision that the model computes in and a stamp of the files that both were taken from:
names, sizes and times of change. As long as the stamp is the same, so is the fingerprint.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from barthes.evaluation.identity import safe_name
from barthes.evaluation.store import make_folder
from barthes.files import expand_home, write_atomically
from barthes.models.embedded import EMBEDDED
from barthes.models.loading import list_model_files
from barthes.version import __version__, package_version

__all__ = [
    "KnownModel",
    "locate_model",
    "recall_model",
    "remember_fingerprint",
    "stamp_model",
]

_FOLDER = ".models"  # no corpus's folder starts with a dot


@dataclass(frozen=True)
class KnownModel:
    """What is remembered of a model.

    Attributes:
        stamp: `stamp_model` of its files.
        fingerprint: The hash of all that decides its answers.
        precision: What it computed in, such as ``float32``: what ``auto`` stood for, where that was asked.
        hardware: The kind of device that it computed on; None where that is not known.
    """

    stamp: str
    fingerprint: str
    precision: str
    hardware: str | None = None


def locate_model(name: str) -> str:
    """One name for one model: the absolute path of a file or folder, else the name as it is."""
    path = None if name in EMBEDDED else _find_path(name)
    return name if path is None else str(path)


def recall_model(memory: Path, name: str, *, device: str, dtype: str) -> KnownModel | None:
    """What was remembered of a model whose files are still the same; None where nothing was."""
    found = _read(memory, name).get(_key(device, dtype), {})
    try:
        known = KnownModel(**found)
    except TypeError:  # damaged, or from a version that remembered less
        return None
    known_as = (known.stamp, known.fingerprint, known.precision, known.hardware or "")
    if not all(isinstance(value, str) for value in known_as):
        return None
    return known if known.stamp == stamp_model(name) else None


def remember_fingerprint(
    memory: Path,
    name: str,
    fingerprint: str,
    *,
    device: str,
    dtype: str,
    precision: str,
    hardware: str | None = None,
) -> None:
    """Write down the fingerprint and precision of a model beside a stamp of its files.

    A model without files of its own, such as a counting model, is not remembered.
    """
    stamp = stamp_model(name)
    if stamp is None:
        return
    known = asdict(KnownModel(stamp, fingerprint, precision, hardware))
    entries = _read(memory, name) | {_key(device, dtype): known}
    path = _path(memory, name)
    make_folder(path.parent)
    write_atomically(path, json.dumps({"model": locate_model(name), "known": entries}, indent=2) + "\n")


def stamp_model(name: str) -> str | None:
    """What tells the files of a model from others put in their place; None where there are none.

    A hash of their names, sizes and times of change, and of the versions of the programs that read them.
    """
    files = list_model_files(name)
    if not files:
        return None
    states = [(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    content = [__version__, package_version("transformers"), states]
    return hashlib.sha256(json.dumps(content).encode("utf-8", "surrogatepass")).hexdigest()


def _find_path(name: str) -> Path | None:
    """The file or folder of that name, with links and dots resolved; None where there is none."""
    given = expand_home(name)
    return given.resolve() if given.exists() else None


def _key(device: str, dtype: str) -> str:
    """Under what a model is remembered: the kind of device, not which of several, and the precision asked."""
    return f"{device.partition(':')[0]} {dtype}"


def _path(memory: Path, name: str) -> Path:
    return memory / _FOLDER / f"{safe_name(locate_model(name))}.json"


def _read(memory: Path, name: str) -> dict[str, Any]:
    try:
        known = json.loads(_path(memory, name).read_text(encoding="utf-8"))["known"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}
    return known if isinstance(known, dict) else {}
