"""Align the sentences, or longer units, of two drafts.

::

    equal runs (difflib) ─▶ between them, in order: pairs with the largest total similarity ─▶ moved ones
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Hashable, Sequence, Set
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from barthes.models.language_model import FloatArray


class Match(NamedTuple):
    """The index in each draft, or None if the sentence is missing there; whether it moved."""

    first: int | None
    second: int | None
    moved: bool = False


_SIMILAR = 0.5
"""Sentences with a Dice coefficient below this are not paired."""
_SIMILAR_LONG = 0.3
"""The same for longer units, whose pairs of neighbouring words are compared.

Of passages of 150 to 600 words in four books of tales, 99 % of unrelated ones are below 0.18. If three words
of ten are replaced at random, all are above 0.35.
"""
_MOST_CELLS = 16_000_000
"""The largest number of comparisons; longer stretches without an equal sentence are not paired."""
_WORD = re.compile(r"\w+")

_Bag = Set[Hashable]


def align(first: Sequence[str], second: Sequence[str], *, long: bool = False) -> list[Match]:
    """Pair equal sentences, then similar ones between them in order, then equal ones that moved.

    Matches are in the order of the second draft; removed sentences come where they were. Similarity is Dice's
    coefficient over words, at least one half. Paragraphs, scenes and chapters are `long`: any two share many
    words, so neighbouring words are compared in pairs, and similar ones that moved are paired too.

    >>> matches = align(["A wolf came.", "It rained.", "The end."], ["A grey wolf came.", "The end."])
    >>> [(match.first, match.second) for match in matches]
    [(0, 0), (1, None), (2, 1)]
    >>> align(["One.", "Two.", "Three."], ["Three.", "One.", "Two."])[0]
    Match(first=2, second=0, moved=True)
    """
    bags = [[_split(text, long=long) for text in texts] for texts in (first, second)]
    least = _SIMILAR_LONG if long else _SIMILAR
    in_order: dict[int, int] = {}  # from the second draft to the first
    for kind, a, b, c, d in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        if kind == "equal":
            in_order |= zip(range(c, d), range(a, b), strict=True)
        else:
            similarity = _compare(bags[0][a:b], bags[1][c:d], least)
            in_order |= {c + i: a + k for k, i in _pair_in_order(similarity)}
    rows = sorted(set(range(len(first))) - set(in_order.values()))
    columns = [i for i in range(len(second)) if i not in in_order]
    if not long:
        bags = [[{text} for text in texts] for texts in (first, second)]  # only equal ones moved
    similarity = _compare([bags[0][k] for k in rows], [bags[1][i] for i in columns], least)
    moved = {columns[i]: rows[k] for k, i in _pair_greedily(similarity)}
    return _interleave(len(first), len(second), in_order, moved)


def _split(text: str, *, long: bool) -> _Bag:
    words = _WORD.findall(text.lower())
    return set(pairwise(words)) if long and len(words) > 1 else set(words)


def _compare(first: Sequence[_Bag], second: Sequence[_Bag], least: float) -> FloatArray:
    """Return Dice's coefficients, shape (first, second); 0 for those below `least`."""
    similarity: FloatArray = np.zeros((len(first), len(second)))
    if similarity.size <= _MOST_CELLS:
        for k, one in enumerate(first):
            for i, other in enumerate(second):
                similarity[k, i] = 2 * len(one & other) / max(1, len(one) + len(other))
    similarity[similarity < least] = 0
    return similarity


def _pair_in_order(similarity: FloatArray) -> list[tuple[int, int]]:
    """Return the pairs with the largest total similarity that keep both orders (a weighted subsequence)."""
    rows, columns = similarity.shape
    best = np.zeros((rows + 1, columns + 1))
    for k in range(rows):
        taken = np.where(similarity[k] > 0, best[k, :-1] + similarity[k], 0.0)
        best[k + 1, 1:] = np.maximum.accumulate(np.maximum(best[k, 1:], taken))
    pairs = []
    k, i = rows, columns
    while k and i:
        if best[k, i] == best[k - 1, i]:
            k -= 1
        elif best[k, i] == best[k, i - 1]:
            i -= 1
        else:
            k, i = k - 1, i - 1
            pairs.append((k, i))
    return pairs


def _pair_greedily(similarity: FloatArray) -> list[tuple[int, int]]:
    """Return the pairs that are similar, the most similar first, in any order."""
    rows, columns = set[int](), set[int]()
    pairs = []
    for cell in np.argsort(-similarity, axis=None, kind="stable")[: np.count_nonzero(similarity)]:
        row, column = divmod(int(cell), similarity.shape[1])
        if row not in rows and column not in columns:
            rows.add(row)
            columns.add(column)
            pairs.append((row, column))
    return pairs


def _interleave(first: int, second: int, in_order: dict[int, int], moved: dict[int, int]) -> list[Match]:
    """Return all matches in the order of the second draft, with removed sentences where they were."""
    removed = deque(sorted(set(range(first)) - set(in_order.values()) - set(moved.values())))
    matches: list[Match] = []
    for i in range(second):
        while i in in_order and removed and removed[0] < in_order[i]:
            matches.append(Match(removed.popleft(), None))
        matches.append(Match(in_order.get(i, moved.get(i)), i, moved=i in moved))
    return matches + [Match(k, None) for k in removed]
