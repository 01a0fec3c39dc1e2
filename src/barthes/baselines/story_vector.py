"""What `Centroid` and `Similarity` share: sentences and their story as vectors of weighted words."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set

from barthes.baselines.frequencies import DocumentFrequencies
from barthes.baselines.word_weighing import SentenceWords, WordWeighing
from barthes.baselines.words import Tokenize, split_narrative

__all__ = ["PRIOR", "StoryVectorMethod", "WordVector", "dot", "norm"]

WordVector = Mapping[str, float]
"""The weight of each word; that of all others is 0."""

PRIOR = 10
"""As how many documents the bundled table counts; chosen on development data (`benchmarks/company.py`)."""


class StoryVectorMethod(WordWeighing):
    """A method that compares the vector of a sentence with the story's, which is the sum of all sentences'.

    A word weighs count · idf. In English the bundled table counts as a few documents beside those at hand, so
    that a story can be scored alone and among few others nearly as well as among many.

    Args:
        frequencies: df and N of the corpus that the story belongs to; without them it is the only one.
        tokenize: See `WordWeighing`.
        prior: As how many documents the bundled table counts; 0 leaves it out.
    """

    unknown_language = "all weigh the same, for the bundled frequencies are those of English tales"

    def __init__(
        self,
        frequencies: DocumentFrequencies | None = None,
        *,
        tokenize: Tokenize = split_narrative,
        prior: int = PRIOR,
    ) -> None:
        super().__init__(frequencies, tokenize=tokenize)
        self._prior = prior

    def count_documents(self, words: Set[str], *, is_english: bool) -> DocumentFrequencies:
        """df and N of the corpus, or of the story alone, and a few documents of the bundled table."""
        own = self.frequencies or DocumentFrequencies.count([words])
        if not is_english:
            return own
        return own.beside(DocumentFrequencies.bundled(), documents=self._prior, words=words)

    def weigh(self, sentences: Sequence[SentenceWords], frequencies: DocumentFrequencies) -> Iterable[float]:
        """How each sentence's vector compares with the story's direction."""
        whole = Counter(word for words in sentences for word in words)
        idf = {word: frequencies.idf(word) for word in whole}

        def make_vector(counts: Mapping[str, int]) -> WordVector:
            return {word: count * idf[word] for word, count in counts.items()}

        story = make_vector(whole)
        length = norm(story)
        direction = {word: weight / length for word, weight in story.items()}
        return [self.compare(make_vector(Counter(words)), direction) for words in sentences]

    @abstractmethod
    def compare(self, sentence: WordVector, direction: WordVector) -> float:
        """The score of a sentence by its vector, which may be empty, and the story's, made as long as 1."""


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
