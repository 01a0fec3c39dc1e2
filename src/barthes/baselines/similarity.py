"""The similarity baseline: how far a sentence speaks of the same things as the whole story."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from barthes.baselines.frequencies import DocumentFrequencies
from barthes.baselines.story_vector import dot, make_vectors, norm
from barthes.baselines.word_weighing import SentenceWords, WordWeighing

__all__ = ["Similarity"]


class Similarity(WordWeighing):
    """The cosine of a sentence's vector of idf-weighted word counts and the story's; in [0, 1].

    Args:
        frequencies: See `WordWeighing`.
        tokenize: See `WordWeighing`.

    >>> from barthes.narrative import Narrative
    >>> story = Narrative.from_sentences(["A wolf came.", "Rain.", "A wolf went."])
    >>> came, rain, _ = Similarity().score(story).scores
    >>> rain < came < 1
    True
    """

    name = "similarity"

    def weigh(self, sentences: Sequence[SentenceWords], frequencies: DocumentFrequencies) -> Iterable[float]:
        """s · t / (|s| |t|) for the vectors s of each sentence and t of the story; 0 without a word."""
        vectors, story = make_vectors(sentences, frequencies)
        length = norm(story)
        return [dot(each, story) / (norm(each) * length) if each else 0.0 for each in vectors]
