"""Find tables of contents among the blocks of a text, remove them, and find their entries in the text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

from barthes.reading.document import Block, DocumentDraft
from barthes.reading.titles import begins_with_number, is_matter, normalize_title

_TITLE = re.compile(
    r"(?:the\s+)?(?:table\s+of\s+)?contents|inhalt(?:sverzeichnis|sübersicht)?|table\s+des\s+mati[èe]res|sommaire"
    r"|[íi]ndice|inhoud(?:sopgave)?|sommario|innehåll|innhold|indhold|sisällys|оглавление|содержание",
    re.IGNORECASE,
)
_LEADERS = re.compile(r"(?:\s*\.){3,}\s*(?:\d{1,4}|[ivxlc]{1,8})$|\s…+\s*\d{1,4}$", re.IGNORECASE)
_PAGE = re.compile(r"[\s.…]+(?:\d{1,4}|[ivxlc]{1,6})$", re.IGNORECASE)
_NUMBER = re.compile(r"^(?:chapter|kapitel|chapitre)?\s*(?:\d{1,3}|[ivxlc]{1,8})[.:)]*\s", re.IGNORECASE)
_ROMAN = re.compile(r"(?:^|(?<=\s))([IVXLC]{1,8})\.\s+(?=\S)")
_LEADER = re.compile(r"(?:\s*\.){3,}\s*\d{1,4}(?:\s|$)")
_COLUMN = re.compile(r"(?:(?:chapter|chap\.?|no\.?)\s+)?page\.?|seite", re.IGNORECASE)  # above page numbers
_LONGEST = 16  # words of an entry
_LONGEST_TABLE = 1000  # blocks
_SHORTEST_PROSE = 20  # words
_LONGEST_ENTRY = 3  # lines
_PICTURES = re.compile(r"illustrations|plates|pictures", re.IGNORECASE)
_SIMILAR = 0.85  # of a heading and an entry that are spelled differently
_NAMES = 3  # entries of which one has to come again at the end of the table
_WIDEST = 300  # characters of an entry; patterns that look for an end are slow on more


def is_contents_title(text: str) -> bool:
    """Return whether a line announces a table of contents.

    >>> is_contents_title("CONTENTS."), is_contents_title("The contents of the jar")
    (True, False)
    """
    return _TITLE.fullmatch(text.strip(" .:*_\n")) is not None


def remove_contents(draft: DocumentDraft) -> None:
    """Remove tables of contents from a draft, count them, and keep their entries in its `contents`.

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
            draft.contents += [_list_entries(block.text) for block in blocks[index:end]]
            draft.contents_end = len(kept)
            index = end
    draft.blocks = kept


def _find_end(blocks: Sequence[Block], start: int) -> int | None:
    """Return the index one past the table of contents that starts here; None if none does."""
    first, *lines = blocks[start].text.split("\n")
    if is_contents_title(first):
        if repeated := _find_repetition(blocks, start):
            return repeated
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


def _find_repetition(blocks: Sequence[Block], start: int) -> int | None:
    """Return the index of the block that repeats one of the first titles of the table before any prose."""
    names: list[str] = []
    for index in range(start, min(start + _LONGEST_TABLE, len(blocks))):
        block = blocks[index]
        if block.level or _is_prose(block.text) or (index > start and is_contents_title(block.text)):
            return None
        if normalize_title(" ".join(block.text.split())) in names:
            return index if len(names) > 1 else None  # entries that differ in their numbers only
        entries = [each for each in _list_entries(block.text) if not is_contents_title(each)]
        if any(map(begins_with_number, entries)):
            return None  # “Chapter I” may be all that is repeated
        titles = [each for each in entries if len(each.split()) > 1 and not is_matter(each)]
        names += filter(None, map(normalize_title, titles[: _NAMES - len(names)]))
    return None


def _list_entries(text: str) -> list[str]:
    """Return the entries in a block: its lines, or those of a run-on list with numerals or page numbers.

    >>> _list_entries("I. THE WOLF II. THE\\nCROW III. SALT")
    ['I. THE WOLF', 'II. THE CROW', 'III. SALT']
    """
    joined = " ".join(text.split())
    starts = [match.start() for match in _ROMAN.finditer(joined)]
    if len(starts) > max(2, text.count("\n") + 1) and starts[0] == 0:
        return [joined[a:b].strip() for a, b in zip(starts, [*starts[1:], len(joined)], strict=True)]
    led = [entry.strip() for entry in _LEADER.split(joined)[:-1] if entry.strip()]
    return (
        led
        if len(led) > max(2, text.count("\n") + 1)
        else [line for line in text.split("\n") if line.strip() and not _COLUMN.fullmatch(line.strip())]
    )


def _is_prose(text: str) -> bool:
    words = text.split()
    return len(words) > _SHORTEST_PROSE and 3 * sum(word[0].isupper() for word in words) < len(words)


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


class ContentsEntries:
    """The entries of a table of contents by their words; one may be set in up to three lines."""

    def __init__(self, contents: Sequence[Sequence[str]]) -> None:
        self._lines: dict[str, list[tuple[tuple[int, int], ...]]] = {}
        titles: list[tuple[int, int]] = []
        for number, lines in enumerate(contents):
            if titles and any(is_matter(line) and _PICTURES.search(line) for line in lines):
                break  # a list of pictures
            for start in range(len(lines)):
                for end in range(start + 1, min(start + _LONGEST_ENTRY, len(lines)) + 1):
                    key = normalize_title(" ".join(lines[start:end]))
                    if key and not is_matter(key) and not is_contents_title(key):
                        self._lines.setdefault(key, []).append(tuple((number, i) for i in range(start, end)))
            titles += [(number, i) for i, line in enumerate(lines) if self._names(line)]
        self._all = frozenset(titles)

    def __len__(self) -> int:
        return len(self._lines)

    def _names(self, line: str) -> bool:
        return normalize_title(line) in self._lines

    def find(self, heading: str) -> str:
        """Return the entry that a heading repeats, or nothing."""
        key = normalize_title(heading)
        return key if key in self._lines else ""

    def find_similar(self, heading: str) -> str:
        """Return the entry that a heading differs from in spelling only, or nothing."""
        key = normalize_title(heading)
        likeness = {each: _compare(key, each) for each in self._lines} if len(key) > 4 else {}
        best = max(likeness, key=likeness.__getitem__, default="")
        return best if best and likeness[best] >= _SIMILAR else ""

    def count(self, key: str) -> int:
        """Return how often an entry is listed."""
        return len(self._lines[key])

    def count_matched(self, found: Mapping[str, Sequence[int]]) -> tuple[int, int]:
        """Return how many entries were found, and how many there are."""
        used = {
            line
            for key, places in found.items()
            for lines in self._lines[key][: len(places)]
            for line in lines
        }
        matched = sum(map(len, found.values()))
        return matched, matched + len(self._all - used)


def _compare(first: str, second: str) -> float:
    if first.startswith(f"{second} ") or second.startswith(f"{first} "):
        return 1.0 if min(first.count(" "), second.count(" ")) else 0.0
    matcher = SequenceMatcher(None, first, second)
    return matcher.ratio() if matcher.quick_ratio() >= _SIMILAR else 0.0
