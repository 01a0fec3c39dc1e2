"""Find the headings of a text whose format does not mark them, and how sure that is.

::

    CONTENTS … The Wolf … The Crow      1. lines that the table of contents lists
    CHAPTER I   II   3. The Crow        2. numbers that count up
    The Wolf ⏎ --------                 3. lines that are underlined, or marked with #
    ⏎⏎⏎⏎ The Wolf ⏎⏎                    4. short lines that are all set apart in the same way

Each has a level: `PART`, `CHAPTER` or `SECTION`. Nothing else is guessed: a caller can name the others by a
pattern.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from statistics import median

from barthes.errors import ReadingError
from barthes.reading.contents import Entry, Matches, match_entries
from barthes.reading.document import Block, Draft, count_words
from barthes.reading.printing import CLOSING_LINE
from barthes.reading.scene_breaks import is_ornament, is_scene_break
from barthes.reading.titles import (
    LONGEST_TITLE,
    PARTS,
    ends_sentence,
    find_number,
    is_numbered,
    is_title,
    names_matter,
    normalize_title,
    reads_like_title,
    to_number,
)

PART, CHAPTER, SECTION = 1, 2, 3
_SINGLE = re.compile(r"\W*(?:prologue|epilogue|prolog|epilog)\W*", re.IGNORECASE)
_NUMBERED_TITLE = re.compile(r"(\d{1,3}|[IVXLC]{1,8})(?:[.:)]\s*|\s+)(?=\S)")
_RULED = re.compile(
    r"(\S[^\n]*)\n[^\S\n]*(?:-{3,}|={3,}|~{3,})[^\S\n]*(?:\n|$)|#{1,6}[ ]+(\S[^\n]*?)[ #]*(?:\n|$)"
)
_LONGEST_HEADING = 60  # words
_LONGEST_LINE = 16  # words of one that is not all in capitals
_SHORTEST_STORY = 20  # words; the shortest fables have 30
_UNIFORM = 0.8  # share of the lines set apart that must be titles


@dataclass
class Headings:
    """The headings of a text.

    Attributes:
        levels: The level of each, by the index of its block.
        how: How they were found.
        confidence: ``high`` only if contents and headings agree one to one.
        sequence: Those that belong to the contents list or count up; empty if nothing says which do.
        is_complete: Whether each entry of the contents list is one of them.
    """

    levels: dict[int, int] = field(default_factory=dict)
    how: str = ""
    confidence: str = "low"
    sequence: frozenset[int] = frozenset()
    is_complete: bool = False


def split_at(blocks: Iterable[Block], pattern: str) -> list[Block]:
    """Return the blocks with each line that a regular expression finds as a heading of its own.

    Raises:
        ReadingError: It is not a regular expression, or no line has it.
    """
    try:
        found = re.compile(pattern)
    except re.error as error:
        problem = f"{pattern!r} is not a regular expression ({error})."
        raise ReadingError(
            problem, option="split", remedy="See docs.python.org/3/library/re.html."
        ) from error
    divided = []
    for block in blocks:
        level = SECTION if block.level else 0
        if not block.text or block.mark:
            divided.append(block)
            continue
        lines = [(CHAPTER if found.search(line) else level, line) for line in block.text.split("\n")]
        divided += _group_lines(block, lines)
    if not any(block.level == CHAPTER for block in divided):
        raise ReadingError(f"no line matches {pattern!r}.", option="split", remedy="Try another pattern.")
    return divided


def _group_lines(block: Block, lines: Sequence[tuple[int, str]]) -> list[Block]:
    """Return a block as several; successive lines of the same level stay together."""
    if len({level for level, _ in lines}) == 1:
        return [replace(block, level=lines[0][0])]
    parts: list[Block] = []
    position = block.place[0]
    for level, line in lines:
        end = position + len(line) + 1
        if parts and parts[-1].level == level:
            parts[-1] = replace(parts[-1], text=f"{parts[-1].text}\n{line}", place=(parts[-1].place[0], end))
        else:
            parts.append(Block(line, level, gap=0 if parts else block.gap, place=(position, end)))
        position = end
    return [replace(parts[0], anchors=block.anchors), *parts[1:]]


def split_ruled(blocks: Iterable[Block]) -> list[Block]:
    """Return the blocks with lines that are underlined, or marked with #, as headings of their own."""
    split: list[Block] = []
    for block in blocks:
        match = _RULED.match(block.text) if block.is_text else None
        title = (match[1] or match[2]) if match else ""
        if match is None or not any(map(str.isalnum, title)) or len(title) > LONGEST_TITLE:
            split.append(block)
            continue
        start, end = block.place
        middle = min(start + match.end(), end)
        split.append(replace(block, text=title, level=CHAPTER, place=(start, middle), marks=()))
        if rest := block.text[match.end() :].strip():
            split.append(Block(rest, gap=0, place=(middle, end)))
    return split


