"""Folders: which files in them are stories."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NoReturn

from barthes.errors import ReadingError
from barthes.reading.formats import ENDINGS

__all__ = ["ABOUT_FILES", "STORY_SUFFIXES", "find_stories"]

STORY_SUFFIXES = tuple(ENDINGS)
"""Endings, in lower case, of the files that are picked up from a folder."""

ABOUT_FILES = frozenset("readme license licence copying changelog contributing authors notice".split())
"""Names, without ending and in lower case, of files that are about a folder and no stories."""


def find_stories(paths: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """The files behind some paths: folders give the stories in them and below, sorted by path.

    Files, and ``-``, stay as they are, whatever their ending and whether they exist or not. Hidden files
    and folders are passed over, and so are files about a folder (README, LICENSE …); links to folders are
    not followed.

    Raises:
        ReadingError: There is no story in a folder, or a folder may not be read.
    """
    return [story for path in paths for story in _expand(os.fspath(path))]


def _expand(given: str) -> list[Path]:
    if not given:  # Path("") is the folder we are in, which nobody means
        raise ReadingError("the name of a story is empty.", remedy="Give a file, a folder, or - for a pipe.")
    path = Path(given)
    if not os.path.isdir(path):  # noqa: PTH112 - Path's own raises for a name that is too long
        return [path]
    stories = sorted(_walk(path))
    if not stories:
        endings = ", ".join(f"*{suffix}" for suffix in STORY_SUFFIXES)
        raise ReadingError(
            "there is no story in this folder.", where=path, remedy=f"Stories are files named {endings}."
        )
    return stories


def _walk(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder, onerror=_refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if name.lower().endswith(STORY_SUFFIXES) and not _is_passed_over(name):
                yield Path(parent, name)


def _is_passed_over(name: str) -> bool:
    return name.startswith((".", "~$")) or Path(name).stem.lower() in ABOUT_FILES


def _refuse(error: OSError) -> NoReturn:
    remedy = "Check who may read it."
    raise ReadingError(
        f"it cannot be read ({error.strerror}).", where=error.filename, remedy=remedy
    ) from error
