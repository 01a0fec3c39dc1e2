"""The similarity baseline: how far a sentence speaks of the same things as the whole story."""

from __future__ import annotations

from barthes.baselines.story_vector import StoryVectorMethod, WordVector, dot, norm

__all__ = ["Similarity"]


class Similarity(StoryVectorMethod):
    """The cosine of a sentence's vector of idf-weighted word counts and the story's; in [0, 1].

    Args:
        frequencies: See `StoryVectorMethod`.
        tokenize: See `WordWeighing`.
        prior: See `StoryVectorMethod`.

    >>> from barthes.narrative import Narrative
    >>> story = Narrative.from_sentences(["A wolf came.", "Rain.", "A wolf went."])
    >>> came, rain, _ = Similarity().score(story).scores
    >>> rain < came < 1
    True
    """

    name = "similarity"

    def compare(self, sentence: WordVector, direction: WordVector) -> float:
        """s · t / (|s| |t|); 0 without a word."""
        return dot(sentence, direction) / norm(sentence) if sentence else 0.0
