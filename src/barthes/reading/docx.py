"""Word documents (DOCX): the paragraphs of the main part, with headings by their styles.

Read with lxml, because python-docx passes over what was inserted with changes tracked and over content
controls. Headers, footers, notes and comments are parts of their own and are not opened except to be counted.
"""

from __future__ import annotations

import re
from typing import Any

from barthes.errors import ReadingError
from barthes.reading.archive import Archive, resolve
from barthes.reading.blocks import Gathering
from barthes.reading.chapters import arrange
from barthes.reading.document import Document
from barthes.reading.markup import name_of, parse_xml, text_of

__all__ = ["parse"]

_RELATIONS = "_rels/.rels"
_REMOVED = frozenset(["del", "movefrom", "fallback", "instrtext", "rpr", "ppr", "sectpr", "deltext", "ruby"])
_COUNTED = {
    "footnotereference": "footnote",
    "endnotereference": "footnote",
    "commentreference": "comment",
    "txbxcontent": "text box",
}
_SIGNS = {"tab": " ", "br": "\n", "cr": "\n", "nobreakhyphen": "-", "ptab": " "}
_LEVEL = re.compile("[0-8]")  # of an outline
_GENERATIONS = 100  # of styles that were made from others
_HEADING = re.compile(r"heading\s*([1-9])", re.IGNORECASE)


def parse(data: bytes, *, where: str) -> Document:
    """The document in the bytes of a DOCX file.

    Raises:
        ReadingError: It is no sound DOCX.
        EmptyNarrativeError: There is no text in it.
    """
    archive = Archive(data, where=where)
    main = _find_main(archive)
    root = parse_xml(archive.read(main), where=where, part=main)
    body = next(root.iter("{*}body"), None)
    if body is None:
        raise ReadingError(
            f"it is no Word document: {main!r} has no body.", where=where, remedy="Save it again as DOCX."
        )
    gathering = Gathering()
    styles = _read_styles(archive, main, gathering)
    _read_properties(archive, gathering)
    _Body(gathering, styles).visit(body)
    _count_running_heads(archive, main, gathering)
    return arrange(gathering, where=where)


def _find_main(archive: Archive) -> str:
    if _RELATIONS in archive:
        relations = parse_xml(archive.read(_RELATIONS), where=archive.where, part=_RELATIONS)
        for relation in relations.iter("{*}Relationship"):
            target = resolve(relation.get("Target", ""), base="")
            if relation.get("Type", "").endswith("/officeDocument") and target and target[0] in archive:
                return target[0]
    if "word/document.xml" in archive:
        return "word/document.xml"
    raise ReadingError(
        "it is a zip archive, but no Word document: it lacks word/document.xml.",
        where=archive.where,
        remedy="Save it again as DOCX, or give the files in it.",
    )


def _read_styles(archive: Archive, main: str, gathering: Gathering) -> dict[str, str]:
    """The kind of each style by its id: ``heading 2``, ``title``, ``toc``, ``caption`` …"""
    name = main.rpartition("/")[0] + "/styles.xml"
    if name not in archive:
        return {}
    root = parse_xml(archive.read(name), where=archive.where, part=name)
    language = next(iter(root.xpath("//*[local-name()='docDefaults']//*[local-name()='lang']")), None)
    gathering.language = "" if language is None else _value(language)
    kinds, parents = {}, {}
    for style in root.iter("{*}style"):
        identity = _attribute(style, "styleId")
        kinds[identity] = _kind_of_style(style)
        parents[identity] = next((_value(each) for each in style if name_of(each) == "basedon"), "")
    return {identity: _inherit(identity, kinds, parents) for identity in kinds}


def _kind_of_style(style: Any) -> str:
    name = next((_value(each) for each in style if name_of(each) == "name"), "").lower()
    if match := _HEADING.fullmatch(name):
        return f"heading {match[1]}"
    if name in ("title", "caption", "subtitle"):
        return name
    if name.startswith("toc"):
        return "toc"
    outline = next(style.iter("{*}outlineLvl"), None)
    level = "" if outline is None else _value(outline)
    return f"heading {int(level) + 1}" if _LEVEL.fullmatch(level) else ""


def _inherit(identity: str, kinds: dict[str, str], parents: dict[str, str]) -> str:
    for _ in range(_GENERATIONS):  # in a circle, if it must be
        if kinds.get(identity, "") or identity not in kinds:
            break
        identity = parents[identity]
    return kinds.get(identity, "")


