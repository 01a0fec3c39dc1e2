"""HTML pages: their paragraphs and headings, as a browser would part them.

Read with lxml (libxml2), which never opens a connection. Navigation, notes, page numbers, captions and tables
of contents are left out; tables that only lay out a page are read cell by cell.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from barthes.reading.blocks import Gathering
from barthes.reading.chapters import arrange
from barthes.reading.document import Document
from barthes.reading.encoding import decode
from barthes.reading.markup import begin_of, name_of, parse_html, text_of
from barthes.reading.page_parts import BLOCKS, find_kind

__all__ = ["gather_page", "parse", "parse_page"]

_CHARSET = re.compile(
    rb"""<(?:meta\b[^>]*?charset|\?xml\b[^>]*?encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE
)
_HEADING = re.compile(r"h([1-6])")
_LATIN = ("iso-8859-1", "latin-1", "latin1", "us-ascii", "ascii")  # which browsers read as Windows-1252
_UNFIT = ("idna", "punycode", "unicode-escape", "raw-unicode-escape", "utf-7", "undefined")
"""Codecs of Python's that no page is in; some take hours for a long one."""
_BREAK = "\N{LINE SEPARATOR}"  # stands for <br> until white space is tidied
_OPEN, _CLOSE = "“", "”"


def parse(data: bytes, *, where: str) -> Document:
    """The document in the bytes of an HTML page.

    Raises:
        ReadingError: It is no text, or nested too deep.
        EmptyNarrativeError: There is no text in it.
    """
    text, note = _decode(data, where)
    return parse_page(text, where=where, notes=(note,) if note else ())


def parse_page(text: str, *, where: str, notes: tuple[str, ...] = ()) -> Document:
    """The document in the text of an HTML page."""
    root = parse_html(text, where=where)
    gathering = Gathering(
        language=root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or ""
    )
    gathering.notes += notes
    gather_page(root, gathering)
    document = arrange(gathering, where=where)
    return replace(document, title=document.title or text_of(root.find(".//head/title")))


def gather_page(root: Any, gathering: Gathering) -> None:
    """Add the paragraphs and headings of a page; its one `<main>` or `<article>` where it has one."""
    body = next(root.iter("{*}body"), root)
    for name in ("main", "article"):
        found = list(body.iter(f"{{*}}{name}"))
        if len(found) == 1:
            body = found[0]
            break
    _Walk(gathering).visit(body)


def _decode(data: bytes, where: str) -> tuple[str, str | None]:
    declared = _CHARSET.search(data[:4096])
    name = declared[1].decode("ascii").lower() if declared else ""
    marked = data.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf"))
    if name and not marked and not name.startswith(("utf-16", "utf-32")):  # we could not have read the name
        try:
            codec = codecs.lookup("cp1252" if name in _LATIN else name).name
            if codec.replace("_", "-") not in _UNFIT:
                return data.decode(codec), None
        except (LookupError, ValueError):
            pass  # the page is wrong about itself
    return decode(data, where=where)


class _Walk:
    """Goes through a page in reading order and puts its text into blocks."""

    def __init__(self, gathering: Gathering) -> None:
        self._gathering = gathering
        self._pieces: list[str] = []
        self._anchors: list[str] = []
        self._level = 0
        self._preformatted = 0
        self._depth = 0

    def visit(self, element: Any) -> None:
        """Add an element with all that is in it."""
        self._enter(element)
        self._flush()

    def _enter(self, element: Any) -> None:
        name = name_of(element)
        if anchor := element.get("id") or element.get("name"):
            if name in BLOCKS:
                self._flush()
            self._anchors.append(anchor)
        kind = find_kind(element, depth=self._depth) if name else ""
        if kind is not None:
            self._leave_out(element, kind)
            return
        heading = _HEADING.fullmatch(name)
        if name in BLOCKS:
            self._flush()
        if name in ("br", "img", "wbr", "hr"):
            self._pieces.append({"br": _BREAK, "img": _initial(element)}.get(name, ""))
        before, self._level = self._level, int(heading[1]) if heading else self._level
        self._preformatted += name == "pre"
        self._depth += 1
        self._read_inside(element, name)
        self._depth -= 1
        if name in BLOCKS:
            self._flush()
        self._preformatted -= name == "pre"
        self._level = before

    def _read_inside(self, element: Any, name: str) -> None:
        quoted = name == "q" and begin_of(element) not in ("“", '"', "«", "„", "‘", "'")
        self._pieces.append(_OPEN if quoted else "")
        self._read(element.text)
        for child in element:
            self._enter(child)
            self._read(child.tail)
        self._pieces.append(_CLOSE if quoted else "")

    def _read(self, text: str | None) -> None:
        if text:
            text = text.replace(_BREAK, " ")
            self._pieces.append(text.replace("\n", _BREAK) if self._preformatted else text)

    def _leave_out(self, element: Any, kind: str) -> None:
        # Links may lead to what is left out, and the text goes on behind it.
        self._anchors += [
            each for inner in element.iter() for each in _anchors_of(inner) if inner is not element
        ]
        if name_of(element) in BLOCKS:
            self._flush()
        if kind and (text_of(element) or kind == "page number"):
            self._gathering.leave_out(kind, _count(element, kind))

    def _flush(self) -> None:
        text = "".join(self._pieces)
        anchors, self._pieces = self._anchors, []
        if text.strip(f" \t\r\n{_BREAK}"):
            self._anchors = []
            for index, part in enumerate(_part(text)):
                self._gathering.add(part, level=self._level, anchors=() if index else anchors)
        elif anchors and not self._level:
            self._anchors = []
            self._gathering.add("", anchors=anchors)


def _part(text: str) -> Iterator[str]:
    """The paragraphs of a block: two breaks on end part them, one is a line of verse."""
    lines = (" ".join(line.split()) for line in text.split(_BREAK))
    for part in re.split(r"\n{2,}", "\n".join(lines).strip("\n")):
        if part.strip():
            yield part.strip("\n")


def _initial(element: Any) -> str:
    """The letter that a picture of an initial stands for; other pictures say nothing."""
    described = (element.get("alt") or "").strip()
    return described if len(described) == 1 and described.isalpha() else ""


def _anchors_of(element: Any) -> list[str]:
    return [anchor for anchor in (element.get("id"), element.get("name")) if anchor]


def _count(element: Any, kind: str) -> int:
    """How many notes are in a list of notes; otherwise one."""
    if kind != "footnote":
        return 1
    return max(1, len(list(element.iter("{*}li"))))
