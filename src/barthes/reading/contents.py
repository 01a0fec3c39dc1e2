"""Find tables of contents among the blocks of a text, mark them, and match their entries with the text.

::

    CONTENTS                       contents
      I. The Wolf . . . . . 3      contents     Entry("I. The Wolf")  ──▶  the block “CHAPTER I. THE WOLF”
      II. The Crow          9      contents     Entry("II. The Crow") ──▶  the block “THE CROW”

    CHAPTER I.                     the table ends where an entry comes again, or where prose begins
    THE WOLF
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import islice

from barthes.reading.document import Block, Draft, fold
from barthes.reading.scene_breaks import is_ornament
from barthes.reading.titles import (
    LONGEST_TITLE,
    PARTS,
    clean_title,
    ends_sentence,
    find_number,
    is_numbered,
    is_title,
    normalize_title,
)

_TITLE = re.compile(
    r"(?:the\s+)?(?:table\s+of\s+|list\s+of\s+)?contents(?:\s+and\s+\w+)?|inhalt(?:sverzeichnis|sübersicht)?"
    r"|table\s+des\s+mati[èe]res|sommaire|[íi]ndice|inhoud(?:sopgave)?|sommario|innehåll|innhold|indhold"
    r"|sisällys|оглавление|содержание",
    re.IGNORECASE,
)
_PICTURES = re.compile(
    r"(?:full[- ]page\s+|colou?red\s+|list\s+of\s+)*(?:illustrations|plates|pictures)", re.IGNORECASE
)
_PAGE = re.compile(r"[\s.·…]*(?:\b_?page_?)?[\s.·…]+(\d{1,4}|[ivxlc]{1,8})\W*$", re.IGNORECASE)
_LEADER = re.compile(r"(?:\s*[.·…]){3,}\s*(?:\d{1,4}|[ivxlc]{1,8})\s*$", re.IGNORECASE)
_NUMERAL = re.compile(r"(?:^|(?<=\s))[IVXLC]{1,8}\.\s+(?=\S)")
_COLUMN = re.compile(r"\W*(?:(?:chapter|chap\.?|no\.?)\s+)?(?:page|seite)\W*", re.IGNORECASE)
_LONGEST = 16  # words of an entry
_WIDEST = 300  # characters of a line; patterns that look for an end are slow on more
_LONGEST_ENTRY = 3  # lines
_FEWEST = 2  # entries
_MOST = 0.85  # share of the lines of a list that must read like entries
_HEADING_BLOCKS = 4  # blocks of a heading, at most, before the prose under it
_FEWEST_TOPICS = 4
_QUOTES = "\"'“”‘’,;"
_MOST_COMPARISONS = 5_000_000  # of headings and entries
_SIMILAR = 0.85  # of a heading and an entry that are spelled differently


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a table of contents: its title, and the anchor that it leads to."""

    title: str
    anchor: str = ""


