"""Data sets whose rows are sentences, as those of BookCorpus: consecutive rows are joined into passages.

A sentence is no story. If each were one, some sentences of a book would be trained on and others of it held
out, and a model would learn that texts end with every sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

__all__ = ["PASSAGE", "STRETCHES", "are_sentences", "join_rows"]

PASSAGE = 6000
"""Characters that a passage has at least, but for the last: about a thousand words, and more than a block."""

STRETCHES = 20
"""Parts of a data set that are held out, or not, in one piece: a passage knows too much of its neighbours."""

_SENTENCE = (25, 150)  # words, characters: rows of fewer, in the median, are no stories; short ones have 45
_FEWEST = 50  # rows that tell what a data set is made of


def are_sentences(rows: Sequence[str]) -> bool:
    """Whether rows are too short to be stories; a few rows are taken for what they are.

    Characters are counted as well as words, which not all languages divide by spaces.

    >>> are_sentences(["The wolf came .", "it was hungry ."] * 100)
    True
    >>> are_sentences(["The wolf came ."])
    False
    """
    if len(rows) < _FEWEST:
        return False
    words, characters = median(len(row.split()) for row in rows), median(map(len, rows))
    return words < _SENTENCE[0] and characters < _SENTENCE[1]


def join_rows(rows: Sequence[str], *, characters: int = PASSAGE) -> list[tuple[int, int, str]]:
    """Consecutive rows joined by a space until each passage has so many characters.

    Returns:
        The first and the last row of each passage, counted from 1, and its text.

    >>> join_rows(["a b c", "d e", "f g h i", "j"], characters=7)
    [(1, 2, 'a b c d e'), (3, 3, 'f g h i'), (4, 4, 'j')]
    """
    passages: list[tuple[int, int, str]] = []
    first, count = 1, 0
    for last, row in enumerate(rows, start=1):
        count += len(row)
        if count >= characters or last == len(rows):
            passages.append((first, last, " ".join(rows[first - 1 : last])))
            first, count = last + 1, 0
    return passages
