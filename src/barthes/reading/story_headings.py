"""Find the titles of stories in a text by its table of contents and its layout.

The rules are tried from the surest to the least sure: entries of the table of contents, titles under which
numerals start again, numbered titles, underlined lines, blank lines, capitals, centring.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from barthes.reading.contents_table import ContentsEntries
from barthes.reading.document import Block, DocumentDraft
from barthes.reading.scene_breaks import is_ornament
from barthes.reading.titles import (
    BACK_MATTER,
    BARE,
    FRONT_MATTER,
    LONGEST_TITLE,
    PART_STORY,
    THE_END,
    ends_sentence,
    is_matter,
    is_numbered,
    is_title,
    normalize_title,
    reads_like_title,
    to_number,
)

_LONGEST_FRONT = 150  # words without a heading before the first story
_REMARK = re.compile(r"\[.*\]", re.DOTALL)  # such as [Illustration]
_TITLE_NUMBER = re.compile(r"(\d{1,3}|[IVXLC]{1,8})(?:[.:)]\s*|\s+)(?=\S)")
_RULE = re.compile(r"(\S[^\n]*)\n(?:-{3,}|={3,}|~{3,})(?:\n|$)")
_HASHES = re.compile(r"#{1,6}[ ]+(\S[^\n]*?)[ #]*(?:\n|$)")
_SHORTEST_STORY = 20  # words; the shortest fables have 30
_LONGEST_ENTRY = 3  # lines
_MOST_COMPARISONS = 100_000  # of headings and entries


@dataclass(frozen=True, slots=True)
class Stories:
    """The indexes of the headings of stories, and how they were found.

    Front matter ends before the index `start`, and back matter begins at `end`.
    """

    places: tuple[int, ...]
    how: str
    confidence: str
    start: int = 0
    end: int = 0


def find_stories(
    blocks: Sequence[Block],
    numbered: Mapping[int, int],
    draft: DocumentDraft,
    ruled: Sequence[int] = (),
) -> Stories | None:
    """Return where the titles of stories stand; None if the text is not a collection.

    Args:
        blocks: The text, without its table of contents.
        numbered: The indexes of headings that are found by their wording or number.
        draft: The draft with the entries of the table of contents that was removed.
        ruled: The indexes of blocks that `split_ruled` found.
    """
    layout = _Layout(blocks, numbered, draft)
    found = layout.find_stories(ruled)
    return layout.complete(found) if found else None


def split_ruled(blocks: Sequence[Block]) -> tuple[list[Block], tuple[int, ...]]:
    """Separate lines that are underlined or marked with # from the text below, and return their indexes."""
    split: list[Block] = []
    places: list[int] = []
    for block in blocks:
        match = _RULE.match(block.text) or _HASHES.match(block.text)
        if match is None or len(match[1]) > LONGEST_TITLE:
            split.append(block)
            continue
        places.append(len(split))
        split.append(replace(block, text=match[1]))
        if rest := block.text[match.end() :].strip():
            split.append(Block(rest))
    return (split, tuple(places)) if len(places) > 1 else (list(blocks), ())


def tells(blocks: Sequence[Block]) -> bool:
    """Return whether blocks are running text: a list or a title page has little punctuation."""
    words = [len(block.text.split()) for block in blocks]
    told = sum(count for count, block in zip(words, blocks, strict=True) if is_punctuated(block))
    return told >= _SHORTEST_STORY and 2 * told >= sum(words)


def is_punctuated(block: Block) -> bool:
    """Return whether a block ends with punctuation and is more than a remark in brackets."""
    return unicodedata.category(block.text[-1])[0] == "P" and not _REMARK.fullmatch(block.text)


def clean_heading(block: Block) -> str:
    """Return the text of a block on one line, without the underscores that stand for italics."""
    return " ".join(block.text.replace("_", "").split())