@dataclass(frozen=True)
class Matches:
    """Which blocks repeat which entries of the contents.

    Attributes:
        places: The index of the entry, by the index of the block.
        matched: How many lines of the contents these are.
        listed: How many lines the contents have.
    """

    places: Mapping[int, int] = field(default_factory=dict)
    matched: int = 0
    listed: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether each entry has its heading."""
        return 0 < self.listed == self.matched

    @property
    def is_usable(self) -> bool:
        """Whether they divide the text: at least half of the entries are there."""
        return len(self.places) >= _FEWEST and 2 * self.matched >= self.listed


def is_contents_title(text: str) -> bool:
    """Return whether a line announces a table of contents.

    >>> is_contents_title("CONTENTS."), is_contents_title("The contents of the jar")
    (True, False)
    """
    return _TITLE.fullmatch(text.strip(" .:*_\n")) is not None


def mark_contents(draft: Draft) -> list[Entry]:
    """Mark the tables of contents and lists of pictures in a draft, and return the entries of the contents.

    A table begins with its title, or with three successive lines that dots lead to a page number. It ends
    where an entry comes again, at a heading, where more blank lines stand than inside it, or where the lines
    no longer read like entries. A title without entries is the title of something else.
    """
    entries = [Entry(title, anchor=anchor) for title, anchor in draft.contents]
    blocks = draft.blocks
    index = 0
    while index < len(blocks):
        end, found = _read_table(blocks, index)
        if end > index:
            is_list = _PICTURES.fullmatch(_first_line(blocks[index])) is not None
            entries += [] if is_list or draft.contents else found
            for place in range(index, end):
                blocks[place] = blocks[place] if blocks[place].mark else blocks[place].mark_as("contents")
        index = max(end, index + 1)
    return entries


def _first_line(block: Block) -> str:
    return block.text.partition("\n")[0].strip(" .:*_")


def _is_title_of_table(block: Block) -> bool:
    return is_contents_title(_first_line(block)) or _PICTURES.fullmatch(_first_line(block)) is not None


def _read_table(blocks: Sequence[Block], start: int) -> tuple[int, list[Entry]]:
    """Return the index after the table that begins here, and its entries; `start` if none does."""
    block = blocks[start]
    if not block.text or block.mark:
        return start, []
    if not _is_title_of_table(block):
        end = start
        while end < len(blocks) and blocks[end].is_text and all(map(_leads, blocks[end].text.split("\n"))):
            end += 1
        entries = [entry for each in blocks[start:end] for entry in _read_entries(each.text)]
        return (end, entries) if len(entries) > _FEWEST else (start, [])
    following = next((each for each in blocks[start + 1 :] if each.text), None)
    if following is not None and following.mark == "contents":
        return start + 1, []  # a table that the format has marked
    rest = block.text.partition("\n")[2]
    if rest and not _is_list(Block(rest)):
        return start, []
    return _follow_table(blocks, start, _read_entries(rest))


def _follow_table(blocks: Sequence[Block], start: int, entries: list[Entry]) -> tuple[int, list[Entry]]:
    """Return where the table under a title ends, and its entries."""
    end, widest = start + 1, 0
    titles = {normalize_title(entry.title) for entry in entries}
    for index in range(start + 1, len(blocks)):
        block = blocks[index]
        if block.mark or not block.text:
            continue
        if block.level or not _is_list(block):
            break
        is_next = block.gap > max(2, widest) or _is_title_of_table(block)
        if entries and (is_next or _begins_text(blocks, index, entries[-2:], titles)):
            break
        widest = max(widest, block.gap) if entries else 0
        found = [] if _lists_topics(block.text) else _read_entries(block.text)
        titles.update(normalize_title(entry.title) for entry in found)
        entries += found
        end = index + 1
    return (end, entries) if len(entries) >= _FEWEST else (start, [])


def _begins_text(
    blocks: Sequence[Block], index: int, above: Sequence[Entry], titles: Collection[str]
) -> bool:
    """Return whether a block is the first heading under a table: a repeated entry, or 1 before prose.

    The numbers of chapters may come again inside the table, under the next part: `above` are the entries
    right above the block, `titles` those of all entries.
    """
    block = blocks[index]
    lines = [line[:_WIDEST] for line in (block.line, *block.text.split("\n"))]
    number = find_number(lines[1])
    if any(normalize_title(line) in titles for line in lines):
        numbers = (find_number(entry.title) for entry in above)
        return number is None or not any(each and each[0] in PARTS for each in numbers)
    rest = (blocks[place] for place in range(index + 1, len(blocks)))
    following = islice((each for each in rest if each.text and not each.mark), _HEADING_BLOCKS)
    return number is not None and number[1] == 1 and any(map(_is_prose, following))


def _is_prose(block: Block) -> bool:
    is_sentence = ends_sentence(block.text) and not is_title(block.line)
    return not block.level and (is_sentence or not _is_list(block))


def _read_entries(text: str) -> list[Entry]:
    """Return the entries in some lines, without leaders.

    >>> _read_entries("PAGE\\n_The Wolf_ . . . . 12\\nThe Crow")
    [Entry(title='The Wolf', anchor=''), Entry(title='The Crow', anchor='')]
    """
    joined = " ".join(text.split())
    starts = [numeral.start() for numeral in _NUMERAL.finditer(joined)]
    lines = text.split("\n")
    if len(starts) > len(lines) and starts[0] == 0:  # a list that runs on
        lines = [joined[a:b] for a, b in zip(starts, [*starts[1:], len(joined)], strict=True)]
    entries = list[Entry]()
    for line in lines:
        if any(map(str.isalnum, line)) and not _COLUMN.fullmatch(line):
            page = None if is_numbered(line) else _PAGE.search(line[:_WIDEST])
            title = (line[: page.start()] if page else line).strip(" _.·…\t")
            if not entries or fold(title) != fold(entries[-1].title):  # printed twice
                entries.append(Entry(title))
    return [entry for entry in entries if any(map(str.isalnum, entry.title))]


def _leads(line: str) -> bool:
    return len(line) <= _WIDEST and _LEADER.search(line) is not None


def _is_list(block: Block) -> bool:
    """Return whether all lines read like entries, and do not make a sentence together."""
    if _lists_topics(block.text):
        return True
    words = block.text.split()
    is_prose = len(words) > _LONGEST and 3 * sum(word.strip("_")[:1].isupper() for word in words) < len(words)
    lines = block.text.split("\n")
    is_listing = any(_PAGE.search(line[:_WIDEST]) for line in lines) or not is_prose
    return not is_ornament(block.text) and is_listing and sum(map(_is_entry, lines)) >= _MOST * len(lines)


def _lists_topics(text: str) -> bool:
    """Return whether a paragraph lists what happens in a chapter, between dashes.

    >>> _lists_topics("My birth--The mill--A journey to the sea--I meet a wolf"), _lists_topics("So--no.")
    (True, False)
    """
    topics = re.split(r"--+|—", text)
    return len(topics) >= _FEWEST_TOPICS and max(len(topic.split()) for topic in topics) <= _LONGEST


def _is_entry(line: str) -> bool:
    line = line.strip()
    words = line.split()
    if len(line) > _WIDEST or len(words) > _LONGEST:
        return False
    if not line or _PAGE.search(line[:_WIDEST]) or is_title(clean_title(line).strip(_QUOTES)):
        return True
    is_prose = line[-1] in ".!?" and 2 * sum(word[0].islower() for word in words) > len(words)
    return line[-1] not in ",;\"'”’" and not is_prose


def match_entries(entries: Sequence[Entry], blocks: Sequence[Block]) -> Matches:
    """Return which blocks repeat the entries, in their order; an entry may be set in up to three lines."""
    if linked := _follow_links(entries, blocks):
        return linked
    keys = {
        index: normalize_title(block.line)
        for index, block in enumerate(blocks)
        if block.text and not block.mark and len(block.line) <= LONGEST_TITLE and block.text.count("\n") < 3
    }
    spans: dict[str, list[tuple[int, int]]] = {}
    for start in range(len(entries)):
        for end in range(start + 1, min(start + _LONGEST_ENTRY, len(entries)) + 1):
            title = " ".join(entry.title for entry in entries[start:end])
            spans.setdefault(normalize_title(title), []).append((start, end))
    pairs = [(index, *span) for index, key in keys.items() if key for span in spans.get(key, ())]
    if len(pairs) * len(entries) > _MOST_COMPARISONS:
        return Matches()
    chosen = _align(pairs, blocks, len(entries))
    places = {index: start for index, start, _ in chosen}
    lines = {line for _, start, end in chosen for line in range(start, end)}
    similar = _match_similar(entries, keys, places, lines)
    return Matches(dict(sorted((places | similar).items())), len(lines) + len(similar), len(entries))


def _follow_links(entries: Sequence[Entry], blocks: Sequence[Block]) -> Matches | None:
    """Return the headings that most entries link to; None if they do not lead to short lines."""
    targets: dict[str, int] = {}
    waiting: list[str] = []
    for index, block in enumerate(blocks):
        waiting += block.anchors
        if block.text and not block.mark:
            targets |= dict.fromkeys(waiting, index)
            waiting = []
    places: dict[int, int] = {}
    followed = 0
    for number, entry in enumerate(entries):
        index = targets.get(entry.anchor, -1)
        block = blocks[index]
        if index >= 0 and len(block.line) <= LONGEST_TITLE and block.text.count("\n") < _LONGEST_ENTRY:
            places.setdefault(index, number)
            followed += 1
    matches = Matches(dict(sorted(places.items())), followed, len(entries))
    return matches if matches.is_usable else None


def _align(
    pairs: Sequence[tuple[int, int, int]], blocks: Sequence[Block], count: int
) -> list[tuple[int, int, int]]:
    """Return the most pairs of a block and an entry in which both come in order.

    Of equally many, those are chosen that are headings, or have more space before them.
    """
    best: list[tuple[float, tuple[int, ...]]] = [(0.0, ())] * (count + 1)  # by the number of entries used
    pairs = sorted(pairs, key=lambda pair: (pair[0], -pair[1]))  # a block is never used for two entries
    for number, (index, start, end) in enumerate(pairs):
        weight = (end - start) * 1000.0 + min(blocks[index].gap, 9) + 10 * bool(blocks[index].level)
        before = max(best[: start + 1], key=lambda each: each[0])
        if before[0] + weight > best[end][0]:
            best[end] = (before[0] + weight, (*before[1], number))
    return [pairs[number] for number in max(best, key=lambda each: each[0])[1]]


def _match_similar(
    entries: Sequence[Entry], keys: Mapping[int, str], places: Mapping[int, int], used: set[int]
) -> dict[int, int]:
    """Return the blocks that differ only in spelling from an entry, between the neighbours of both."""
    found: dict[int, int] = {}
    if len(entries) * (len(keys) + len(entries)) > _MOST_COMPARISONS:
        return found
    by_entry = sorted((entry, index) for index, entry in places.items())
    for number in (each for each in range(len(entries)) if each not in used):
        above = max((index for entry, index in by_entry if entry < number), default=-1)
        below = min((index for entry, index in by_entry if entry > number), default=max(keys, default=0) + 1)
        between = {key: index for index, key in keys.items() if above < index < below and index not in found}
        title = normalize_title(entries[number].title)
        nearest = get_close_matches(title, between, n=1, cutoff=_SIMILAR) if len(title) > 4 else []
        found |= {between[key]: number for key in nearest}
    return found