def find_headings(draft: Draft, entries: Sequence[Entry]) -> Headings:
    """Return the headings of a draft: those that its format marks, or else those that the text shows."""
    blocks = draft.blocks
    matches = match_entries(entries, blocks)
    numbers = _find_numbers(blocks)
    marked = {index: block.level for index, block in enumerate(blocks) if block.level and not block.mark}
    is_marked = 2 * len(matches.places.keys() & marked.keys()) >= len(matches.places)
    if _count_filled(blocks, marked) > 1 and 2 * len(marked) >= len(numbers) and is_marked:
        return _note_sequence(Headings(marked), matches, numbers)
    layout = _Layout(blocks)
    found = _combine(blocks, matches, numbers, layout)
    if len(found.levels) < 2 and len(marked) >= len(found.levels):
        return Headings(marked)
    found.levels |= {index: CHAPTER for index in marked if index not in found.levels}
    return _note_sequence(found, matches, numbers)


def _note_sequence(found: Headings, matches: Matches, numbers: dict[int, int]) -> Headings:
    """Add which headings are listed, or count up."""
    listed = frozenset(index for index in matches.places if index in found.levels)
    if matches.is_usable and listed:
        found.is_complete = matches.is_complete
        found.sequence = listed | (frozenset(numbers) & found.levels.keys())
    elif 2 * len(numbers.keys() & found.levels.keys()) >= len(found.levels):
        found.sequence = frozenset(numbers) & found.levels.keys()
    return found


def _combine(blocks: Sequence[Block], matches: Matches, numbers: dict[int, int], layout: _Layout) -> Headings:
    """Choose between contents, numbers and layout."""
    titles = set(matches.places) if matches.is_usable else set()
    is_listed = bool(titles)
    has_words = any(level != SECTION for level in numbers.values())
    chapters = {index for index, level in numbers.items() if level != PART}
    restarts = _restart(blocks, chapters, parts=len(numbers) - len(chapters))
    if not titles and (len(chapters) < 2 or restarts or not has_words):
        apart = layout.find_titles()
        titles = set(apart) if len(apart) > (0 if restarts else len(chapters)) else set()
    if not titles:
        levels = {index: max(level, CHAPTER) if level != PART else PART for index, level in numbers.items()}
        levels = {index: min(level, CHAPTER) for index, level in levels.items()}
        how = "their numbers" + (", which start again" if restarts else "")
        found = Headings(_add_edges(blocks, levels, layout), how, "low" if restarts else "medium")
        return found if len(numbers) > 1 else Headings()
    own = chapters - titles
    parts = {index: PART for index in numbers if index not in chapters} if chapters else {}
    if has_words and len(own) > len(titles) and _restart(blocks, own):
        levels = dict.fromkeys(titles, PART) | dict.fromkeys(own, CHAPTER)
    elif has_words and is_listed and len(chapters) >= len(titles):
        levels = dict.fromkeys(titles | chapters, CHAPTER) | parts
    else:
        is_numbered_list = is_listed and 2 * len(titles & chapters) > len(titles)
        levels = dict.fromkeys(own, CHAPTER if is_numbered_list else SECTION)
        levels |= dict.fromkeys(titles, CHAPTER) | parts
    if not is_listed:
        return Headings(levels, "titles set apart by blank lines", "low")
    edges = _add_edges(blocks, levels, layout, is_complete=matches.is_complete)
    agree = matches.is_complete and all(
        level != CHAPTER or index in titles for index, level in levels.items()
    )
    inner = (index for index in layout.list_apart(1) if index > min(titles) and blocks[index].line.isupper())
    edges = dict.fromkeys(inner, SECTION) | edges
    how = f"the table of contents, {matches.matched} of {matches.listed} entries"
    return Headings(edges, how, "high" if agree else "medium")


