"""Align the sentences, or longer units, of two drafts."""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from itertools import pairwise, takewhile
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
"""The size of the largest similarity table; in longer drafts only equal sentences are paired."""
_WORD = re.compile(r"\w+")


def align(first: Sequence[str], second: Sequence[str], *, long: bool = False) -> list[Match]:
    """Pair sentences in order, with the largest total similarity; equal sentences that moved are paired too.

    Matches are in the order of the second draft; removed sentences come where they were. Similarity is Dice's
    coefficient over words, at least one half. Paragraphs, scenes and chapters are `long`: any two share many
    words, so neighbouring words are compared in pairs, and similar ones that moved are paired too.

    >>> matches = align(["A wolf came.", "It rained.", "The end."], ["A grey wolf came.", "The end."])
    >>> [(match.first, match.second) for match in matches]
    [(0, 0), (1, None), (2, 1)]
    >>> align(["One.", "Two.", "Three."], ["Three.", "One.", "Two."])[0]
    Match(first=2, second=0, moved=True)
    """
    head = _count_shared(first, second)
    tail = _count_shared(first[head:][::-1], second[head:][::-1])
    middle = _search(first[head : len(first) - tail], second[head : len(second) - tail], long=long)
    in_order: dict[int, int] = {i: i for i in range(head)}
    in_order |= {i + head: k + head for k, i in middle}
    in_order |= {len(second) - 1 - i: len(first) - 1 - i for i in range(tail)}
    find_moved = _find_similar if long else _find_equal
    pairs = in_order | find_moved(first, second, in_order)
    return _interleave(len(first), len(second), pairs, in_order=in_order)


def _count_shared(first: Sequence[str], second: Sequence[str]) -> int:
    """Return how many sentences both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))


def _search(first: Sequence[str], second: Sequence[str], *, long: bool) -> list[tuple[int, int]]:
    """Return the pairs with the largest total similarity that keep both orders (a weighted subsequence)."""
    if not first or not second:
        return []
    similarity = _compare(first, second, long=long)
    best = np.zeros((len(first) + 1, len(second) + 1))
    for k in range(len(first)):
        taken = np.where(similarity[k] > 0, best[k, :-1] + similarity[k], 0.0)
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


def _compare(first: Sequence[str], second: Sequence[str], *, long: bool) -> FloatArray:
    """Return similarities, shape (first, second): 1 for equal sentences, 0 below the threshold."""
    if len(first) * len(second) > _MOST_CELLS:
        similarity: FloatArray = np.zeros((len(first), len(second)))
    else:
        similarity = _share_words(first, second, long=long)
        similarity[similarity < (_SIMILAR_LONG if long else _SIMILAR)] = 0
        similarity *= 0.99  # equal sentences go first
    places = _index(first)
    for i, text in enumerate(second):
        similarity[places.get(text, []), i] = 1
    return similarity


def _index(texts: Sequence[str]) -> dict[str, list[int]]:
    """Return the indices of each text."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for k, text in enumerate(texts):
        places[text].append(k)
    return places


def _share_words(first: Sequence[str], second: Sequence[str], *, long: bool = False) -> FloatArray:
    """Return Dice's coefficient over bags of words, or of pairs of them, for each two sentences.

    The shape is (first, second).
    """
    from scipy.sparse import csr_array

    numbers: dict[tuple[object, int], int] = {}
    columns: list[int] = []
    ends = [0]
    for text in (*first, *second):
        # The second "the" of a sentence gets its own column, so that a product counts shared words.
        words = _WORD.findall(text.lower())
        for word, times in Counter[object](pairwise(words) if long and len(words) > 1 else words).items():
            columns += [numbers.setdefault((word, time), len(numbers)) for time in range(times)]
        ends.append(len(columns))
    shape = len(first) + len(second), max(1, len(numbers))
    bags = csr_array((np.ones(len(columns)), np.array(columns, dtype=int), ends), shape=shape)
    shared: FloatArray = (bags[: len(first)] @ bags[len(first) :].T).toarray()
    sizes = np.maximum(1, np.diff(ends))
    shared *= 2 / (sizes[: len(first), None] + sizes[None, len(first) :])
    return shared


def _find_equal(first: Sequence[str], second: Sequence[str], pairs: dict[int, int]) -> dict[int, int]:
    """Pair the remaining sentences that are equal."""
    taken = set(pairs.values())
    left = {text: [k for k in places if k not in taken] for text, places in _index(first).items()}
    return {i: left[text].pop(0) for i, text in enumerate(second) if i not in pairs and left.get(text)}


def _find_similar(first: Sequence[str], second: Sequence[str], pairs: dict[int, int]) -> dict[int, int]:
    """Pair the remaining texts that are similar, the most similar first."""
    rows = sorted(set(range(len(first))) - set(pairs.values()))
    columns = [i for i in range(len(second)) if i not in pairs]
    if not rows or not columns:
        return {}
    similarity = _compare([first[k] for k in rows], [second[i] for i in columns], long=True)
    found: dict[int, int] = {}
    for cell in np.argsort(-similarity, axis=None, kind="stable"):
        row, column = divmod(int(cell), len(columns))
        if not similarity[row, column]:
            break
        if columns[column] not in found and rows[row] not in found.values():
            found[columns[column]] = rows[row]
    return found


def _interleave(first: int, second: int, pairs: dict[int, int], *, in_order: dict[int, int]) -> list[Match]:
    """Return all matches in the order of the second draft, with removed sentences where they were."""
    removed = deque(sorted(set(range(first)) - set(pairs.values())))
    matches: list[Match] = []
    for i in range(second):
        while i in in_order and removed and removed[0] < in_order[i]:
            matches.append(Match(removed.popleft(), None))
        matches.append(Match(pairs.get(i), i, moved=i in pairs and i not in in_order))
    return matches + [Match(k, None) for k in removed]
