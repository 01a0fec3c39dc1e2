"""Sentences and their story as vectors of weighted words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from barthes.baselines.frequencies import DocumentFrequencies
from barthes.baselines.word_weighing import SentenceWords

__all__ = ["WordVector", "dot", "make_vectors", "norm"]

WordVector = Mapping[str, float]
"""The weight of each word; that of all others is 0."""


def make_vectors(
    sentences: Sequence[SentenceWords], frequencies: DocumentFrequencies
) -> tuple[list[WordVector], WordVector]:
    """The vector of each sentence, and that of the whole story, which is their sum.

    A word weighs count · idf, the idf of `DocumentFrequencies.idf`.
    """
    whole = Counter(word for words in sentences for word in words)
    idf = {word: frequencies.idf(word) for word in whole}

    def weigh(counts: Mapping[str, int]) -> WordVector:
        return {word: count * idf[word] for word, count in counts.items()}

    return [weigh(Counter(words)) for words in sentences], weigh(whole)


def dot(one: WordVector, other: WordVector) -> float:
    """The inner product; the order of the words does not matter, to the last digit.

    >>> dot({"wolf": 2.0, "rain": 1.0}, {"wolf": 3.0})
    6.0
    """
    return math.fsum(weight * other.get(word, 0.0) for word, weight in one.items())


def norm(vector: WordVector) -> float:
    """The Euclidean length.

    >>> norm({"wolf": 3.0, "rain": 4.0})
    5.0
    """
    return math.sqrt(dot(vector, vector))
