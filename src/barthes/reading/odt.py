"""Parse OpenDocument texts (ODT, and FODT in one XML file): their paragraphs and headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from barthes.errors import ReadingError
from barthes.reading.archive import Archive
from barthes.reading.document import Draft
from barthes.reading.markup import BREAK, MarkupReader, Role
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
_SIGNS = {"s": " ", "tab": " ", "line-break": BREAK}
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


class _BodyReader(MarkupReader):
    """Reads the body, or a part that has a mark."""

    def __init__(self, draft: Draft, parents: dict[str, str], mark: str = "") -> None:
        super().__init__(draft, mark)
        self._parents = parents
        self._known: dict[str, str] = {}

    def find_role(self, element: Any) -> Role | None:
        """Return what an element of OpenDocument is."""
        name = name_of(element)
        if name in _SILENT:
            return None
        if name in _SIGNS:
            return Role(before=_SIGNS[name])
        if name in _MARKED:
            return Role(is_block=True, is_aside=True, mark=_MARKED[name])
        if name not in ("p", "h"):
            return Role()
        level = attribute_of(element, "outline-level") or "1"
        is_heading = name == "h" and _LEVEL.fullmatch(level) is not None
        depth = min(max(int(level), 1), 6) if is_heading else 0
        return Role(is_block=True, level=depth, mark=self._find_style(element))

    def _find_style(self, paragraph: Any) -> str:
        """Return the known style that a paragraph's style is or is based on."""
        own = attribute_of(paragraph, "style-name")
        if own not in self._known:
            found = set(follow_styles(own, self._parents))
            self._known[own] = next((kind for style, kind in _STYLES.items() if style in found), "")
        return self._known[own]
