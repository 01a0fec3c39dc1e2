"""OpenDocument texts (ODT, and FODT in one XML file): paragraphs and headings as LibreOffice writes them."""

from __future__ import annotations

import re
from typing import Any

from barthes.errors import ReadingError
from barthes.reading.archive import Archive
from barthes.reading.blocks import Gathering
from barthes.reading.chapters import arrange
from barthes.reading.document import Document
from barthes.reading.markup import name_of, parse_xml, text_of

__all__ = ["parse", "parse_flat"]

_MANIFEST = "META-INF/manifest.xml"
_COUNTED = {
    "note": "footnote",
    "annotation": "comment",
    "frame": "text box",
    "custom-shape": "text box",
    "table-of-content": "table of contents",
    "illustration-index": "table of contents",
    "table-index": "table of contents",
    "object-index": "table of contents",
    "alphabetical-index": "index",
    "bibliography": "index",
}
_SILENT = frozenset(
    "tracked-changes forms sequence-decls variable-decls user-field-decls annotation-end ruby-text "
    "script".split()
)
_TEXT = re.compile(r"\s+")
_LEVEL = re.compile("[0-9]{1,3}")  # of an outline
_GENERATIONS = 100  # of styles that were made from others
_MEANT = frozenset(["Title", "Subtitle", "Caption", "Illustration", "Figure"])


def parse(data: bytes, *, where: str) -> Document:
    """The document in the bytes of an ODT file.

    Raises:
        ReadingError: It is no sound ODT, or encrypted.
        EmptyNarrativeError: There is no text in it.
    """
    archive = Archive(data, where=where)
    if _MANIFEST in archive:
        manifest = parse_xml(archive.read(_MANIFEST), where=where, part=_MANIFEST)
        if next(manifest.iter("{*}encryption-data"), None) is not None:
            remedy = "Open it with its password and save it without one."
            raise ReadingError("this document is encrypted.", where=where, remedy=remedy)
    roots = [
        parse_xml(archive.read(name), where=where, part=name)
        for name in ("content.xml", "styles.xml", "meta.xml")
        if name == "content.xml" or name in archive
    ]
    return _parse_roots(roots, where)


def parse_flat(data: bytes, *, where: str) -> Document:
    """The document in the bytes of an FODT file."""
    return _parse_roots([parse_xml(data, where=where)], where)


def _parse_roots(roots: list[Any], where: str) -> Document:
    body = next(
        (each for root in roots for each in root.xpath("//*[local-name()='body']/*[local-name()='text']")),
        None,
    )
    if body is None:
        remedy = "Save the story as a text document (ODT)."
        raise ReadingError("it is an OpenDocument, but no text.", where=where, remedy=remedy)
    gathering = Gathering()
    for root in roots:
        for meta in root.iter("{*}meta"):
            titles = [each for each in meta if name_of(each) == "title"]
            gathering.title = text_of(titles[0]) if titles else gathering.title
    gathering.language = _find_language(roots)
    _count_running_heads(roots, gathering)
    _Body(gathering, _read_parents(roots)).visit(body)
    return arrange(gathering, where=where)


def _find_language(roots: list[Any]) -> str:
    """The language of the default paragraph, which is the document's; what `meta.xml` says comes after it."""
    for root in roots:
        for style in root.iter("{*}default-style"):
            if _attribute(style, "family") == "paragraph":
                for properties in style.iter("{*}text-properties"):
                    code = _attribute(properties, "language")
                    if code not in ("", "none", "zxx"):
                        return code
    return next((text_of(each) for root in roots for each in root.iter("{*}language")), "")


def _read_parents(roots: list[Any]) -> dict[str, str]:
    """The style that each style of a paragraph was made from; automatic styles have names such as P4."""
    return {
        _attribute(style, "name"): _attribute(style, "parent-style-name")
        for root in roots
        for style in root.iter("{*}style")
        if _attribute(style, "family") == "paragraph"
    }


def _count_running_heads(roots: list[Any], gathering: Gathering) -> None:
    for root in roots:
        for page in root.iter("{*}master-page"):
            for part in page:
                if name_of(part).startswith(("header", "footer")):
                    numbers = list(part.iter("{*}page-number"))
                    words = text_of(part)
                    gathering.leave_out("page number", bool(numbers))
                    gathering.leave_out("running head", bool(re.search(r"[^\W\d]", words)))


class _Body:
    """Goes through the body in reading order."""

    def __init__(self, gathering: Gathering, parents: dict[str, str]) -> None:
        self._gathering = gathering
        self._parents = parents
        self._meanings: dict[str, frozenset[str]] = {}

    def visit(self, parent: Any) -> None:
        """Add the paragraphs and headings in an element, those in lists, sections and tables too."""
        for child in parent:
            name = name_of(child)
            if name in ("p", "h"):
                self._add(child, name)
            elif name in _COUNTED:
                self._gathering.leave_out(_COUNTED[name], bool(text_of(child)))
            elif name not in _SILENT:
                self.visit(child)

    def _add(self, paragraph: Any, name: str) -> None:
        styles = self._styles_of(paragraph)
        text = "".join(self._read(paragraph))
        if "Title" in styles:
            self._gathering.title = " ".join(text.split()) or self._gathering.title
        elif "Subtitle" in styles:
            self._gathering.leave_out("heading", bool(text.strip()))
        elif {"Caption", "Illustration", "Figure"} & styles:
            self._gathering.leave_out("caption", bool(text.strip()))
        else:
            level = _attribute(paragraph, "outline-level") or "1"
            depth = min(max(int(level), 1), 6) if name == "h" and _LEVEL.fullmatch(level) else 0
            for part in re.split(r"\n\s*\n", text):
                self._gathering.add(part, level=depth)

    def _styles_of(self, paragraph: Any) -> frozenset[str]:
        """The styles of a paragraph, its own and those that it was made from, that say what it is."""
        own = _attribute(paragraph, "style-name")
        if own not in self._meanings:
            name, found = own, set()
            for _ in range(_GENERATIONS):  # in a circle, if it must be
                found.add(name)
                name = self._parents.get(name, "")
            self._meanings[own] = _MEANT & found
        return self._meanings[own]

    def _read(self, element: Any) -> list[str]:
        pieces = [_TEXT.sub(" ", element.text or "")]
        for child in element:
            name = name_of(child)
            if name in _COUNTED:
                self._gathering.leave_out(_COUNTED[name], bool(text_of(child)))  # pictures are in frames too
            elif name in ("s", "tab"):
                pieces.append(" ")
            elif name == "line-break":
                pieces.append("\n")
            elif name not in _SILENT:
                pieces += self._read(child)
            pieces.append(_TEXT.sub(" ", child.tail or ""))
        return pieces


def _attribute(element: Any, name: str) -> str:
    """An attribute by its name, whatever its namespace."""
    return next((str(value) for key, value in element.items() if key.rpartition("}")[2] == name), "")
