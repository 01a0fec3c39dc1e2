"""A passage on one line, and the way back from its offsets to those of the source."""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass

from barthes.annotation.passages import Passage

__all__ = ["Unwrapped", "unwrap"]

_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Unwrapped:
    """A passage whose runs of white space, line breaks among them, have become one space each.

    Attributes:
        text: The passage on one line.
        hard: Offsets in `text` where a line started after a hard break.
    """

    text: str
    hard: frozenset[int]
    _starts: tuple[int, ...]  # of the words, in `text`
    _origins: tuple[int, ...]  # of the words, in the source

    def trace(self, start: int, end: int) -> tuple[int, int]:
        """The span in the source of a span of `text` that has no white space at its ends."""
        return self._trace(start), self._trace(end - 1) + 1

    def _trace(self, offset: int) -> int:
        word = bisect.bisect_right(self._starts, offset) - 1
        return self._origins[word] + offset - self._starts[word]


def unwrap(text: str, passage: Passage) -> Unwrapped:
    """Put a passage of a text on one line.

    >>> line = unwrap("The wolf\\n  came.", Passage(0, 16))
    >>> line.text, line.trace(9, 14)
    ('The wolf came.', (11, 16))
    """
    words: list[str] = []
    starts: list[int] = []
    origins: list[int] = []
    position = 0
    for match in _WORD.finditer(text, passage.start, passage.end):
        words.append(match[0])
        starts.append(position)
        origins.append(match.start())
        position += len(match[0]) + 1
    broken = set(passage.breaks)
    hard = frozenset(start for start, origin in zip(starts, origins, strict=True) if origin in broken)
    return Unwrapped(" ".join(words), hard, tuple(starts), tuple(origins))
