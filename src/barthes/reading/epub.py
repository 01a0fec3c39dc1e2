"""Parse EPUB books: the documents of the spine in order, divided where the table of contents says.

Read with the standard library's zip and lxml; pictures, fonts and scripts are never unpacked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from barthes.errors import ReadingError
from barthes.reading.archive import Archive, resolve
from barthes.reading.document import Block, Draft, fold
from barthes.reading.encoding import decode
from barthes.reading.html import read_page
from barthes.reading.xml_parsing import name_of, parse_html, parse_xml, text_of

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_DUBLIN_CORE = "{http://purl.org/dc/elements/1.1/}"
_TYPE = "{http://www.idpf.org/2007/ops}type"
_PAGES = ("application/xhtml+xml", "text/html", "application/xml", "text/x-oeb1-document")
_FONTS = (".ttf", ".otf", ".woff", ".woff2")
_FRONT_MATTER = {"toc": "contents"} | dict.fromkeys(
    ["cover", "title-page", "copyright-page", "index"], "matter"
)
_DEEPEST = 6  # levels of a table of contents


_Entry = tuple[str, str, int]
"""A title in the table of contents, the reference that it leads to, and its depth, counted from 1."""


@dataclass
class _Package:
    """The package document: for each id its member, media type and properties; the ids in reading order."""

    title: str = ""
    language: str = ""
    author: str = ""
    items: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    spine: list[tuple[str, bool]] = field(default_factory=list)  # whether it is part of the main text
    contents: str | None = None  # the id of the NCX, the table of contents of EPUB 2
    front_matter: dict[str, str] = field(default_factory=dict)  # its mark, by member


def parse(data: bytes, *, where: str) -> Draft:
    """Parse the bytes of an EPUB file."""
    archive = Archive(data, where=where)
    _check_encryption(archive)
    package = _read_package(archive)
    draft = Draft(package.title, package.language, author=package.author)
    anchors: dict[tuple[str, str], int] = {}
    for member, mark in _find_pages(archive, package, draft).items():
        first = len(draft.blocks)
        anchors[member, ""] = first
        read_page(_parse_page(archive, member), draft, is_book=True)
        if mark:
            draft.blocks[first:] = [block.mark_as(block.mark or mark) for block in draft.blocks[first:]]
        for index, block in enumerate(draft.blocks[first:], start=first):
            for anchor in block.anchors:
                anchors.setdefault((member, anchor), index)
    places: dict[int, list[Block]] = {}
    for title, member, fragment, level in _read_contents(archive, package):
        place = anchors.get((member, fragment), anchors.get((member, "")))
        if place is not None and title:
            places.setdefault(place, []).append(Block(title, level))
    draft.contents = []
    if len(places) > 1:
        draft.blocks = _mark_chapters(draft, places)
    return draft


def _check_encryption(archive: Archive) -> None:
    """Refuse encrypted texts; fonts may be scrambled."""
    if _ENCRYPTION not in archive:
        return
    encrypted = [each.get("URI", "") for each in archive.parse(_ENCRYPTION).iter("{*}CipherReference")]
    if any(not name.lower().endswith(_FONTS) for name in encrypted):
        problem = "this book is encrypted (DRM): its text cannot be read."
        raise ReadingError(problem, where=archive.where, remedy="Use a copy without copy protection.")


def _read_package(archive: Archive) -> _Package:
    if _CONTAINER not in archive:
        _refuse(archive, f"it is not an EPUB: {_CONTAINER} is missing.")
    paths = [each.get("full-path", "") for each in archive.parse(_CONTAINER).iter("{*}rootfile")]
    name = next((path for path in paths if path in archive), None)
    if name is None:
        _refuse(archive, "its container names no package document that is there.")
    root = archive.parse(name)
    title, language = (
        text_of(next(root.iter(f"{_DUBLIN_CORE}{field}"), None)) for field in ("title", "language")
    )
    authors = filter(None, map(text_of, root.iter(f"{_DUBLIN_CORE}creator")))
    package = _Package(title, language, ", ".join(authors))
    for item in root.iter("{*}item"):
        if target := resolve(item.get("href", ""), base=name):
            entry = (target[0], item.get("media-type", ""), item.get("properties", ""))
            package.items[item.get("id", "")] = entry
    for spine in root.iter("{*}spine"):
        package.contents = spine.get("toc")
        items = spine.iter("{*}itemref")
        package.spine += [(each.get("idref", ""), each.get("linear") != "no") for each in items]
    for reference in root.iter("{*}reference"):
        target = resolve(reference.get("href", ""), base=name)
        if target and (kind := _FRONT_MATTER.get(reference.get("type"))):
            package.front_matter[target[0]] = kind
    return package


def _find_pages(archive: Archive, package: _Package, draft: Draft) -> dict[str, str]:
    """Return the members of the spine with their marks, and note what is missing; no page comes twice."""
    pages, missing = dict[str, str](), list[str]()
    for identity, linear in package.spine:
        member, media, properties = package.items.get(identity, ("", "", ""))
        if not member or member not in archive:
            missing.append(member or identity)
        elif media in _PAGES:
            front = package.front_matter.get(member, "") if len(package.spine) > 1 else ""
            mark = "contents" if "nav" in properties.split() else front
            pages.setdefault(member, mark or ("" if linear else "matter"))
    if not set(pages.values()) - {"contents"}:
        what = f"it leads to {missing[0][:80]!r}, which is not there" if missing else "it names no page"
        _refuse(archive, f"the spine of this EPUB is broken: {what}.")
    if missing:
        names = ", ".join(repr(each[:80]) for each in missing[:3]) + (" …" if len(missing) > 3 else "")
        draft.notes.append(
            f"The spine is broken: {len(missing)} of {len(package.spine)} parts are missing ({names})."
        )
    return pages


def _parse_page(archive: Archive, member: str) -> Any:
    data = archive.read(member)
    try:
        return parse_xml(data, where=archive.where, part=member)
    except ReadingError as error:
        if "declares" in error.problem:
            raise
        text, _ = decode(data, where=f"{archive.where}: {member}")  # many books are HTML, not XHTML
        return parse_html(re.sub(r"^\s*<\?xml[^>]*\?>", "", text), where=archive.where)


def _read_contents(archive: Archive, package: _Package) -> list[tuple[str, str, str, int]]:
    """Return title, member, fragment and level of the entries in EPUB 3's navigation, or else in the NCX."""
    chosen = [item[0] for item in package.items.values() if "nav" in item[2].split()]
    chosen += [package.items[package.contents][0]] if package.contents in package.items else []
    for member in filter(archive.__contains__, chosen):
        found = [entry for entry in _read_entries(_parse_page(archive, member)) if entry[1]]
        targets = [(title, resolve(reference, base=member), level) for title, reference, level in found]
        if entries := [(title, *target, level) for title, target, level in targets if target]:
            return entries
    return []


