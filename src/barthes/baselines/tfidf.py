"""The TF-IDF baseline: words that this story uses often and other stories do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from barthes.baselines.frequencies import DocumentFrequencies
from barthes.baselines.word_weighing import SentenceWords, WordWeighing

__all__ = ["TfIdf"]


class TfIdf(WordWeighing):
    """The sum over the words w of a sentence of tf/(tf + 1) · (ln((1 + N)/(1 + df)) + 1).

    This is the variant T3 that the paper uses. Words are lower-cased and punctuation counts as words;
    tf is how often w occurs in the whole story, df in how many of N stories it occurs. More than 0.

    Args:
        frequencies: See `WordWeighing`.
        tokenize: See `WordWeighing`.

    >>> from barthes.narrative import Narrative
    >>> corpus = [Narrative.from_sentences([a, b]) for a, b in [("A wolf.", "A cat."), ("A dog.", "A cat.")]]
    >>> profile = TfIdf(DocumentFrequencies.from_narratives(corpus)).score(corpus[0])
    >>> [round(score, 3) for score in profile.scores]       # 2/3 + 1/2 · (ln(3/2) + 1) + 2/3, then the cat
    [2.036, 1.833]
    """

    name = "tfidf"

    def weigh(self, sentences: Sequence[SentenceWords], frequencies: DocumentFrequencies) -> Iterable[float]:
        """Σ tf/(tf + 1) · idf over the words of each sentence, repeated ones included."""
        counts = Counter(word for words in sentences for word in words)
        weights = {word: tf / (tf + 1) * frequencies.idf(word) for word, tf in counts.items()}
        return [sum(weights[word] for word in words) for words in sentences]
