"""What `Centroid` and `Similarity` share: sentences and their story as vectors of weighted words."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from barthes.baselines.frequencies import DocumentFrequencies
from barthes.baselines.word_weighing import SentenceWords, WordWeighing

__all__ = ["PRIOR_DOCUMENTS", "StoryVectorMethod", "WordVector", "dot", "norm"]

WordVector = Mapping[str, float]
"""The weight of each word; that of all others is 0."""

PRIOR_DOCUMENTS = 10
"""As how many documents the bundled table counts beside the stories at hand; chosen on development data
(docs/explanation/beyond-the-paper.md)."""


class StoryVectorMethod(WordWeighing):
    """A method that compares the vector of a sentence with the story's, which is the sum of all sentences'.

    A word weighs count · idf. The bundled table counts as `PRIOR_DOCUMENTS` documents beside those at hand,
    so that a story has nearly the same scores alone and among others of its kind.

    Args:
        frequencies: df and N of the corpus that the story belongs to; without them it is the only one.
        tokenize: See `WordWeighing`.
    """

    def weigh(self, sentences: Sequence[SentenceWords], frequencies: DocumentFrequencies) -> Iterable[float]:
        """How each sentence's vector compares with the story's."""
        whole = Counter(word for words in sentences for word in words)
        idf = {word: _idf(word, frequencies) for word in whole}

        def make_vector(counts: Mapping[str, int]) -> WordVector:
            return {word: count * idf[word] for word, count in counts.items()}

        story = make_vector(whole)
        return [self.compare(make_vector(Counter(words)), story) for words in sentences]

    @abstractmethod
    def compare(self, sentence: WordVector, story: WordVector) -> float:
        """The score of a sentence by its vector and the story's, of which the former may be empty."""

    def count_alone(self, words: Iterable[str]) -> DocumentFrequencies:
        """The story itself: `weigh` adds the bundled table."""
        return DocumentFrequencies.count([words])


def _idf(word: str, frequencies: DocumentFrequencies) -> float:
    """ln((1 + N + 10) / (1 + df + 10 · the share of the bundled documents that know the word)) + 1."""
    documents = frequencies.documents + PRIOR_DOCUMENTS
    known = frequencies.counts.get(word, 0) + PRIOR_DOCUMENTS * DocumentFrequencies.bundled().share(word)
    return math.log((1 + documents) / (1 + known)) + 1


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
