"""The centroid baseline (Radev et al. 2004): how much a sentence says of what the whole story says."""

from __future__ import annotations

from barthes.baselines.story_vector import StoryVectorMethod, WordVector, dot

__all__ = ["Centroid"]


class Centroid(StoryVectorMethod):
    """The inner product of the sentence's vector of idf-weighted word counts and the story's unit vector.

    The latter is the sum of all sentences' vectors, made as long as 1. As in MEAD a sentence gains with each
    word that weighs much in the story, so long sentences score higher; `Similarity` is the same without
    that. From 0.

    Args:
        frequencies: See `StoryVectorMethod`.
        tokenize: See `WordWeighing`.
        prior: See `StoryVectorMethod`.

    >>> from barthes.narrative import Narrative
    >>> story = Narrative.from_sentences(["A wolf, a wolf!", "A wolf.", "Rain."])
    >>> first, second, third = Centroid().score(story).scores
    >>> first > second > third
    True
    """

    name = "centroid"

    def compare(self, sentence: WordVector, direction: WordVector) -> float:
        """s · t / |t|; 0 without a word."""
        return dot(sentence, direction)
