"""Headings of chapters in texts that do not mark them: told by their wording and their numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from barthes.reading.blocks import Block

__all__ = ["is_numbered", "mark_headings", "to_number"]

_WORDS = (
    "chapter part book canto letter scene act stave tale story kapitel teil buch chapitre partie livre "
    "capítulo parte capitolo libro hoofdstuk deel kapittel luku глава часть"
).split()
_NUMERALS = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth last".split()
_NUMBER = rf"(?:\d{{1,3}}|[ivxlc]{{1,8}}|{'|'.join(_NUMERALS + _ORDINALS)}|twenty(?:-\w+)?|the \w+)"
_NUMBERED = re.compile(rf"(?:{'|'.join(_WORDS)})\s+{_NUMBER}(?:\s*[.:—–-]+|\b)", re.IGNORECASE)
_BARE = re.compile(r"[\[(]?(\d{1,3}|[IVXLC]{1,8})[.)\]]*")
_SINGLE = re.compile(
    r"(?:prologue|epilogue|preface|foreword|introduction|prolog|epilog|vorwort)[.:]?", re.IGNORECASE
)
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_LONGEST = 16  # words of a heading
_LEVELS = {"part": 1, "book": 1, "teil": 1, "buch": 1, "partie": 1, "livre": 1, "parte": 1, "libro": 1}
_CHAPTER = 2


def mark_headings(blocks: Sequence[Block]) -> list[Block]:
    """The same blocks, with those that read like headings of chapters marked as such.

    “Chapter” and its like with a number are headings, and so are bare numbers that count up from one. A
    short line after “Chapter 3” is its title. Fewer than two of them are no chapters.
    """
    bare = _find_bare(blocks)
    marked: list[Block] = []
    for index, block in enumerate(blocks):
        heading = _join_lines(block.text) if index in bare or _reads_like_heading(block.text) else None
        if heading is not None:
            marked.append(replace(block, text=heading, level=_level_of(heading)))
        elif marked and _lacks_title(marked[-1]) and _reads_like_title(block.text):
            title = f"{marked[-1].text.rstrip('.:')}: {_join_lines(block.text)}"
            marked[-1] = replace(marked[-1], text=title)
        else:
            marked.append(block)
    return marked if sum(block.level > 0 for block in marked) > 1 else list(blocks)


def is_numbered(heading: str) -> bool:
    """Whether a heading is nothing but a number, with or without “chapter”: its title may follow.

    >>> is_numbered("Chapter IV."), is_numbered("12"), is_numbered("Chapter 2: The Fog")
    (True, True, False)
    """
    heading = heading.strip()
    match = _NUMBERED.match(heading)
    return bool(match and not heading[match.end() :].strip(" .:—–-")) or bool(_BARE.fullmatch(heading))


def to_number(text: str) -> int | None:
    """The number that digits or Roman numerals write; nothing for anything else.

    >>> to_number("14"), to_number("XIV"), to_number("IIX"), to_number("wolf")
    (14, 14, None, None)
    """
    if text.isascii() and text.isdigit():
        return int(text)
    if not text or any(letter not in _ROMAN for letter in text):
        return None
    values = [_ROMAN[letter] for letter in text]
    total = sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))
    return total if _to_roman(total) == text else None


def _to_roman(number: int) -> str:
    signs = [
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ]
    written = ""
    for value, sign in signs:
        while number >= value:
            written, number = written + sign, number - value
    return written


def _reads_like_heading(text: str) -> bool:
    lines = text.split("\n")
    if len(lines) > 3 or len(text.split()) > _LONGEST:
        return False
    first = lines[0].strip()
    if _SINGLE.fullmatch(text.strip()):
        return True
    match = _NUMBERED.match(first)
    if match is None or (len(lines) > 1 and not is_numbered(first)):
        return False
    # “Part one was over, and she wept.” is a sentence; “Chapter 3. The Fog.” is not.
    rest = first[match.end() :].strip()
    return not rest or match[0][-1] in ".:—–-" or not rest[0].islower()


def _find_bare(blocks: Sequence[Block]) -> frozenset[int]:
    """The blocks that are bare numbers, if they count 1, 2, 3 …; what is out of step is none."""
    found: list[int] = []
    for index, block in enumerate(blocks):
        match = _BARE.fullmatch(block.text.strip())
        if match and to_number(match[1]) == len(found) + 1:
            found.append(index)
    return frozenset(found) if len(found) > 1 else frozenset()


def _lacks_title(block: Block) -> bool:
    return block.level > 0 and is_numbered(block.text)


def _reads_like_title(text: str) -> bool:
    """A short line without a full stop whose words have capitals, as titles have."""
    words = text.split()
    if "\n" in text or len(words) > 10 or text[-1] in ".!?…,;:\"'”’":
        return False
    capitals = sum(not word[0].islower() for word in words)
    return capitals * 2 > len(words)


def _join_lines(text: str) -> str:
    first, *rest = (" ".join(line.split()) for line in text.strip().split("\n"))
    return f"{first.rstrip('.:')}: {' '.join(rest)}" if rest else first


def _level_of(heading: str) -> int:
    return _LEVELS.get(heading.split()[0].lower(), _CHAPTER)
