"""The TF-IDF baseline: words that this story uses often and other stories do not."""

from __future__ import annotations

from collections import Counter

from barthes.baselines.frequencies import DocumentFrequencies
from barthes.baselines.words import Tokenize, split_narrative
from barthes.narrative import Narrative
from barthes.salience.method import Method, Progress, silent
from barthes.salience.profile import Profile

__all__ = ["TfIdf"]


class TfIdf(Method):
    """The sum over the words w of a sentence of tf/(tf + 1) · (ln((1 + N)/(1 + df)) + 1).

    This is the variant T3 that the paper uses. Words are lower-cased and punctuation counts as words;
    tf is how often w occurs in the whole story, df in how many of N stories it occurs.

    Args:
        frequencies: df and N of the corpus that the story belongs to:
            ``DocumentFrequencies.from_narratives(corpus)``. Without them the story is one more document
            beside those of the bundled table, so that a word found nowhere else has df = 1.
        tokenize: The words of each sentence; `frequencies` must have been counted with the same.

    >>> corpus = [Narrative.from_sentences([a, b]) for a, b in [("A wolf.", "A cat."), ("A dog.", "A cat.")]]
    >>> profile = TfIdf(DocumentFrequencies.from_narratives(corpus)).score(corpus[0])
    >>> [round(score, 3) for score in profile.scores]       # 2/3 + 1/2 · (ln(3/2) + 1) + 2/3, then the cat
    [2.036, 1.833]
    """

    name = "tfidf"

    def __init__(
        self, frequencies: DocumentFrequencies | None = None, *, tokenize: Tokenize = split_narrative
    ) -> None:
        self.frequencies = frequencies
        self.tokenize = tokenize

    def score(self, narrative: Narrative, *, progress: Progress = silent) -> Profile:
        """The weight of the words of each sentence; no unit, more than 0."""
        sentences = [[word.lower() for word in words] for words in self.tokenize(narrative)]
        counts = Counter(word for words in sentences for word in words)
        frequencies = self.frequencies
        if frequencies is None:
            frequencies = DocumentFrequencies.bundled().including(counts)
        weights = {word: tf / (tf + 1) * frequencies.idf(word) for word, tf in counts.items()}
        scores = tuple(float(sum(weights[word] for word in words)) for words in sentences)
        progress(len(narrative), len(narrative))
        return Profile(narrative, scores, method=self.name, notes=(*narrative.notes, *self._notes(narrative)))

    def _notes(self, narrative: Narrative) -> tuple[str, ...]:
        if self.frequencies is not None or narrative.language.split("-")[0] == "en":
            return ()
        return (
            f"TF-IDF used document frequencies of English tales for a text in {narrative.language!r}: "
            "score several stories together to use their own.",
        )
