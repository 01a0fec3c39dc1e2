"""Find story files in folders, and read the bytes of a file or of standard input up to a limit.

A Scrivener project, which is a folder, counts as one file.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, NoReturn

from barthes.errors import ReadingError
from barthes.reading.formats import ENDINGS

LARGEST = 50_000_000
"""Bytes that a story file may have (War and Peace has 3.4 million)."""

STANDARD_INPUT = "-"

STORY_SUFFIXES = tuple(ENDINGS)
"""Endings, in lower case, of the files that are picked up from a folder."""

ABOUT_FILES = frozenset("readme license licence copying changelog contributing authors notice".split())
"""Names, without ending and in lower case, of files that describe a folder and are not stories."""


def read_bytes(source: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a file, of standard input for ``-``, or of a Scrivener project as a zip archive.

    Raises:
        ReadingError: The file is missing, a folder, not readable, or larger than `LARGEST`.
    """
    if os.fspath(source) == STANDARD_INPUT:
        return _read_limited(sys.stdin.buffer, "standard input")
    path = Path(source)
    try:
        if is_project(path):
            from barthes.reading.scrivener import pack_project

            return pack_project(path)
        with path.open("rb") as file:
            return _read_limited(file, path)
    except (OSError, ValueError) as error:  # ValueError: a null in the name
        if isinstance(error, FileNotFoundError):
            problem, remedy = "there is no such file.", "Check its name and folder."
        elif isinstance(error, IsADirectoryError):
            problem, remedy = "this is a folder, not a story.", "Give the files in it."
        elif isinstance(error, PermissionError):
            problem, remedy = "it may not be read.", "Check who may read it, and that it is a file."
        else:
            cause = getattr(error, "strerror", None) or error
            problem, remedy = f"it cannot be read ({cause}).", "Check its name and disk."
        raise ReadingError(problem, where=path, remedy=remedy) from error


def is_project(path: Path) -> bool:
    """Return whether a path is the folder of a Scrivener project: it ends in ``.scriv``, or has a binder."""
    if not os.path.isdir(path):  # noqa: PTH112 - Path's own raises for a name that is too long
        return False
    return path.suffix.lower() == ".scriv" or any(path.glob("*.scrivx"))


def _read_limited(file: BinaryIO, where: str | Path) -> bytes:
    """Read a whole file; one that is too large is refused before it is all in memory."""
    try:
        size = os.fstat(file.fileno()).st_size
    except OSError:  # a stream in memory has no descriptor
        size = 0
    data = b"" if size > LARGEST else file.read(LARGEST + 1)  # pipes and devices do not report their size
    if max(size, len(data)) > LARGEST:
        problem = f"it is larger than {LARGEST // 1_000_000} MB."
        raise ReadingError(problem, where=where, remedy="Split it into stories.")
    return data


def find_stories(paths: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """Return the files behind some paths: folders give the stories in them and below, sorted by path.

    Files, projects and ``-`` stay as they are, whatever their ending and whether they exist or not. Hidden
    files and folders are skipped, and so are files about a folder (README, LICENSE …); links to folders are
    not followed.

    Raises:
        ReadingError: There is no story in a folder, or a folder may not be read.
    """
    return [story for path in paths for story in _expand(os.fspath(path))]


def _expand(given: str) -> list[Path]:
    if not given:  # Path("") would be the current folder
        raise ReadingError("the name of a story is empty.", remedy="Give a file, a folder, or - for a pipe.")
    path = Path(given)
    if not os.path.isdir(path) or is_project(path):  # noqa: PTH112 - see above
        return [path]
    stories = sorted(_walk(path))
    if not stories:
        remedy = f"Stories are files named {', '.join(f'*{suffix}' for suffix in STORY_SUFFIXES)}."
        raise ReadingError("there is no story in this folder.", where=path, remedy=remedy)
    return stories


def _walk(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder, onerror=_refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        if is_project(Path(parent)):
            folders.clear()
            yield Path(parent)
            continue
        for name in names:
            skipped = name.startswith((".", "~$")) or Path(name).stem.lower() in ABOUT_FILES
            if name.lower().endswith(STORY_SUFFIXES) and not skipped:
                yield Path(parent, name)


def _refuse(error: OSError) -> NoReturn:
    problem = f"it cannot be read ({error.strerror})."
    raise ReadingError(problem, where=error.filename, remedy="Check who may read it.") from error