def _add_edges(
    blocks: Sequence[Block], levels: dict[int, int], layout: _Layout, *, is_complete: bool = True
) -> dict[int, int]:
    """Return the headings with those that are set like them, but neither listed nor numbered.

    If each entry of the contents has its heading, there are none between these.
    """
    if not levels:
        return levels
    first, last = min(levels), max(levels)
    apart = min(layout.gaps.get(index, 0) for index in levels)
    extra = {}
    for index in layout.list_apart(1):
        line = blocks[index].line
        is_outside = index < first or index > last or not is_complete
        is_like = layout.gaps[index] >= max(apart, layout.usual + 1)
        is_named = names_matter(line) or (is_like and is_title(line))
        if is_outside and index not in levels and not is_numbered(line) and is_named:
            extra[index] = CHAPTER
    singles = (i for i, block in enumerate(blocks) if block.is_text and _SINGLE.fullmatch(block.text))
    return levels | extra | dict.fromkeys(singles, CHAPTER)


def _find_numbers(blocks: Sequence[Block]) -> dict[int, int]:
    """Return the levels of headings that count up from one: with a word, as bare numerals, or before titles.

    A word for parts has the level of parts, bare numerals have that of sections.
    """
    found: dict[str, list[tuple[int, int]]] = {}
    for index, block in enumerate(blocks):
        if not block.text or block.mark or len(block.text.split()) > _LONGEST_HEADING:
            continue
        first = block.text.partition("\n")[0]
        number = find_number(first)
        if number and _is_numbered_heading(block, first):
            found.setdefault(number[0], []).append((index, number[1]))
        elif (match := _NUMBERED_TITLE.match(block.text)) and _is_numbered_title(block, match.end()):
            found.setdefault(".", []).append((index, to_number(match[1]) or 0))
    levels: dict[int, int] = {}
    if any(len(_count_up(found[word], is_strict=False)) > 1 for word in found if word not in ("", ".")):
        found.pop(".", None)
    for word, places in found.items():
        kept = _count_up(places, is_strict=word in ("", "."))
        if len(kept) > 1:
            level = PART if word in PARTS else SECTION if not word else CHAPTER
            levels |= dict.fromkeys(kept, level)
    lone = (places[0][0] for word, places in found.items() if word and len(places) == 1)
    levels |= {index: PART for index in lone if index + 1 in levels}  # the only act
    return dict(sorted(levels.items()))


def _count_up(places: Sequence[tuple[int, int]], *, is_strict: bool) -> list[int]:
    """Return the indexes whose numbers count up, and may start again; others are skipped if it is strict."""
    runs: list[list[int]] = []
    for index, number in places:
        if number == 1:
            runs.append([index])
        elif runs and (number == len(runs[-1]) + 1 or not is_strict):
            runs[-1].append(index)
    return [index for run in runs if len(run) > 1 or (runs and not is_strict) for index in run]


def _is_numbered_heading(block: Block, first: str) -> bool:
    """Return whether a block that begins with a number is a heading: a short line, or all in capitals."""
    is_line = "\n" not in block.text or is_numbered(first)
    return block.text.isupper() or (is_line and len(block.text.split()) <= _LONGEST_LINE)


def _is_numbered_title(block: Block, start: int) -> bool:
    title = " ".join(block.text[start:].split())
    return is_title(title) and len(title) <= LONGEST_TITLE and (title.isupper() or not ends_sentence(title))


def _restart(blocks: Sequence[Block], indexes: Iterable[int], *, parts: int = 0) -> bool:
    """Return whether the numbers of some headings start again, other than in each part."""
    numbers = [find_number(blocks[index].text.partition("\n")[0]) for index in sorted(indexes)]
    return sum(number is not None and number[1] == 1 for number in numbers) > max(parts, 1)


