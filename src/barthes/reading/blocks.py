"""Blocks: the paragraphs and headings of a document, in order, as every structured format gives them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

__all__ = ["Block", "Gathering", "tidy"]

_SPACES = re.compile(r"[^\S\n]+")
_BREAKS = re.compile(r" ?\n ?")
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))  # soft hyphens, joiners without width
_LIGATURES = {
    0xFB00: "ff",
    0xFB01: "fi",
    0xFB02: "fl",
    0xFB03: "ffi",
    0xFB04: "ffl",
    0xFB05: "st",
    0xFB06: "st",
}
_FORBIDDEN = dict.fromkeys([*range(9), 11, 12, *range(14, 32), *range(0xD800, 0xE000)])
_TIDIED = _INVISIBLE | _LIGATURES | _FORBIDDEN


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph or a heading.

    Attributes:
        text: On one line, unless it is verse: a line break in it is one that the author made.
        level: 0 for a paragraph, 1 to 6 for a heading.
        anchors: The names under which links lead here.
        spans: Where its sentences stand in it, for formats that say so.
    """

    text: str
    level: int = 0
    anchors: tuple[str, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()


@dataclass
class Gathering:
    """What a reader of a format gathers on its way through a file."""

    title: str = ""
    language: str = ""
    blocks: list[Block] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def add(self, text: str, *, level: int = 0, anchors: Iterable[str] = ()) -> None:
        """Add a paragraph or heading; without words it counts only if links lead to it."""
        text = tidy(text)
        if text or anchors:
            self.blocks.append(Block(text if level == 0 else " ".join(text.split()), level, tuple(anchors)))

    def leave_out(self, kind: str, count: int = 1) -> None:
        """Count things that are not part of the story."""
        if count:
            self.left_out[kind] += count


def tidy(text: str) -> str:
    r"""A text without what only served its layout: runs of spaces, soft hyphens, ligatures of the font.

    >>> tidy("  The \t wol\u00adf \n  was of\ufb01cially\u00a0gone. ")
    'The wolf\nwas officially gone.'
    """
    return _BREAKS.sub("\n", _SPACES.sub(" ", text.translate(_TIDIED))).strip()
