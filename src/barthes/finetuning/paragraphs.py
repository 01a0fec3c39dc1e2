"""Plain text as paragraphs, with the blank lines before each: what a printed page says by its spacing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby

__all__ = ["PAGE", "Paragraph", "read_paragraphs"]

PAGE = 9
"""Blank lines that a new page counts for."""

_WRAPPING = re.compile(r"^[ \t]*\*\*\* ?(START|END) OF (?:THE|THIS) PROJECT GUTENBERG[^\n]*\n?", re.M | re.I)
_OPENING = re.compile(r"\[\s*(?:illustration|footnote|transcriber|sidenote|picture|plate|image)", re.I)
_LONGEST_REMARK = 8  # paragraphs: a bracket that stays open longer was never closed


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Lines without a blank one among them.

    Attributes:
        lines: As they stand, with their indents.
        gap: Blank lines before it; `PAGE` before the first of a text.
        text: Its lines, joined by one space.
    """

    lines: tuple[str, ...]
    gap: int = 0
    text: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", " ".join(" ".join(self.lines).split()))

    @property
    def words(self) -> int:
        """How many words it has, as white space divides them."""
        return len(self.text.split())


def read_paragraphs(text: str) -> list[Paragraph]:
    r"""The paragraphs of a text, without Project Gutenberg's wrapping and without bracketed remarks.

    Remarks are captions, footnotes and transcribers' notes: ``[Illustration: …]``, ``[Footnote 1: …]``.

    >>> [(p.text, p.gap) for p in read_paragraphs("THE WOLF\n\n\nA wolf\ncame.\n\n[Illustration]\n\nIt ate.")]
    [('THE WOLF', 9), ('A wolf came.', 2), ('It ate.', 1)]
    """
    return list(_drop_remarks(_find_paragraphs(_unwrap(text))))


def _unwrap(text: str) -> str:
    """What stands between the two marks of Project Gutenberg; all of it where they are missing."""
    for mark in reversed(list(_WRAPPING.finditer(text))):
        text = text[mark.end() :] if mark[1].upper() == "START" else text[: mark.start()]
    return text


def _find_paragraphs(text: str) -> Iterator[Paragraph]:
    gap = PAGE
    for blank, lines in groupby(text.splitlines(), key=lambda line: not line.strip()):
        group = list(lines)
        if blank:
            gap = max(gap, len(group))
        else:
            yield Paragraph(tuple(group), gap)
            gap = 0


def _drop_remarks(paragraphs: Iterable[Paragraph]) -> Iterator[Paragraph]:
    waiting = list(paragraphs)[::-1]
    gap = 0  # what a paragraph leaves to the next when it vanishes
    while waiting:
        paragraph = waiting.pop()
        gap = max(gap, paragraph.gap)
        paragraph = _close_remark(paragraph, waiting)
        if _OPENING.search(paragraph.text):
            paragraph = replace(paragraph, lines=(_cut_remarks(paragraph.text),))
        if paragraph.text:
            yield replace(paragraph, gap=gap)
            gap = 0


def _close_remark(paragraph: Paragraph, following: list[Paragraph]) -> Paragraph:
    """The paragraph with those after it (last first) that the remark which it opens runs on to."""
    if not _is_open(paragraph.text):
        return paragraph
    joined = paragraph.text
    for count, other in enumerate(following[: -_LONGEST_REMARK - 1 : -1], start=1):
        joined = f"{joined} {other.text}"
        if not _is_open(joined):
            del following[-count:]
            return replace(paragraph, lines=(joined,))
    return paragraph


def _is_open(text: str) -> bool:
    return any(_find_end(text, mark.start()) is None for mark in _OPENING.finditer(text))


def _cut_remarks(text: str) -> str:
    kept, position = [], 0
    for mark in _OPENING.finditer(text):
        end = _find_end(text, mark.start())
        if end is not None and mark.start() >= position:
            kept.append(text[position : mark.start()].rstrip())
            position = end
    kept.append(text[position:])
    return " ".join(" ".join(kept).split())


def _find_end(text: str, start: int) -> int | None:
    """One past the bracket that closes the one at `start`; None where it stays open."""
    depth = 0
    for bracket in re.finditer(r"[\[\]]", text[start:]):
        depth += 1 if bracket[0] == "[" else -1
        if depth == 0:
            return start + bracket.end()
    return None
