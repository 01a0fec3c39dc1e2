"""The table of contents of an EPUB: the navigation document of EPUB 3, or the NCX of EPUB 2."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from barthes.reading.archive import resolve
from barthes.reading.markup import name_of, text_of

__all__ = ["Entry", "read_entries"]

_TYPE = "{http://www.idpf.org/2007/ops}type"
_DEEPEST = 6


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the table: its title, where it leads, and its depth, counted from 1."""

    title: str
    member: str
    fragment: str
    level: int


def read_entries(root: Any, member: str) -> list[Entry]:
    """The entries of a table of contents in their order.

    Args:
        root: The root element of the navigation document or the NCX.
        member: Its name in the archive, which its links start from.
    """
    if name_of(root) == "ncx":
        points = next(root.iter("{*}navMap"), None)
        return [] if points is None else list(_read_points(points, member, 1))
    tables = [
        each for each in root.iter("{*}nav") if "toc" in (each.get(_TYPE) or each.get("epub:type") or "")
    ]
    table = tables[0] if tables else next(root.iter("{*}nav"), None)
    lists = [] if table is None else [each for each in table if name_of(each) == "ol"]
    return [entry for each in lists for entry in _read_list(each, member, 1)]


def _read_points(parent: Any, member: str, level: int) -> Iterator[Entry]:
    for point in parent:
        if name_of(point) != "navpoint":
            continue
        label = next((each for each in point if name_of(each) == "navlabel"), None)
        content = next((each for each in point if name_of(each) == "content"), None)
        reference = "" if content is None else content.get("src", "")
        yield from _enter(text_of(label), reference, member, level)
        yield from _read_points(point, member, min(level + 1, _DEEPEST))


def _read_list(parent: Any, member: str, level: int) -> Iterator[Entry]:
    for item in parent:
        if name_of(item) != "li":
            continue
        for child in item:
            if name_of(child) == "a":
                yield from _enter(text_of(child), child.get("href", ""), member, level)
            elif name_of(child) == "ol":
                yield from _read_list(child, member, min(level + 1, _DEEPEST))


def _enter(title: str, reference: str, member: str, level: int) -> Iterator[Entry]:
    target = resolve(reference, base=member) if reference else None
    if target is not None:
        yield Entry(title, *target, level)