def _read_properties(archive: Archive, gathering: Gathering) -> None:
    name = "docProps/core.xml"
    if name in archive:
        root = parse_xml(archive.read(name), where=archive.where, part=name)
        gathering.title = text_of(next(root.iter("{*}title"), None))
        gathering.language = text_of(next(root.iter("{*}language"), None)) or gathering.language


def _count_running_heads(archive: Archive, main: str, gathering: Gathering) -> None:
    """Headers and footers with words in them."""
    folder = main.rpartition("/")[0]
    for name in archive.names:
        if re.fullmatch(rf"{re.escape(folder)}/(?:header|footer)\d*\.xml", name):
            root = parse_xml(archive.read(name), where=archive.where, part=name)
            words = "".join("".join(each.itertext()) for each in root.iter("{*}t"))
            number = any("PAGE" in (each.text or "") for each in root.iter("{*}instrText"))
            gathering.leave_out("running head", bool(re.search(r"[^\W\d]", words)))
            gathering.leave_out("page number", number)


class _Body:
    """Goes through the main part in reading order."""

    def __init__(self, gathering: Gathering, styles: dict[str, str]) -> None:
        self._gathering = gathering
        self._styles = styles
        self._in_contents = False

    def visit(self, parent: Any) -> None:
        """Add the paragraphs in an element, those in tables and content controls too."""
        for child in parent:
            name = name_of(child)
            if name == "p":
                self._add_paragraph(child)
            elif name == "sdt" and _is_contents(child):
                self._gathering.leave_out("table of contents")
            elif name not in _REMOVED:
                self.visit(child)

    def _add_paragraph(self, paragraph: Any) -> None:
        kind = self._kind_of(paragraph)
        if kind == "toc":
            self._gathering.leave_out("table of contents", not self._in_contents)
            self._in_contents = True
            return
        text = "".join(self._read(paragraph))
        self._in_contents = False if text.strip() else self._in_contents
        if kind == "caption":
            self._gathering.leave_out("caption")
        elif kind == "title":
            self._gathering.title = " ".join(text.split()) or self._gathering.title
        elif kind == "subtitle":
            self._gathering.leave_out("heading", bool(text.strip()))
        else:
            level = min(int(kind[-1]), 6) if kind.startswith("heading") else 0
            for part in re.split(r"\n\s*\n", text):
                self._gathering.add(part, level=level)

    def _kind_of(self, paragraph: Any) -> str:
        properties = next((each for each in paragraph if name_of(each) == "ppr"), None)
        if properties is None:
            return ""
        outline = next((each for each in properties if name_of(each) == "outlinelvl"), None)
        level = "" if outline is None else _value(outline)
        if _LEVEL.fullmatch(level):
            return f"heading {int(level) + 1}"
        style = next((each for each in properties if name_of(each) == "pstyle"), None)
        identity = "" if style is None else _value(style)
        found = _HEADING.fullmatch(identity)  # a file without styles.xml
        return self._styles.get(identity, f"heading {found[1]}" if found else "")

    def _read(self, element: Any) -> list[str]:
        """The pieces of text in a paragraph, in order."""
        pieces: list[str] = []
        for child in element:
            name = name_of(child)
            if name in _COUNTED:
                self._gathering.leave_out(_COUNTED[name])
            elif name == "t":
                pieces.append(child.text or "")
            elif name in _SIGNS:
                pieces.append("" if _attribute(child, "type") == "page" else _SIGNS[name])
            elif name == "r" and _is_hidden(child):
                continue
            elif name == "ruby":
                pieces += [piece for each in child.iter("{*}rubyBase") for piece in self._read(each)]
            elif name not in _REMOVED:
                pieces += self._read(child)
        return pieces


def _is_hidden(run: Any) -> bool:
    properties = next((each for each in run if name_of(each) == "rpr"), None)
    vanish = None if properties is None else next((e for e in properties if name_of(e) == "vanish"), None)
    return vanish is not None and _value(vanish) not in ("0", "false")


def _is_contents(control: Any) -> bool:
    return any("table of contents" in _value(each).lower() for each in control.iter("{*}docPartGallery"))


def _value(element: Any) -> str:
    return _attribute(element, "val")


def _attribute(element: Any, name: str) -> str:
    """An attribute by its name, in the namespace of either edition of the standard."""
    return next((str(value) for key, value in element.items() if key.rpartition("}")[2] == name), "")
