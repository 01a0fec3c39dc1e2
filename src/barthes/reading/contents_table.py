"""Find tables of contents among the blocks of a text, and remove them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from barthes.reading.story_document import Block, DocumentDraft

_TITLE = re.compile(
    r"(?:table\s+of\s+)?contents|inhalt(?:sverzeichnis|sübersicht)?|table\s+des\s+mati[èe]res|sommaire"
    r"|[íi]ndice|inhoud(?:sopgave)?|sommario|innehåll|innhold|indhold|sisällys|оглавление|содержание",
    re.IGNORECASE,
)
_LEADERS = re.compile(r"(?:\s*\.){3,}\s*(?:\d{1,4}|[ivxlc]{1,8})$|\s…+\s*\d{1,4}$", re.IGNORECASE)
_PAGE = re.compile(r"[\s.…]+(?:\d{1,4}|[ivxlc]{1,6})$", re.IGNORECASE)
_NUMBER = re.compile(r"^(?:chapter|kapitel|chapitre)?\s*(?:\d{1,3}|[ivxlc]{1,8})[.:)]*\s", re.IGNORECASE)
_LONGEST = 16  # words of an entry
_WIDEST = 300  # characters of an entry; patterns that look for an end are slow on more


def is_contents_title(text: str) -> bool:
    """Return whether a line announces a table of contents.

    >>> is_contents_title("CONTENTS."), is_contents_title("The contents of the jar")
    (True, False)
    """
    return _TITLE.fullmatch(text.strip(" .:*_\n")) is not None


def remove_contents(draft: DocumentDraft) -> None:
    """Remove tables of contents from a draft, and count them.

    A table begins with its title, or with three successive lines of dot leaders to a page number. It ends
    where its first entry comes again, at a heading, or where the lines no longer read like entries.
    """
    kept: list[Block] = []
    blocks = draft.blocks
    index = 0
    while index < len(blocks):
        end = _find_end(blocks, index)
        if end is None:
            kept.append(blocks[index])
            index += 1
        else:
            # A title alone: the table under it was left out, and counted, before.
            draft.leave_out("table of contents", end > index + 1 or "\n" in blocks[index].text)
            index = end
    draft.blocks = kept


def _find_end(blocks: Sequence[Block], start: int) -> int | None:
    """Return the index one past the table of contents that starts here; None if none does."""
    first, *lines = blocks[start].text.split("\n")
    if is_contents_title(first):
        entries = {words for line in lines for words in _list_beginnings(line)}
        if not all(map(_is_entry, lines)):
            return None
        end = _consume(blocks, start + 1, entries)
        # Without entries behind it, only a heading can be the title of a table that was left out before.
        return end if entries or end > start + 1 or blocks[start].level else None
    led = 0  # lines that lead to a page number
    for index in range(start, len(blocks)):  # no slice: it would copy all that follows, again and again
        own = blocks[index].text.split("\n")
        if blocks[index].level or not all(map(_leads, own)):
            return index if led >= 3 else None
        led += len(own)
    return len(blocks) if led >= 3 else None


def _consume(blocks: Sequence[Block], index: int, entries: set[str]) -> int:
    while index < len(blocks):
        block = blocks[index]
        lines = [line for line in block.text.split("\n") if line.strip()]
        if block.level or not all(map(_is_entry, lines)) or not entries.isdisjoint(map(_normalize, lines)):
            break
        entries.update(words for line in lines for words in _list_beginnings(line))
        index += 1
    return index


def _list_beginnings(line: str) -> list[str]:
    """Return an entry and the words that it begins with: what is repeated may be only its “Chapter I”."""
    entry = _normalize(line)
    if not entry:  # a rule or stars, which begin no chapter
        return []
    words = entry.split(" ")[:_LONGEST]
    return [" ".join(words[: count + 1]) for count in range(len(words))] + [entry]


def _is_entry(line: str) -> bool:
    line = line.strip()
    if not 0 < len(line) <= _WIDEST or len(line.split()) > _LONGEST:
        return False
    if _PAGE.search(line) or _NUMBER.match(line):
        return True
    words = line.split()
    is_prose = line[-1] == "." and 2 * sum(word[0].islower() for word in words) > len(words)
    return line[-1] not in "!?…,;\"'”’" and not is_prose


def _leads(line: str) -> bool:
    """Return whether dots lead to a page number at the end of the line."""
    return len(line) <= _WIDEST and _LEADERS.search(line) is not None


def _normalize(line: str) -> str:
    line = line[:_WIDEST]
    return re.sub(r"\W+", " ", _PAGE.sub("", _LEADERS.sub("", line.strip()))).strip().casefold()
