"""Parse OpenDocument texts (ODT, and FODT in one XML file): their paragraphs and headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from barthes.errors import ReadingError
from barthes.reading.archive import Archive
from barthes.reading.document import Draft
from barthes.reading.xml_parsing import attribute_of, follow_styles, name_of, parse_xml, text_of

_MANIFEST = "META-INF/manifest.xml"
_MARKED = {
    "note": "note",
    "annotation": "note",
    "frame": "caption",
    "custom-shape": "caption",
    "alphabetical-index": "matter",
    "bibliography": "matter",
    **dict.fromkeys(["table-of-content", "illustration-index", "table-index", "object-index"], "contents"),
}
_SILENT = frozenset(
    "tracked-changes forms sequence-decls variable-decls user-field-decls annotation-end ruby-text "
    "script".split()
)
_SIGNS = {"s": " ", "tab": " ", "line-break": "\n"}
_TEXT = re.compile(r"\s+")
_LEVEL = re.compile("[0-9]{1,3}")  # of an outline
_STYLES = {"Title": "title", "Subtitle": "subtitle"} | dict.fromkeys(
    ["Caption", "Illustration", "Figure"], "caption"
)


def parse(data: bytes, *, where: str) -> Draft:
    """Parse the bytes of an ODT file."""
    archive = Archive(data, where=where)
    if _MANIFEST in archive:
        encrypted = archive.parse(_MANIFEST).iter("{*}encryption-data")
        if next(encrypted, None) is not None:
            remedy = "Open it with its password and save it without one."
            raise ReadingError("this document is encrypted.", where=where, remedy=remedy)
    others = [name for name in ("styles.xml", "meta.xml") if name in archive]
    return _parse_roots([archive.parse(name) for name in ("content.xml", *others)], where)


def parse_flat(data: bytes, *, where: str) -> Draft:
    """Parse the bytes of an FODT file."""
    return _parse_roots([parse_xml(data, where=where)], where)


def _parse_roots(roots: list[Any], where: str) -> Draft:
    path = "//*[local-name()='body']/*[local-name()='text']"
    body = next((each for root in roots for each in root.xpath(path)), None)
    if body is None:
        remedy = "Save the story as a text document (ODT)."
        raise ReadingError("it is an OpenDocument file but not a text.", where=where, remedy=remedy)
    draft = Draft()
    for meta in _iterate(roots, "meta"):
        fields = {name_of(each): text_of(each) for each in reversed(meta)}
        draft.title = fields.get("title", draft.title)
        draft.author = fields.get("initial-creator", draft.author)
    draft.language = _find_language(roots)
    parents = {  # of the paragraph styles; automatic ones have names such as P4
        attribute_of(style, "name"): attribute_of(style, "parent-style-name")
        for style in _iterate(roots, "style")
        if attribute_of(style, "family") == "paragraph"
    }
    _BodyReader(draft, parents).read(body)
    for part in (part for page in _iterate(roots, "master-page") for part in page):
        if name_of(part).startswith(("header", "footer")):
            _BodyReader(draft, parents, "furniture").read(part)
    return draft


def _find_language(roots: list[Any]) -> str:
    """Return the language of the default paragraph style, or else the one in `meta.xml`."""
    for style in _iterate(roots, "default-style"):
        if attribute_of(style, "family") == "paragraph":
            for properties in style.iter("{*}text-properties"):
                code = attribute_of(properties, "language")
                if code not in ("", "none", "zxx"):
                    return code
    return next((text_of(each) for each in _iterate(roots, "language")), "")


def _iterate(roots: list[Any], name: str) -> Iterator[Any]:
    return (element for root in roots for element in root.iter(f"{{*}}{name}"))


class _BodyReader:
    """Reads the body in document order."""

    def __init__(self, draft: Draft, parents: dict[str, str], mark: str = "") -> None:
        self._draft = draft
        self._mark = mark
        self._inside: list[Any] = []  # marked elements in the paragraph that is read
        self._parents = parents
        self._known: dict[str, str] = {}

    def read(self, parent: Any) -> None:
        """Add the paragraphs and headings in an element, including those in lists, sections and tables."""
        for child in parent:
            name = name_of(child)
            if name in ("p", "h"):
                self._add(child, name)
            elif name in _MARKED:
                self._read_marked(child)
            elif name not in _SILENT:
                self.read(child)

    def _read_marked(self, element: Any) -> None:
        mark = self._mark or _MARKED[name_of(element)]
        _BodyReader(self._draft, self._parents, mark).read(element)

    def _add(self, paragraph: Any, name: str) -> None:
        style = self._mark or self._style_of(paragraph)
        text = "".join(self._read_text(paragraph))
        level = attribute_of(paragraph, "outline-level") or "1"
        depth = min(max(int(level), 1), 6) if name == "h" and _LEVEL.fullmatch(level) else 0
        self._draft.add_styled(style, text, level=0 if self._mark else depth)
        marked, self._inside = self._inside, []
        for element in marked:
            self._read_marked(element)

    def _style_of(self, paragraph: Any) -> str:
        """Return the known style that a paragraph's style is or is based on."""
        own = attribute_of(paragraph, "style-name")
        if own not in self._known:
            found = set(follow_styles(own, self._parents))
            self._known[own] = next((kind for style, kind in _STYLES.items() if style in found), "")
        return self._known[own]

    def _read_text(self, element: Any) -> list[str]:
        pieces = [_TEXT.sub(" ", element.text or "")]
        for child in element:
            name = name_of(child)
            if name in _MARKED:
                self._inside.append(child)
            elif name in _SIGNS:
                pieces.append(_SIGNS[name])
            elif name not in _SILENT:
                pieces += self._read_text(child)
            pieces.append(_TEXT.sub(" ", child.tail or ""))
        return pieces
