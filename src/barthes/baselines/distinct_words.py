"""The distinct-words baseline: how much that is rare elsewhere a sentence says, each thing once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from barthes.baselines.frequencies import DocumentFrequencies
from barthes.baselines.word_weighing import SentenceWords, WordWeighing

__all__ = ["Words"]


class Words(WordWeighing):
    """The sum over the distinct words of a sentence of ln(N/df).

    A word of all N documents (most punctuation marks) weighs nothing; one that no document knows counts as
    known to one. From 0.

    Args:
        frequencies: See `WordWeighing`.
        tokenize: See `WordWeighing`.

    >>> from barthes.narrative import Narrative
    >>> corpus = [Narrative.from_sentences([a, b]) for a, b in [("A wolf.", "A cat."), ("A dog.", "A cat.")]]
    >>> profile = Words(DocumentFrequencies.from_narratives(corpus)).score(corpus[0])
    >>> [round(score, 3) for score in profile.scores]                     # ln(2/1) for the wolf
    [0.693, 0.0]
    """

    name = "words"

    def weigh(self, sentences: Sequence[SentenceWords], frequencies: DocumentFrequencies) -> Iterable[float]:
        """Σ ln(N/df) over the distinct words of each sentence."""

        def weight(word: str) -> float:
            return math.log(frequencies.documents / max(1, frequencies.counts.get(word, 0)))

        # fsum: a sum of rounded numbers would depend on the order of the words, and ranks on that.
        return [math.fsum(map(weight, set(words))) for words in sentences]
