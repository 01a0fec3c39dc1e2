"""Find passages: the parts of a text that no sentence crosses (paragraphs, headings, items of a list).

In wrapped prose, a line break where the next word did not fit is a space. A break where it would have fitted
is *hard*: the line was meant to end, as in verse, in a list, or after a paragraph in a file without blank
lines. Blank lines always separate passages; hard breaks do so in lists and after headings, in verse only
after a title. Elsewhere, a full stop before a hard break ends a sentence.
"""

from __future__ import annotations

import bisect
import itertools
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

_NARROWEST = 60  # characters: prose is seldom wrapped narrower, and verse seldom wider
_WIDEST = 120  # characters: longer lines are paragraphs
_LONGEST_HEADING = 10  # words
_FEWEST_VERSES = 3  # lines of verse
_FEWEST_WORDS = 3  # words that most lines of verse exceed, and items of a list do not

_SMALL = frozenset("a an the of and or in on to for with at by from de la le von van".split())
_ITEM = re.compile(r"(?:[-–—*•◦‣·+]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxlcIVXLC]{1,6})[.)])\s+\S")
_CLOSERS = "\"'”’»«“)]_*"
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class TextPassage:
    """A part of a text, without white space at its ends, that no sentence crosses."""

    start: int
    end: int
    breaks: tuple[int, ...] = ()  # offsets of its lines after hard breaks


@dataclass(frozen=True, slots=True)
class _Line:
    start: int  # offset of `content`
    content: str  # stripped

    @property
    def end(self) -> int:
        return self.start + len(self.content)

    @property
    def is_item(self) -> bool:
        return _ITEM.match(self.content) is not None

    @property
    def is_punctuated(self) -> bool:
        return unicodedata.category(self.content[-1])[0] == "P"

    @property
    def ends_clause(self) -> bool:
        """Whether it ends in a full stop, comma, colon or the like, before any closing quote."""
        return self.content.rstrip(_CLOSERS)[-1:] in tuple(".!?…:;,")

    @property
    def is_heading(self) -> bool:
        """Whether it has few words, no final punctuation, and capitals on all but small words."""
        words = self.content.split()
        if len(words) > _LONGEST_HEADING or words[0][0].islower() or self.is_punctuated:
            return False
        return all(not word[0].islower() or word in _SMALL for word in words)


def find_passages(text: str) -> Iterator[TextPassage]:
    """Yield the passages of a text in order; they cover every character that is not white space.

    >>> text = "A list:\\n- bread\\n- salt\\n\\nThe wolf came to\\nthe door."
    >>> [text[passage.start : passage.end] for passage in find_passages(text)]
    ['A list:', '- bread', '- salt', 'The wolf came to\\nthe door.']
    """
    blocks = list(_find_blocks(text))
    width = _measure_width(blocks)
    for block in blocks:
        yield from _split_block(block, width)


def _find_blocks(text: str) -> Iterator[list[_Line]]:
    """Yield runs of lines without a blank line between them."""
    block: list[_Line] = []
    position = 0
    for line in text.splitlines(keepends=True):
        content = line.strip()
        if content:
            block.append(_Line(position + len(line) - len(line.lstrip()), content))
        elif block:
            yield block
            block = []
        position += len(line)
    if block:
        yield block


def _measure_width(blocks: Sequence[Sequence[_Line]]) -> float:
    """Return the width, in characters, at which the prose was wrapped; infinite if it was not."""
    lengths = sorted(len(line.content) for block in blocks for line in block[:-1])
    width = lengths[len(lengths) * 9 // 10] if lengths else 0  # ignoring a few long lines
    return float("inf") if width > _WIDEST else max(width, _NARROWEST)


def _split_block(block: Sequence[_Line], width: float) -> Iterator[TextPassage]:
    """Split a run of lines at headings and items."""
    hard = [_is_hard(line, following, width) for line, following in itertools.pairwise(block)]
    is_verse = all(hard) and _is_verse(block)
    whole_lines = all(hard) and not is_verse and _is_enumeration(block)
    has_items = sum(line.is_item for line in block) > 1
    start = block[0].start
    breaks: list[int] = []
    for index, (line, following) in enumerate(itertools.pairwise(block)):
        may_end = not is_verse or (index == 0 and not following.is_heading)
        if whole_lines or (may_end and _ends_passage(line, following, hard[index], has_items)):
            yield TextPassage(start, line.end, tuple(breaks))
            start, breaks = following.start, []
        elif hard[index]:
            breaks.append(following.start)
    yield TextPassage(start, block[-1].end, tuple(breaks))


def _is_hard(line: _Line, following: _Line, width: float) -> bool:
    """Return whether the first word of the following line would have fitted on this line."""
    first, *rest = following.content.split(maxsplit=2)
    word = f"{first} {rest[0]}" if rest and not first[-1].isalnum() else first  # a dash goes with its word
    return len(line.content) + 1 + len(word) <= width


def _is_verse(block: Sequence[_Line]) -> bool:
    """Return whether lines are verse: none is an item, most have four words or more, few are titles."""
    if len(block) < _FEWEST_VERSES or any(line.is_item for line in block):
        return False
    words = median(len(line.content.split()) for line in block)
    return words > _FEWEST_WORDS and 2 * sum(line.is_heading for line in block) <= len(block)


def _is_enumeration(block: Sequence[_Line]) -> bool:
    """Return whether the lines are separate items: none ends in punctuation."""
    separate = len(block) > 2 or not any(line.content[0].islower() for line in block)
    return separate and not any(line.is_punctuated for line in block)


def _ends_passage(line: _Line, following: _Line, hard: bool, has_items: bool) -> bool:
    if has_items and following.is_item:
        return hard or line.ends_clause
    alone = line.is_heading or (has_items and line.is_item)
    return hard and alone and not following.content[0].islower()


@dataclass(frozen=True, slots=True)
class UnwrappedPassage:
    """A passage on one line: each run of white space is one space."""

    text: str
    hard: frozenset[int]  # offsets in `text` after hard breaks
    _starts: tuple[int, ...]  # offsets of the words in `text`
    _origins: tuple[int, ...]  # offsets of the words in the source

    def trace(self, start: int, end: int) -> tuple[int, int]:
        """Return the source span of a stripped span of `text`."""
        return self._trace(start), self._trace(end - 1) + 1

    def _trace(self, offset: int) -> int:
        word = bisect.bisect_right(self._starts, offset) - 1
        return self._origins[word] + offset - self._starts[word]


def unwrap(text: str, passage: TextPassage) -> UnwrappedPassage:
    """Put a passage of a text on one line.

    >>> line = unwrap("The wolf\\n  came.", TextPassage(0, 16))
    >>> line.text, line.trace(9, 14)
    ('The wolf came.', (11, 16))
    """
    found = list(_WORD.finditer(text, passage.start, passage.end))
    words, origins = [match[0] for match in found], [match.start() for match in found]
    starts = list(itertools.accumulate((len(word) + 1 for word in words), initial=0))[:-1]
    breaks = set(passage.breaks)
    hard = frozenset(start for start, origin in zip(starts, origins, strict=True) if origin in breaks)
    return UnwrappedPassage(" ".join(words), hard, tuple(starts), tuple(origins))
