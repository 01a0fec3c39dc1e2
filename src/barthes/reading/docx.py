"""Parse Word documents (DOCX): the paragraphs of the main part, with headings by their styles.

Read with lxml, because mammoth and python-docx skip text, such as that of headers. Headers, footers, notes
and comments are parts of their own; what they say follows the text, marked.
"""

from __future__ import annotations

import re
from typing import Any

from barthes.errors import ReadingError
from barthes.reading.archive import Archive, resolve
from barthes.reading.document import Draft
from barthes.reading.markup import BREAK, MarkupReader, Role
from barthes.reading.xml_parsing import attribute_of, follow_styles, name_of, text_of

_RELATIONS = "_rels/.rels"
_REMOVED = frozenset("del movefrom fallback instrtext rpr ppr sectpr deltext rt".split())
_MARKED_PARTS = {  # by the beginning of their names
    "header": "furniture",
    "footer": "furniture",
    "footnotes": "note",
    "endnotes": "note",
    "comments": "note",
}
_SIGNS = {"tab": " ", "br": BREAK, "cr": BREAK, "nobreakhyphen": "-", "ptab": " "}
_LEVEL = re.compile("[0-8]")  # of an outline
_HEADING = re.compile(r"heading\s*([1-9])", re.IGNORECASE)


def parse(data: bytes, *, where: str) -> Draft:
    """Parse the bytes of a DOCX file."""
    archive = Archive(data, where=where)
    main = _find_main(archive)
    folder = main.rpartition("/")[0]
    body = next(archive.parse(main).iter("{*}body"), None)
    if body is None:
        problem = f"it is not a Word document: {main!r} has no body."
        raise ReadingError(problem, where=where, remedy="Save it again as DOCX.")
    draft = Draft()
    styles = _read_styles(archive, f"{folder}/styles.xml", draft)
    _read_properties(archive, draft)
    _BodyReader(draft, styles).read(body)
    _read_marked_parts(archive, folder, draft)
    return draft


def _find_main(archive: Archive) -> str:
    if _RELATIONS in archive:
        for relation in archive.parse(_RELATIONS).iter("{*}Relationship"):
            target = resolve(relation.get("Target", ""), base="")
            if relation.get("Type", "").endswith("/officeDocument") and target and target[0] in archive:
                return target[0]
    if "word/document.xml" in archive:
        return "word/document.xml"
    problem = "it is a zip archive but not a Word document: word/document.xml is missing."
    remedy = "Save it again as DOCX, or give the files in it."
    raise ReadingError(problem, where=archive.where, remedy=remedy)


def _read_styles(archive: Archive, name: str, draft: Draft) -> dict[str, str]:
    """Return the kind of each style by its id: ``heading 2``, ``title``, ``toc``, ``caption`` …"""
    if name not in archive:
        return {}
    root = archive.parse(name)
    language = next(iter(root.xpath("//*[local-name()='docDefaults']//*[local-name()='lang']")), None)
    draft.language = _value_of(language)
    styles = {attribute_of(style, "styleId"): style for style in root.iter("{*}style")}
    kinds = {identity: _kind_of_style(style) for identity, style in styles.items()}
    parents = {identity: _value_of(_find_child(style, "basedon")) for identity, style in styles.items()}
    return {
        own: next((kinds[each] for each in follow_styles(own, parents) if kinds.get(each)), "")
        for own in kinds
    }


def _kind_of_style(style: Any) -> str:
    name = _value_of(_find_child(style, "name")).lower()
    if match := _HEADING.fullmatch(name):
        return f"heading {match[1]}"
    if name in ("title", "caption", "subtitle"):
        return name
    if name.startswith("toc"):
        return "contents"
    level = _value_of(next(style.iter("{*}outlineLvl"), None))
    return f"heading {int(level) + 1}" if _LEVEL.fullmatch(level) else ""


def _read_properties(archive: Archive, draft: Draft) -> None:
    name = "docProps/core.xml"
    if name in archive:
        root = archive.parse(name)
        draft.title = text_of(next(root.iter("{*}title"), None))
        draft.author = text_of(next(root.iter("{*}creator"), None))
        draft.language = text_of(next(root.iter("{*}language"), None)) or draft.language


def _read_marked_parts(archive: Archive, folder: str, draft: Draft) -> None:
    """Add headers, footers, notes and comments, each once."""
    for name in archive.names:
        if match := re.fullmatch(rf"{re.escape(folder)}/([a-z]+)\d*\.xml", name):
            mark = _MARKED_PARTS.get(match[1])
            if mark is not None:
                _BodyReader(draft, {}, mark).read(archive.parse(name))


class _BodyReader(MarkupReader):
    """Reads the main part, or another part that has a mark."""

    def __init__(self, draft: Draft, styles: dict[str, str], mark: str = "") -> None:
        super().__init__(draft, mark)
        self._styles = styles

    def find_role(self, element: Any) -> Role | None:
        """Return what an element of WordprocessingML is."""
        name = name_of(element)
        if name in _REMOVED or (name == "r" and _is_hidden(element)):
            return None
        if name in _SIGNS:
            return Role(before="" if attribute_of(element, "type") == "page" else _SIGNS[name])
        if name == "p":
            return self._find_paragraph(element)
        if name == "txbxcontent":
            return Role(is_block=True, is_aside=True, mark="caption")
        if name == "sdt" and "table of contents" in _galleries_of(element):
            return Role(is_block=True, mark="contents")
        return Role()

    def _find_paragraph(self, paragraph: Any) -> Role:
        """Return the role of a paragraph; the frame with an initial is part of the next one."""
        following = paragraph.getnext()
        if _is_drop_cap(paragraph) and following is not None and name_of(following) == "p":
            return Role()
        before = paragraph.getprevious()
        kind = self._find_kind(paragraph)
        is_heading = kind.startswith("heading")
        return Role(
            is_block=True,
            continues=before is not None and _is_drop_cap(before),
            level=min(int(kind[-1]), 6) if is_heading else 0,
            mark="" if is_heading else kind,
        )

    def _find_kind(self, paragraph: Any) -> str:
        properties = _find_child(paragraph, "ppr")
        level = _value_of(_find_child(properties, "outlinelvl"))
        if _LEVEL.fullmatch(level):
            return f"heading {int(level) + 1}"
        identity = _value_of(_find_child(properties, "pstyle"))
        found = _HEADING.fullmatch(identity)  # a file without styles.xml
        return self._styles.get(identity, f"heading {found[1]}" if found else "")

    def add_text(self, text: str | None, parent: Any) -> None:
        """Add text of runs; white space between other elements is none."""
        if name_of(parent) == "t":
            super().add_text(text, parent)


def _galleries_of(control: Any) -> str:
    return " ".join(_value_of(each).lower() for each in control.iter("{*}docPartGallery"))


def _is_drop_cap(paragraph: Any) -> bool:
    """Return whether a paragraph is a frame with the initial of the next one."""
    frame = _find_child(_find_child(paragraph, "ppr"), "framepr")
    return frame is not None and attribute_of(frame, "dropCap") in ("drop", "margin")


def _is_hidden(run: Any) -> bool:
    vanish = _find_child(_find_child(run, "rpr"), "vanish")
    return vanish is not None and _value_of(vanish) not in ("0", "false")


def _find_child(element: Any | None, name: str) -> Any | None:
    return next((each for each in element if name_of(each) == name), None) if element is not None else None


def _value_of(element: Any | None) -> str:
    return "" if element is None else attribute_of(element, "val")
