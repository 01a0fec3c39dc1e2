"""Names for the files of many stories: safe on every disk, and told apart."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePath

__all__ = ["FileNames"]

_UNSAFE = re.compile(r"[^\w.-]+")
_ENDING = re.compile(r"\.\w{1,8}$")  # not the rest of a title such as "1. The wolf"
_LONGEST = 100  # characters of a name


class FileNames:
    """Gives each title a name without its ending, never the same one twice.

    >>> names = FileNames()
    >>> names.choose("tales/a wolf.txt"), names.choose("../A wolf.txt"), names.choose("1. The fog")
    ('a_wolf', 'A_wolf-2', '1._The_fog')
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def reserve(self, names: Iterable[str]) -> None:
        """Do not give these names; large and small letters are one on some disks."""
        self._taken |= {name.lower() for name in names}

    def choose(self, title: str) -> str:
        """A name for the story of that title."""
        name = _ENDING.sub("", PurePath(title.replace("\\", "/")).name)
        stem = _UNSAFE.sub("_", name).strip("._")[:_LONGEST] or "story"
        found, number = stem, 1
        while found.lower() in self._taken:
            number += 1
            found = f"{stem}-{number}"
        self._taken.add(found.lower())
        return found
