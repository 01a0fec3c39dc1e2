"""Recognize what printers add to a text: page numbers, note marks, drop caps, hyphens, “The End”.

::

    - 12 -   [Pg 12]         numbers of pages
    the wolf[1] came†        signs that lead to notes
    [1] Canis lupus.         the sign before a note
    T / HE wolf              an initial and its word
    the wo- / lf             a word that was cut at the end of a line

Each is recognized here and nowhere else, for all formats.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from barthes.reading.document import Block

_PAGE = r"(?:pages?|pp?|pg)\b\.?\s*"
PAGE_NUMBER = re.compile(
    rf"[-–—\[({{|\s_]*(?:{_PAGE})?(?:\d{{1,4}}|[ivxlc]{{1,7}})(?:\s*(?:of|/)\s*\d{{1,4}})?[-–—\])}}|\s._]*",
    re.IGNORECASE,
)
"""A line that is nothing but the number of a page."""

INLINE_PAGE = re.compile(rf"\[\s*{_PAGE}[\divxlc]+\s*\]|\{{\d{{1,4}}\}}", re.IGNORECASE)
"""The number of a page inside a paragraph: ``[Pg 12]``, ``{12}``."""

NOTE_MARK = re.compile(r"[\[(](?:\d{1,3}|[A-Z]|[*†‡§]{1,3})[\])]|(?<=[\w.,;:!?’”\"'])[†‡]+(?!\w)")
"""A sign inside a paragraph that leads to a note: ``[1]``, ``(12)``, ``[A]``, ``†``."""

NOTE_START = re.compile(
    r"(?:\[(?:footnote\s+)?(?:\d{1,3}|[A-Z*†‡]{1,3})[:\]]|\(\d{1,3}\)|\d{1,3}[.)]?|[*†‡§]{1,3})\s*(?=\S)",
    re.IGNORECASE,
)
"""The sign before a note."""

CLOSING_LINE = re.compile(r"\W*(?:the end|finis|fin|ende|end of [\w' ’]+)\W*", re.IGNORECASE)
"""What stands under the last story."""

_HYPHEN = re.compile(r"([^\W\d_]+)[-\u2010\u00ad]$")
_INITIAL = re.compile(r"\W{0,2}([^\W\d_])")
_WORD = re.compile(r"[^\W\d_]+")
_LONGEST_WORD = 300  # characters
_ONE_LETTER_WORDS = frozenset("AIOYEUWZÀÓÉАВИКОСУЯ")  # of European languages
_NUMERALS = "IVXLCDM"


def is_initial(text: str) -> bool:
    """Return whether a text is a single capital letter, perhaps after a quotation mark.

    >>> is_initial("“A"), is_initial("a"), is_initial("An")
    (True, False, False)
    """
    found = _INITIAL.fullmatch(text)
    return found is not None and found[1].isupper()


def join_drop_caps(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks with paragraphs of one capital letter joined with the next paragraph.

    >>> [each.text for each in join_drop_caps([Block("A"), Block("LICE slept."), Block("Alice woke.")])]
    ['ALICE slept.', 'Alice woke.']
    """
    initials = {index for index, block in enumerate(blocks[:-1]) if block.is_text and is_initial(block.text)}
    if not initials:
        return list(blocks)
    words = Counter(word.casefold() for block in blocks for word in _WORD.findall(block.text))
    joined: list[Block] = []
    for index, block in enumerate(blocks):
        text = _join_initial(blocks[index - 1].text, block, words) if index - 1 in initials else None
        if text is None:
            joined.append(block)
        else:
            initial = joined.pop()
            joined.append(
                replace(
                    block,
                    text=text,
                    gap=initial.gap,
                    place=(initial.place[0], block.place[1]),
                    anchors=initial.anchors + block.anchors,
                    omitted=initial.omitted + block.omitted,
                )
            )
    return joined


def _join_initial(initial: str, block: Block, words: Counter[str]) -> str | None:
    """Return a paragraph with its initial; None if the letter does not belong to it, as a numeral does not.

    The other words of the document tell whether the letter is a word of its own.
    """
    rest = _WORD.match(block.text)
    if not block.is_text or block.spans or block.marks or (rest is None and not block.text.startswith("’")):
        return None
    letter, part = initial[-1], rest[0] if rest else ""
    if not (part.islower() or part.isupper() or not part):  # “The”: a picture of the letter, or another word
        return block.text if part[0] == letter else None
    whole, alone = words[(letter + part).casefold()], words[part.casefold()] - 1
    if not part or (whole and whole >= alone):
        return initial + block.text
    if letter in _NUMERALS and part.isupper():
        return None
    is_word = words[letter.casefold()] > 1 or (part.islower() and letter in _ONE_LETTER_WORDS)
    return f"{initial} {block.text}" if is_word else initial + block.text


def joins_hyphen(before: str, after: str, words: Counter[str]) -> bool | None:
    """Return whether the hyphen at the end of a line was set by the printer; None if there is none.

    A word keeps its hyphen if it always has it elsewhere (`words` counts those of the document).
    """
    cut = _HYPHEN.search(before[-_LONGEST_WORD:])
    rest = _WORD.match(after[:_LONGEST_WORD])
    if cut is None or rest is None:
        return None
    head, tail = cut[1].lower(), rest[0].lower()
    is_compound = after[0].isupper() and before[-2].islower()  # Anglo-Saxon
    return not is_compound and not (words[f"{head}-{tail}"] and not words[head + tail])


def count_hyphenated(text: str) -> Counter[str]:
    """Count the words of a text, with and without hyphens, for `joins_hyphen`."""
    return Counter(re.findall(r"\w+(?:-\w+)*", text.lower()))


def join_lines(lines: Sequence[str], words: Counter[str]) -> str:
    """Join the lines of a paragraph, with words that were cut at their ends.

    >>> join_lines(["The old wolf crept to-", "wards the well-", "known mill."], Counter(["well-known"]))
    'The old wolf crept towards the well-known mill.'
    """
    pieces = [lines[0]]
    for line in lines[1:]:
        is_cut = joins_hyphen(pieces[-1], line, words)
        if is_cut:
            pieces[-1] = pieces[-1][:-1]
        ends_in_dash = pieces[-1].endswith(("—", "–")) and not pieces[-1].endswith((" —", " –"))
        pieces.append(line if is_cut is not None or ends_in_dash else f" {line}")
    return "".join(pieces)
