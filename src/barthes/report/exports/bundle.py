"""Several documents in one zip: formats that hold one story a file can be written for many."""

from __future__ import annotations

import io
import zipfile

from barthes.report.escaping import FileNames

__all__ = ["Bundle"]


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
        self._names = FileNames()

    @property
    def names(self) -> list[str]:
        """The members, in the order in which they came."""
        return list(self._contents)

    def add(self, title: str, documents: dict[str, str]) -> None:
        """Add the documents of a story, given by the endings of their names."""
        stem = self._names.choose(title)
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