class _Layout:
    """Where the titles of stories may stand among the blocks of a text."""

    def __init__(self, blocks: Sequence[Block], numbered: Mapping[int, int], draft: DocumentDraft) -> None:
        self._blocks = blocks
        self._numbered = numbered
        self._contents = draft.contents
        is_last = 2 * draft.contents_end > len(blocks)  # as in French books
        self._start = 0 if is_last else draft.contents_end
        self._gaps = _measure_gaps(blocks)
        between = [b.gap for a, b in pairwise(blocks) if not _is_short(a) and not _is_short(b)]
        self._usual = int(median(between)) if between else 1  # blank lines between paragraphs
        self._width = max((len(line) for block in blocks for line in block.text.split("\n")[:-1]), default=0)
        self._end = self._find_back_matter()
        self._titles = [index for index in range(self._end) if self._may_be_title(index)]

    def find_stories(self, ruled: Sequence[int]) -> Stories | None:
        """Return the stories by the first rule that divides the text; None if none does."""
        if found := self._match_contents() or self._find_before_numbers():
            return found
        numbered, spaced = self._find_numbered_titles(), self._find_by_layout(ruled)
        return spaced if not numbered or (spaced and len(spaced.places) > len(numbered.places)) else numbered

    def _find_by_layout(self, ruled: Sequence[int]) -> Stories | None:
        rules: list[tuple[Iterable[int], str, str]] = [
            (ruled, "underlined or marked lines", "high"),
            (self._select(2), "lines set apart by blank lines", "medium"),
            (self._select(1, str.isupper), "lines in capitals set apart by blank lines", "medium"),
            (self._select(1, reads_like_title), "titles set apart by blank lines", "medium"),
            (self._select(0, _is_bare_capitals), "lines in capitals", "low"),
            (filter(self._is_centred, self._select(0, reads_like_title)), "centred lines", "low"),
        ]
        for places, how, confidence in rules:
            chosen = self._check(places, least=3 if confidence == "low" else 2)
            if chosen:
                return Stories(chosen, how, confidence)
        return None

    def complete(self, found: Stories) -> Stories:
        """Add “FIRST STORY” and its like, and the edges of front and back matter."""
        start = found.start or self._find_first_story(found.places)
        capitals = (i for i in self._titles if self._blocks[i].text.isupper())
        inner = [i for i in capitals if PART_STORY.fullmatch(normalize_title(self._blocks[i].text))]
        places = tuple(sorted(index for index in {*found.places, *inner} if index >= start))
        return replace(found, places=places, start=start, end=self._end)

    def _find_first_story(self, places: Sequence[int]) -> int:
        """Return where the stories begin: after the prefaces in the first quarter, or the title page."""
        total = sum(len(block.text.split()) for block in self._blocks)
        passed, start = 0, 0
        for index, block in enumerate(self._blocks):
            if 4 * passed > total:
                break
            if self._announces(index, FRONT_MATTER):
                start = index + 1
            passed += len(block.text.split())
        told = (place for place in self._list_told(places) if place >= start)
        first = next(told, 0)
        return first if start or not tells(self._blocks[:first]) else 0

    def _list_told(self, places: Sequence[int]) -> list[int]:
        """Return the headings with running text under them, other than prefaces and the like."""
        edges = zip(places, [*places[1:], self._end], strict=False)
        told = (start for start, end in edges if tells(self._blocks[start + 1 : end]))
        return [index for index in told if not is_matter(clean_heading(self._blocks[index]))]

    def _select(self, more: int, reads: Callable[[str], bool] = bool) -> list[int]:
        """Return the titles that read so, with this many more blank lines before them than usual."""
        apart = self._usual + more
        found = (index for index in self._titles if self._gaps[index] >= apart)
        return [index for index in found if reads(clean_heading(self._blocks[index]))]

    def _may_be_title(self, index: int) -> bool:
        block = self._blocks[index]
        if not _is_short(block) or self._is_numbered(index):
            return False
        text = clean_heading(block)
        is_other = _REMARK.match(text) or THE_END.fullmatch(text) or is_ornament(text) or BARE.fullmatch(text)
        return not is_other and is_title(text)

    def _is_numbered(self, index: int) -> bool:
        """Return whether a block is a numbered heading, or may be the title that follows one."""
        before = index - 1 in self._numbered and is_numbered(self._blocks[index - 1].text)
        return index in self._numbered or before

    def _is_apart(self, index: int) -> bool:
        block = self._blocks[index]
        return _is_short(block) and not self._is_numbered(index) and not block.text[0].islower()

    def _is_centred(self, index: int) -> bool:
        block = self._blocks[index]
        after = self._width - block.indent - len(block.text)
        return block.indent >= 8 and abs(block.indent - after) <= 6

    def _find_back_matter(self) -> int:
        """Return the index of the first notes or index after a third of the text; its length if none."""
        counts = [len(block.text.split()) for block in self._blocks]
        total, passed, found = sum(counts), 0, []
        for index, count in enumerate(counts):
            if 3 * passed > total and self._announces(index, BACK_MATTER):
                found.append(index)
            passed += count
        titles = [normalize_title(self._blocks[index].text) for index in found]
        # Notes that come again belong to single stories.
        return found[0] if found and len(set(titles)) == len(titles) else len(self._blocks)

    def _announces(self, index: int, matter: re.Pattern[str]) -> bool:
        """Return whether a block, set apart by space, is the heading of some front or back matter."""
        block = self._blocks[index]
        is_heading = self._gaps[index] > self._usual and _is_short(block) and is_matter(clean_heading(block))
        return is_heading and matter.search(normalize_title(block.text)) is not None

    def _check(self, places: Iterable[int], *, least: int) -> tuple[int, ...]:
        """Return the places, with headings of front matter, if they divide the text; else nothing."""
        chosen = sorted(places)
        told = self._list_told(chosen)
        if len(told) < least:
            return ()
        names = {normalize_title(self._blocks[index].text) for index in told}
        middle = [index for index in chosen if index >= told[0]]
        return tuple(chosen) if 10 * len(names) >= 8 * len(told) and 3 * len(told) >= 2 * len(middle) else ()

    def _match_contents(self) -> Stories | None:
        """Return the blocks that repeat entries of the table of contents, if half of these are found."""
        entries = ContentsEntries(self._contents)
        texts = {
            i: clean_heading(self._blocks[i]) for i in range(self._start, self._end) if self._is_apart(i)
        }
        found = {index: key for index, text in texts.items() if (key := entries.find(text))}
        others = [index for index in self._select(1) if index >= self._start and index not in found]
        if len(others) * len(entries) <= _MOST_COMPARISONS:
            similar = {i: entries.find_similar(clean_heading(self._blocks[i])) for i in others}
            found |= {index: key for index, key in similar.items() if key}
        best: dict[str, list[int]] = {}
        for index in sorted(found, key=lambda index: (-self._gaps[index], index)):
            if len(best.setdefault(found[index], [])) < entries.count(found[index]):
                best[found[index]].append(index)
        chosen = {index for indexes in best.values() for index in indexes}
        matched, listed = entries.count_matched(best)
        if len(chosen) < 2 or 2 * matched < listed:
            return None
        start = min(chosen)
        before = self._blocks[self._start : start]
        if sum(len(each.text.split()) for each in before) > _LONGEST_FRONT and not any(
            _is_short(each) and is_matter(clean_heading(each)) for each in before
        ):
            start = self._start  # a story whose title is not in the table
        if min(self._gaps[index] for index in chosen) >= self._usual + 2:
            chosen.update(index for index in self._select(2) if index > start)
        how = f"the table of contents, {matched} of {listed} entries"
        confidence = "high" if 10 * matched >= 9 * listed else "medium"
        return Stories(tuple(sorted(chosen)), how, confidence, start)

    def _find_before_numbers(self) -> Stories | None:
        """Return the titles before each number one, if numbers start again under several."""
        ones = [
            index
            for index in self._numbered
            if (match := BARE.fullmatch(self._blocks[index].text)) and to_number(match[1]) == 1
        ]
        titled = [index - 1 for index in ones if index - 1 in self._titles]
        if len(titled) < 2 or len(titled) < len(ones):
            return None
        more = self._select(min(self._gaps[index] for index in titled) - self._usual)
        how = "titles, under which the numbers start again"
        return Stories(tuple(sorted({*titled, *(more if self._check(more, least=2) else ())})), how, "high")

    def _find_numbered_titles(self) -> Stories | None:
        """Return titles such as “2. The Wolf” that count up from one, with text under each."""
        found: list[int] = []
        for index in range(self._end):
            match = _TITLE_NUMBER.match(self._blocks[index].text)
            if match and to_number(match[1]) == len(found) + 1 and _is_numbered_title(self._blocks[index]):
                found.append(index)
        chosen = self._check(found, least=2)
        return Stories(chosen, "numbered titles", "high") if chosen and len(chosen) == len(found) else None


def _is_short(block: Block) -> bool:
    return len(block.text) <= LONGEST_TITLE and block.text.count("\n") < _LONGEST_ENTRY


def _is_bare_capitals(text: str) -> bool:
    return text.isupper() and not ends_sentence(text)


def _is_numbered_title(block: Block) -> bool:
    title = _TITLE_NUMBER.sub("", clean_heading(block), count=1)
    return _is_short(block) and is_title(title) and (title.isupper() or not ends_sentence(title))


def _measure_gaps(blocks: Sequence[Block]) -> list[int]:
    """Return the blank lines before each block; those before a remark such as [Illustration] count too."""
    gaps: list[int] = []
    carried = 0
    for block in blocks:
        gaps.append(max(carried, block.gap))
        carried = gaps[-1] if _REMARK.fullmatch(block.text) else 0
    return gaps
