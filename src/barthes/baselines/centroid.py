"""The centroid baseline (Radev et al. 2004): how much a sentence says of what the whole story says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from barthes.baselines.frequencies import DocumentFrequencies
from barthes.baselines.story_vector import dot, make_vectors, norm
from barthes.baselines.word_weighing import SentenceWords, WordWeighing

__all__ = ["Centroid"]


class Centroid(WordWeighing):
    """The inner product of the sentence's vector of idf-weighted word counts and the story's unit vector.

    The latter is the sum of all sentences' vectors, made as long as 1. As in MEAD a sentence gains with each
    word that weighs much in the story, so long sentences score higher; `Similarity` is the same without
    that. From 0.

    Args:
        frequencies: See `WordWeighing`.
        tokenize: See `WordWeighing`.

    >>> from barthes.narrative import Narrative
    >>> story = Narrative.from_sentences(["A wolf, a wolf!", "A wolf.", "Rain."])
    >>> first, second, third = Centroid().score(story).scores
    >>> first > second > third
    True
    """

    name = "centroid"

    def weigh(self, sentences: Sequence[SentenceWords], frequencies: DocumentFrequencies) -> Iterable[float]:
        """s · t / |t| for the vectors s of each sentence and t of the story."""
        vectors, story = make_vectors(sentences, frequencies)
        length = norm(story) or 1.0  # a story without a word is nowhere near itself
        return [dot(vector, story) / length for vector in vectors]
