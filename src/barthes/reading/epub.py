"""EPUB books: the documents of the spine in order, parted where the table of contents says.

Read with the standard library's zip and lxml; the pictures, fonts and scripts of a book are never unpacked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, NoReturn

from barthes.errors import ReadingError
from barthes.reading.archive import Archive, resolve
from barthes.reading.blocks import Block, Gathering
from barthes.reading.book_contents import Entry, read_entries
from barthes.reading.chapters import arrange
from barthes.reading.document import Document
from barthes.reading.encoding import decode
from barthes.reading.html import gather_page
from barthes.reading.markup import parse_html, parse_xml, replace_named_characters, text_of

__all__ = ["parse"]

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_DUBLIN_CORE = "{http://purl.org/dc/elements/1.1/}"
_PAGES = ("application/xhtml+xml", "text/html", "application/xml", "text/x-oeb1-document")
_FONTS = (".ttf", ".otf", ".woff", ".woff2")
_ASIDE = {
    "toc": "table of contents",
    "cover": "title page",
    "title-page": "title page",
    "copyright-page": "copyright page",
    "index": "index",
}


@dataclass
class _Package:
    """What the package document says."""

    name: str
    title: str = ""
    language: str = ""
    items: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    """The member, media type and properties of each item of the manifest, by its id."""
    spine: list[tuple[str, bool]] = field(default_factory=list)
    """The ids of the documents in reading order, and whether each is part of the main text."""
    contents: str | None = None
    """The id of the NCX, the table of contents of EPUB 2."""
    aside: dict[str, str] = field(default_factory=dict)
    """What kind of front matter a member is, where the guide says so."""


def parse(data: bytes, *, where: str) -> Document:
    """The document in the bytes of an EPUB file.

    Raises:
        ReadingError: It is no sound EPUB, its spine leads nowhere, or it is locked.
        EmptyNarrativeError: There is no text in it.
    """
    archive = Archive(data, where=where)
    _check_lock(archive)
    package = _read_package(archive)
    gathering = Gathering(package.title, package.language)
    anchors: dict[tuple[str, str], int] = {}
    for member in _find_pages(archive, package, gathering):
        _gather(archive, member, gathering, anchors)
    gathering.blocks = _mark_chapters(gathering, _read_contents(archive, package), anchors)
    return arrange(gathering, where=where)


def _check_lock(archive: Archive) -> None:
    """Fonts may be scrambled; a text that is encrypted cannot be read."""
    if _ENCRYPTION not in archive:
        return
    root = parse_xml(archive.read(_ENCRYPTION), where=archive.where, part=_ENCRYPTION)
    locked = [each.get("URI", "") for each in root.iter("{*}CipherReference")]
    if any(not name.lower().endswith(_FONTS) for name in locked):
        raise ReadingError(
            "this book is encrypted (DRM): its text cannot be read.",
            where=archive.where,
            remedy="Use a copy without copy protection.",
        )


def _read_package(archive: Archive) -> _Package:
    if _CONTAINER not in archive:
        _refuse(archive, f"it is no EPUB: it lacks {_CONTAINER}.")
    container = parse_xml(archive.read(_CONTAINER), where=archive.where, part=_CONTAINER)
    paths = [each.get("full-path", "") for each in container.iter("{*}rootfile")]
    name = next((path for path in paths if path in archive), None)
    if name is None:
        _refuse(archive, "its container names no package document that is there.")
    root = parse_xml(archive.read(name), where=archive.where, part=name)
    package = _Package(name)
    package.title = text_of(next(root.iter(f"{_DUBLIN_CORE}title"), None))
    package.language = text_of(next(root.iter(f"{_DUBLIN_CORE}language"), None))
    for item in root.iter("{*}item"):
        target = resolve(item.get("href", ""), base=name)
        if target is not None:
            entry = (target[0], item.get("media-type", ""), item.get("properties", ""))
            package.items[item.get("id", "")] = entry
    for spine in root.iter("{*}spine"):
        package.contents = spine.get("toc")
        package.spine += [
            (each.get("idref", ""), each.get("linear") != "no") for each in spine.iter("{*}itemref")
        ]
    for reference in root.iter("{*}reference"):
        target = resolve(reference.get("href", ""), base=name)
        if target is not None and reference.get("type") in _ASIDE:
            package.aside[target[0]] = _ASIDE[reference.get("type")]
    return package


def _find_pages(archive: Archive, package: _Package, gathering: Gathering) -> list[str]:
    """The members of the spine that hold the text; front matter is counted, what is missing is noted."""
    pages, missing = {}, []  # a dict as a set with an order: no page comes twice, however often it is named
    for identity, linear in package.spine:
        member, media, properties = package.items.get(identity, ("", "", ""))
        if not member or member not in archive:
            missing.append(member or identity)
        elif "nav" in properties.split():
            gathering.leave_out("table of contents")
        elif member in package.aside and len(package.spine) > 1:
            gathering.leave_out(package.aside[member])
        elif not linear:
            gathering.leave_out("part outside the reading order")
        elif media in _PAGES:
            pages[member] = True
    if not pages:
        what = f"it leads to {missing[0][:80]!r}, which is not there" if missing else "it names no page"
        _refuse(archive, f"the spine of this EPUB is broken: {what}.")
    if missing:
        names = ", ".join(repr(each[:80]) for each in missing[:3]) + (" …" if len(missing) > 3 else "")
        gathering.notes.append(
            f"The spine is broken: {len(missing)} of {len(package.spine)} parts are missing ({names})."
        )
    return list(pages)


def _gather(archive: Archive, member: str, gathering: Gathering, anchors: dict[tuple[str, str], int]) -> None:
    """Add the blocks of a page, and remember where links into it lead."""
    first = len(gathering.blocks)
    anchors[member, ""] = first
    gather_page(_parse_page(archive, member), gathering)
    for index in range(first, len(gathering.blocks)):
        for anchor in gathering.blocks[index].anchors:
            anchors.setdefault((member, anchor), index)


def _parse_page(archive: Archive, member: str) -> Any:
    data = archive.read(member)
    try:
        return parse_xml(replace_named_characters(data), where=archive.where, part=member)
    except ReadingError as error:
        if "entity" in error.problem:
            raise
        text, _ = decode(data, where=f"{archive.where}: {member}")  # many books are HTML, not XHTML
        return parse_html(re.sub(r"^\s*<\?xml[^>]*\?>", "", text), where=archive.where)


def _read_contents(archive: Archive, package: _Package) -> list[Entry]:
    """The entries of the navigation document of EPUB 3, or else of the NCX."""
    chosen = [item[0] for item in package.items.values() if "nav" in item[2].split()]
    chosen += [package.items[package.contents][0]] if package.contents in package.items else []
    for member in chosen:
        if member in archive and (entries := read_entries(_parse_page(archive, member), member)):
            return entries
    return []


def _mark_chapters(
    gathering: Gathering, entries: list[Entry], anchors: dict[tuple[str, str], int]
) -> list[Block]:
    """The blocks with the book's own contents as headings; without any, its headings stay as they are."""
    places: dict[int, list[Block]] = {}
    for entry in entries:
        index = anchors.get((entry.member, entry.fragment), anchors.get((entry.member, "")))
        if index is not None and entry.title:
            places.setdefault(index, []).append(Block(entry.title, entry.level))
    if len(places) < 2:
        return gathering.blocks
    blocks: list[Block] = []
    fresh = False
    for index, block in enumerate(gathering.blocks):
        if index in places:
            blocks += places[index]
            fresh = True
        if block.level and fresh:
            continue  # the heading that the entry names
        if block.level:
            gathering.leave_out("heading")
        elif block.text:
            blocks.append(block)
            fresh = False
    return blocks


def _refuse(archive: Archive, problem: str) -> NoReturn:
    remedy = "Check it with an EPUB reader, or convert it anew."
    raise ReadingError(problem, where=archive.where, remedy=remedy)
