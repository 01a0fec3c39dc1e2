"""Data sets whose rows are sentences, as those of BookCorpus: consecutive rows are joined into passages.

A sentence is no story. If each were one, some sentences of a book would be trained on and others of it held
out, and a model would learn that texts end with every sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

__all__ = ["PASSAGE", "are_sentences", "join_rows"]

PASSAGE = 1000
"""Words that a passage has at least, but for the last: about a chapter's scene, and more than a block."""

_SENTENCE = 25  # words: rows of fewer, in the median, are no stories; stories of five sentences have about 45
_FEWEST = 50  # rows that tell what a data set is made of


def are_sentences(rows: Sequence[str]) -> bool:
    """Whether rows are too short to be stories; a few rows are taken for what they are.

    >>> are_sentences(["The wolf came .", "it was hungry ."] * 100)
    True
    >>> are_sentences(["The wolf came ."])
    False
    """
    return len(rows) >= _FEWEST and median(len(row.split()) for row in rows) < _SENTENCE


def join_rows(rows: Sequence[str], *, words: int = PASSAGE) -> list[tuple[int, int, str]]:
    """Consecutive rows joined by a space until each passage has so many words.

    Returns:
        The first and the last row of each passage, counted from 1, and its text.

    >>> join_rows(["a b c", "d e", "f g h i", "j"], words=4)
    [(1, 2, 'a b c d e'), (3, 3, 'f g h i'), (4, 4, 'j')]
    """
    passages: list[tuple[int, int, str]] = []
    first, count = 1, 0
    for last, row in enumerate(rows, start=1):
        count += len(row.split())
        if count >= words or last == len(rows):
            passages.append((first, last, " ".join(rows[first - 1 : last])))
            first, count = last + 1, 0
    return passages
