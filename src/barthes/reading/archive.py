"""Read zip archives, such as DOCX, EPUB and ODT files, in memory and with limits."""

from __future__ import annotations

import io
import lzma
import posixpath
import struct
import zipfile
import zlib
from typing import Any, NoReturn
from urllib.parse import unquote, urlsplit

from barthes.errors import ReadingError
from barthes.reading.xml_parsing import parse_xml

MAX_MEMBERS = 10_000
MAX_BYTES = 50_000_000
"""Bytes of one member, unpacked: as many as a plain file may have."""
MAX_TOTAL_BYTES = 200_000_000
"""Bytes of all members that are read from one archive."""
MAX_RATIO = 200
"""Ratio of unpacked to packed bytes; that of text is seldom more than ten."""
_SMALL = 1_000_000  # bytes: what unpacks to less may have any ratio
_DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, OSError, ValueError)


class Archive:
    """The members of a zip archive by name, unpacked on demand; `where` names the file in errors.

    Raises:
        ReadingError: It is not a valid archive, or has too many members.
    """

    def __init__(self, data: bytes, *, where: str) -> None:
        self.where = where
        self._total = 0
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (*_DAMAGED, NotImplementedError) as error:
            self.refuse(f"it is not a valid zip archive ({error}).", cause=error)
        members = self._zip.infolist()
        if len(members) > MAX_MEMBERS:
            self.refuse(f"it has {len(members):,} members, more than {MAX_MEMBERS:,}.")
        # Names are only keys here, never paths on a disk: ../../etc/passwd does no harm.
        self._members = {each.filename: each for each in members if not each.filename.endswith("/")}
        self.names: tuple[str, ...] = tuple(self._members)

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def read(self, name: str) -> bytes:
        """Return the bytes of a member.

        Raises:
            ReadingError: There is no such member, it is too large, or it is damaged or encrypted.
        """
        member = self._members.get(name)
        if member is None:
            self.refuse(f"{name!r} is missing.")
        size = member.file_size
        if size > MAX_BYTES:
            self.refuse(f"{name!r} in it would unpack to {size:,} bytes.")
        if size > _SMALL and size > MAX_RATIO * max(member.compress_size, 1):
            self.refuse(f"{name!r} in it would unpack to more than {MAX_RATIO} times its size.")
        try:
            with self._zip.open(member) as file:
                data = file.read(MAX_BYTES + 1)  # the sizes in a directory may lie
        except _DAMAGED as error:
            self.refuse(f"{name!r} in it is broken ({error}).", cause=error)
        except (NotImplementedError, RuntimeError) as error:  # a compression that we lack; a password
            self.refuse(f"{name!r} in it cannot be unpacked ({error}).", cause=error)
        self._total += len(data)
        if len(data) > MAX_BYTES or self._total > MAX_TOTAL_BYTES:
            self.refuse(f"{name!r} in it unpacks to too much.")
        return data

    def parse(self, name: str) -> Any:
        """Return the root element of a member that is XML."""
        return parse_xml(self.read(name), where=self.where, part=name)

    def refuse(self, problem: str, *, cause: Exception | None = None) -> NoReturn:
        """Raise a `ReadingError` that names the archive."""
        if len(problem) > 500:  # a member's name may have thousands of letters
            problem = f"{problem[:300]} … {problem[-100:]}"
        remedy = "Get it again, or save it again with the program that made it."
        raise ReadingError(problem, where=self.where, remedy=remedy) from cause


def resolve(reference: str, *, base: str) -> tuple[str, str] | None:
    """Return the member and the fragment that a link in a member leads to; None if it leads elsewhere.

    >>> resolve("../text/ch%201.xhtml#two", base="OEBPS/nav/toc.xhtml")
    ('OEBPS/text/ch 1.xhtml', 'two')
    >>> resolve("https://example.org/", base="toc.xhtml") is resolve("../../x", base="a/toc.xhtml") is None
    True
    """
    try:
        parts = urlsplit(reference.strip())
    except ValueError:
        return None
    if parts.scheme or parts.netloc:
        return None
    if not parts.path:
        return base, unquote(parts.fragment)
    path = unquote(parts.path)
    joined = path.lstrip("/") if path.startswith("/") else posixpath.join(posixpath.dirname(base), path)
    name = posixpath.normpath(joined)
    return None if name == ".." or name.startswith("../") else (name, unquote(parts.fragment))