def _read_entries(root: Any) -> Iterator[_Entry]:
    """Yield the entries of a navigation document or an NCX."""
    if name_of(root) == "ncx":
        for point in root.iter("{*}navPoint"):
            content = point.find("{*}content")
            target = "" if content is None else content.get("src", "")
            yield text_of(point.find("{*}navLabel")), target, _measure_depth(point, "navpoint")
        return
    tables = list(root.iter("{*}nav"))
    marked = (each for each in tables if "toc" in (each.get(_TYPE) or each.get("epub:type") or ""))
    table = next(marked, tables[0] if tables else None)
    for link in table.iter("{*}a") if table is not None else ():
        if depth := _measure_depth(link, "ol"):
            yield text_of(link), link.get("href", ""), depth


def _measure_depth(entry: Any, name: str) -> int:
    """Return how many elements of a name an entry is in, itself included."""
    around = [entry, *entry.iterancestors()]
    return min(sum(name_of(each) == name for each in around), _DEEPEST)


def _mark_chapters(draft: Draft, places: dict[int, list[Block]]) -> list[Block]:
    """Return the blocks with the book's contents as headings at these places.

    If one of the headings that stand there has the same words, it gets the level of the entry.
    """
    blocks: list[Block] = []
    run: list[Block] = []
    waiting: list[Block] = []
    for index, block in enumerate(draft.blocks):
        waiting += places.get(index, [])
        if block.level:
            run.append(block)
            continue
        if block.is_text:
            blocks += _name_headings(run, waiting)
            run, waiting = [], []
        blocks.append(block)
    return blocks + run


def _name_headings(run: list[Block], entries: list[Block]) -> list[Block]:
    """Return the headings of the contents for successive headings of the book; the others are only marked."""
    titles = [fold(block.text) for block in run]
    chosen: dict[int, int] = {}
    others = []
    for entry in entries:
        place = titles.index(fold(entry.text)) if fold(entry.text) in titles else -1
        if place >= 0:
            chosen[place] = entry.level
        else:
            others.append(entry)
    named = [
        replace(block, level=chosen[index]) if index in chosen else replace(block, mark="heading")
        for index, block in enumerate(run)
    ]
    return [*others, *named]


def _refuse(archive: Archive, problem: str) -> NoReturn:
    remedy = "Check it with an EPUB reader, or convert it again."
    raise ReadingError(problem, where=archive.where, remedy=remedy)
