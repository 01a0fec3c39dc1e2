"""Which sentence of one draft is which of another."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from barthes.models.language_model import FloatArray

__all__ = ["Match", "align"]


class Match(NamedTuple):
    """The index in the first draft and in the second, None where there is none; whether it moved."""

    first: int | None
    second: int | None
    moved: bool = False


_ALIKE = 0.5
"""Two sentences that share fewer of their words than this are not one sentence rewritten."""
_MOST = 16_000_000
"""Cells of the table that is searched at most; beyond, only sentences that are equal are paired."""
_WORD = re.compile(r"\w+")


def align(first: Sequence[str], second: Sequence[str]) -> list[Match]:
    """Pair sentences in order, as much alike in all as possible; equal ones that moved are paired too.

    In the order of the second draft; a sentence that has no counterpart in it stands where it was. Likeness
    is Dice's coefficient over words, at least one half.

    >>> matches = align(["A wolf came.", "It rained.", "The end."], ["A grey wolf came.", "The end."])
    >>> [(match.first, match.second) for match in matches]
    [(0, 0), (1, None), (2, 1)]
    >>> align(["One.", "Two.", "Three."], ["Three.", "One.", "Two."])[0]
    Match(first=2, second=0, moved=True)
    """
    head = _shared(first, second)
    tail = _shared(first[head:][::-1], second[head:][::-1])
    pairs: dict[int, int] = {i: i for i in range(head)}
    pairs |= {len(second) - 1 - i: len(first) - 1 - i for i in range(tail)}
    middle = _search(first[head : len(first) - tail], second[head : len(second) - tail])
    pairs |= {i + head: k + head for k, i in middle}
    kept = dict(pairs)
    pairs |= _find_moved(first, second, pairs)
    return _interleave(len(first), len(second), pairs, in_order=kept)


def _shared(first: Sequence[str], second: Sequence[str]) -> int:
    """How many sentences both begin with."""
    count = 0
    while count < min(len(first), len(second)) and first[count] == second[count]:
        count += 1
    return count


def _search(first: Sequence[str], second: Sequence[str]) -> list[tuple[int, int]]:
    """The pairs with the largest sum of likeness that keep both orders (a weighted common subsequence)."""
    if not first or not second:
        return []
    likeness = _compare(first, second, equal_only=len(first) * len(second) > _MOST)
    best = np.zeros((len(first) + 1, len(second) + 1))
    for k in range(len(first)):
        taken = np.where(likeness[k] > 0, best[k, :-1] + likeness[k], 0.0)
        best[k + 1, 1:] = np.maximum.accumulate(np.maximum(best[k, 1:], taken))
    pairs = []
    k, i = len(first), len(second)
    while k and i:
        if best[k, i] == best[k - 1, i]:
            k -= 1
        elif best[k, i] == best[k, i - 1]:
            i -= 1
        else:
            k, i = k - 1, i - 1
            pairs.append((k, i))
    return pairs[::-1]


def _compare(first: Sequence[str], second: Sequence[str], *, equal_only: bool) -> FloatArray:
    """How much alike each two are: 1 for equal, else from 0.5 on, and 0 below; shape (first, second)."""
    if equal_only:
        likeness: FloatArray = np.zeros((len(first), len(second)))
    else:
        likeness = _share_words(first, second)
        likeness[likeness < _ALIKE] = 0
        likeness *= 0.99  # what is equal goes before what has the same words
    places: defaultdict[str, list[int]] = defaultdict(list)
    for k, text in enumerate(first):
        places[text].append(k)
    for i, text in enumerate(second):
        likeness[places.get(text, []), i] = 1
    return likeness


def _share_words(first: Sequence[str], second: Sequence[str]) -> FloatArray:
    """Dice's coefficient over the words of each two, those that come twice counted twice."""
    from scipy.sparse import csr_array

    numbers: dict[tuple[str, int], int] = {}
    tables = []
    for texts in (first, second):
        rows: list[int] = []
        columns: list[int] = []
        for row, text in enumerate(texts):
            # The second "the" of a sentence is a word of its own: then what two share is a plain product.
            for word, times in Counter(_WORD.findall(text.lower())).items():
                columns += [numbers.setdefault((word, time), len(numbers)) for time in range(times)]
                rows += [row] * times
        tables.append((rows, columns, len(texts)))
    mine, theirs = (
        csr_array((np.ones(len(rows)), (rows, columns)), shape=(count, max(1, len(numbers))))
        for rows, columns, count in tables
    )
    sizes = [np.maximum(1, np.bincount(rows, minlength=count)) for rows, _, count in tables]
    shared: FloatArray = (mine @ theirs.T).toarray()
    shared *= 2 / (sizes[0][:, None] + sizes[1][None, :])
    return shared


def _find_moved(first: Sequence[str], second: Sequence[str], pairs: dict[int, int]) -> dict[int, int]:
    """Sentences without a counterpart that stand, word for word, elsewhere in the other draft."""
    left: defaultdict[str, list[int]] = defaultdict(list)
    taken = set(pairs.values())
    for k, text in enumerate(first):
        if k not in taken:
            left[text].append(k)
    return {i: left[text].pop(0) for i, text in enumerate(second) if i not in pairs and left.get(text)}


def _interleave(first: int, second: int, pairs: dict[int, int], *, in_order: dict[int, int]) -> list[Match]:
    gone = iter(sorted(set(range(first)) - set(pairs.values())))
    waiting = next(gone, None)
    matches: list[Match] = []
    for i in range(second):
        while i in in_order and waiting is not None and waiting < in_order[i]:
            matches.append(Match(waiting, None))
            waiting = next(gone, None)
        matches.append(Match(pairs.get(i), i, moved=i in pairs and i not in in_order))
    while waiting is not None:
        matches.append(Match(waiting, None))
        waiting = next(gone, None)
    return matches
