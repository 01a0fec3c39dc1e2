"""Align phrases that were taken from a text with the words of the text, in order."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np
import numpy.typing as npt

from barthes.annotation.events import Span
from barthes.corpora.corpus import MalformedError

MAX_CELLS = 20_000_000
"""Words of the text times words of the phrases: the limit of what is aligned, about 160 MB of memory."""

_Scores = npt.NDArray[np.float32]
_WORD = re.compile(r"[^\W_]+")
_JUMP = 0.5  # what it costs to skip words of the text inside a phrase; a matched word gains 1


def find_words(text: str) -> list[Span]:
    """Return the spans of the words of a text: runs of letters and digits.

    Punctuation, quotation marks, apostrophes and hyphens separate words and are not part of any.

    >>> [("don’t go"[slice(*span)]) for span in find_words("don’t go")]
    ['don', 't', 'go']
    """
    return [match.span() for match in _WORD.finditer(text)]


def fold_words(text: str) -> list[str]:
    """Return the words of a text in the form in which they are compared.

    >>> fold_words("“Good-bye,” SAID he")
    ['good', 'bye', 'said', 'he']
    """
    return [unicodedata.normalize("NFKC", text[slice(*span)]).casefold() for span in find_words(text)]


def align_phrases(words: Sequence[str], phrases: Sequence[Sequence[str]]) -> list[list[int | None]]:
    """Return for each word of each phrase the index of its word in the text, or None if it has none.

    Words are matched in order, each at most once. As many as possible are matched, but half a match is lost
    wherever a phrase is not contiguous in the text; of equally good places the last is taken.

    Raises:
        MalformedError: Text and phrases are too long to be aligned.

    >>> align_phrases("the wolf came and the wolf ate".split(), [["the", "wolf", "ate"], ["twice"]])
    [[4, 5, 6], [None]]
    """
    ids = {word: index for index, word in enumerate(dict.fromkeys(words))}
    text = np.array([ids[word] for word in words], dtype=np.int64)
    flat = [(ids.get(word, -1), k > 0) for phrase in phrases for k, word in enumerate(phrase)]
    if len(flat) * (len(text) + 1) > MAX_CELLS:
        raise MalformedError(
            f"{len(flat):,} words of phrases and {len(text):,} of text are too many to align"
        )
    ends, bests = _fill(text, flat)
    found = _trace(ends, bests, [inside for _, inside in flat])
    edges = accumulate(map(len, phrases), initial=0)
    return [found[start:end] for start, end in pairwise(edges)]


def _fill(text: npt.NDArray[np.int64], flat: Sequence[tuple[int, bool]]) -> tuple[_Scores, _Scores]:
    """Return two tables of scores of the first i words of the phrases.

    `ends[i, j]` if word i is matched to word j of the text, `bests[i, j]` with any words before j.
    """
    size = len(text)
    ends = np.full((len(flat), size), -np.inf, dtype=np.float32)
    bests = np.zeros((len(flat) + 1, size + 1), dtype=np.float32)
    for i, (word, inside) in enumerate(flat):
        places = np.flatnonzero(text == word)
        gained = bests[i, places] - (_JUMP if inside else 0.0)
        if inside:
            after = np.where(places > 0, ends[i - 1, places - 1], -np.inf)
            gained = np.maximum(gained, after)
        ends[i, places] = 1 + gained
        bests[i + 1, 0] = bests[i, 0]
        np.maximum(bests[i, 1:], np.maximum.accumulate(ends[i]), out=bests[i + 1, 1:])
    return ends, bests


def _trace(ends: _Scores, bests: _Scores, inside: Sequence[bool]) -> list[int | None]:
    """Return the place of each word in the best alignment."""
    found: list[int | None] = [None] * len(inside)
    limit = ends.shape[1]  # only places before it are free
    fixed = False  # whether the word must be at the last free place
    for i in reversed(range(len(inside))):
        if not fixed and bests[i, limit] == bests[i + 1, limit]:
            continue  # nothing is gained by matching this word
        row = ends[i, :limit]
        place = limit - 1 if fixed else int(np.flatnonzero(row == row.max())[-1])
        found[i], limit = place, place
        fixed = inside[i] and place > 0 and bool(ends[i - 1, place - 1] + 1 == ends[i, place])
    return found
