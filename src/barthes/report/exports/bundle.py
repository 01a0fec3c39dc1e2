"""Several documents in one zip: formats that hold one story a file can be written for many."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import PurePath

__all__ = ["Bundle"]

_UNSAFE = re.compile(r"[^\w.-]+")
_ENDING = re.compile(r"\.\w{1,8}$")  # not the rest of a title such as "1. The wolf"
_LONGEST = 100  # characters of a name


class Bundle:
    """Takes documents one by one and gives the bytes of a zip; names are made safe and told apart.

    >>> bundle = Bundle()
    >>> bundle.add("tales/a wolf.txt", {"xml": "<TEI/>"})
    >>> bundle.add("../a wolf.txt", {"xml": "<TEI/>"})
    >>> bundle.names
    ['a_wolf.xml', 'a_wolf-2.xml']
    """

    def __init__(self) -> None:
        self._contents: dict[str, str] = {}
        self._stems: set[str] = set()

    @property
    def names(self) -> list[str]:
        """The members, in the order in which they came."""
        return list(self._contents)

    def add(self, title: str, documents: dict[str, str]) -> None:
        """Add the documents of a story, given by the endings of their names."""
        stem = self._name(title)
        for ending, content in documents.items():
            self._contents[f"{stem}.{ending}"] = content

    def to_bytes(self) -> bytes:
        """The zip; the same documents give the same bytes."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in self._contents.items():
                member = zipfile.ZipInfo(name)  # dated 1980, whatever the clock says
                member.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(member, content.encode("utf-8"))
        return buffer.getvalue()

    def _name(self, title: str) -> str:
        name = _ENDING.sub("", PurePath(title.replace("\\", "/")).name)
        stem = _UNSAFE.sub("_", name).strip("._")[:_LONGEST] or "story"
        found, number = stem, 1
        while found.lower() in self._stems:
            number += 1
            found = f"{stem}-{number}"
        self._stems.add(found.lower())
        return found