def is_running_text(blocks: Iterable[Block]) -> bool:
    """Return whether blocks are running text: a list or a title page has little punctuation."""
    counts = [(count_words(block.text), block) for block in blocks if block.is_text]
    total = sum(count for count, _ in counts)
    punctuated = sum(count for count, block in counts if block.passages or not block.text[-1].isalnum())
    return total >= _SHORTEST_STORY and 2 * punctuated >= total


def _count_filled(blocks: Sequence[Block], levels: Iterable[int]) -> int:
    """Return how many headings have running text right under them."""
    places = sorted(levels)
    edges = zip(places, [*places[1:], len(blocks)], strict=False)
    return sum(any(block.is_text for block in blocks[start + 1 : end]) for start, end in edges)


class _Layout:
    """How many blank lines stand before each paragraph, and which lines are set apart by them.

    Attributes:
        gaps: The blank lines before each paragraph, by its index; what is marked counts as blank.
        usual: Those between paragraphs.
    """

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._blocks = blocks
        self.gaps: dict[int, int] = {}
        gap = 0
        for index, block in enumerate(blocks):
            gap = max(gap, block.gap)
            if block.is_text and not is_ornament(block.text):
                self.gaps[index] = gap
                gap = 0
        places = list(self.gaps)
        between = [self.gaps[b] for a, b in pairwise(places) if self._is_long(a, b)]
        self.usual = int(median(between)) if between else 1

    def _is_long(self, *indexes: int) -> bool:
        return all(len(self._blocks[index].line) > LONGEST_TITLE for index in indexes)

    def find_titles(self) -> list[int]:
        """Return the lines that are set apart alike and have running text under each; none if they differ."""
        rules: tuple[tuple[int, Callable[[str], bool]], ...] = (
            (3, _may_be_title),
            (2, _may_be_title),
            (1, str.isupper),
            (1, reads_like_title),
            (0, str.isupper),
        )
        found = list[list[int]]()
        for more, reads in rules:
            chosen = [index for index in self.list_apart(more) if reads(self._blocks[index].line)]
            if self._is_uniform(chosen, more):
                found.append(chosen)
        most = max(map(len, found), default=0)
        return next((chosen for chosen in found if 2 * len(chosen) >= most), [])

    def list_apart(self, more: int) -> list[int]:
        """Return the short lines that may be titles, after this many more blank lines than usual."""
        found = [
            index
            for index, gap in self.gaps.items()
            if gap >= self.usual + more and self._is_short(index) and _may_be_title(self._blocks[index].line)
        ]
        ends = [*found[1:], len(self._blocks)]
        return [index for index, end in zip(found, ends, strict=False) if not self._closes(index, end)]

    def _closes(self, index: int, end: int) -> bool:
        """Return whether a line is “The End”, with nothing under it."""
        is_alone = not any(block.is_text for block in self._blocks[index + 1 : end])
        return is_alone and CLOSING_LINE.fullmatch(self._blocks[index].text) is not None

    def _is_short(self, index: int) -> bool:
        block = self._blocks[index]
        return (
            len(block.line) <= LONGEST_TITLE and block.text.count("\n") < 3 and not is_scene_break(block.text)
        )

    def _is_uniform(self, chosen: Sequence[int], more: int) -> bool:
        ends = zip(chosen, [*chosen[1:], len(self._blocks)], strict=False)
        filled = [start for start, end in ends if is_running_text(self._blocks[start + 1 : end])]
        if len(filled) < 2:
            return False
        middle = [index for index in chosen if index >= filled[0]]
        apart = [i for i, gap in self.gaps.items() if gap >= self.usual + more and i >= filled[0]]
        names = {normalize_title(self._blocks[index].line) for index in filled}
        is_alike = len(middle) >= _UNIFORM * len(apart) or more < 2
        return is_alike and 3 * len(filled) >= 2 * len(middle) and len(names) >= _UNIFORM * len(filled)


def _may_be_title(line: str) -> bool:
    """Return whether a line that is set apart may be a title: it begins like one and is not a sentence."""
    begins = line[:1].isupper() or line[:1].isdigit() or not line[:1].isalpha()
    is_quoted = line[:1] in "\"“‘'([*" and not is_title(line.strip("\"“”‘’'"))
    return begins and not is_quoted and line[-1] not in ",;:" and (is_title(line) or not ends_sentence(line))
