"""What methods share that look at words, and at how many documents know them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence, Set
from typing import ClassVar

from barthes.baselines.frequencies import DocumentFrequencies
from barthes.baselines.words import Tokenize, split_narrative
from barthes.narrative import Narrative
from barthes.salience.method import Method, Progress, silent
from barthes.salience.profile import Profile

__all__ = ["SentenceWords", "WordWeighing"]

SentenceWords = Sequence[str]
"""The lower-cased words of a sentence, punctuation marks included, repeated ones as often as they come."""


class WordWeighing(Method):
    """A method that scores a sentence by its words, each weighed by the number of documents that know it.

    Words are lower-cased, and punctuation marks count as words.

    Args:
        frequencies: df and N of the corpus that the story belongs to:
            ``DocumentFrequencies.from_narratives(corpus)``. Without them the story is one more document
            beside those of the bundled table, so that a word found nowhere else has df = 1.
        tokenize: The words of each sentence; `frequencies` must have been counted with the same.
    """

    name: str
    unknown_language: ClassVar[str] = "were looked up in document frequencies of English tales"

    def __init__(
        self, frequencies: DocumentFrequencies | None = None, *, tokenize: Tokenize = split_narrative
    ) -> None:
        self.frequencies = frequencies
        self.tokenize = tokenize

    def score(self, narrative: Narrative, *, progress: Progress = silent) -> Profile:
        """The weight of the words of each sentence; no unit."""
        sentences = [[word.lower() for word in words] for words in self.tokenize(narrative)]
        words = {word for sentence in sentences for word in sentence}
        frequencies = self.count_documents(words, is_english=_is_english(narrative))
        scores = tuple(map(float, self.weigh(sentences, frequencies)))
        progress(len(narrative), len(narrative))
        return Profile(narrative, scores, method=self.name, notes=(*narrative.notes, *self._notes(narrative)))

    @abstractmethod
    def weigh(self, sentences: Sequence[SentenceWords], frequencies: DocumentFrequencies) -> Iterable[float]:
        """The score of each sentence of a story, given as its words."""

    def count_documents(self, words: Set[str], *, is_english: bool) -> DocumentFrequencies:
        """df and N for a story of these words: those of its corpus, or else of the bundled table with it."""
        return self.frequencies or DocumentFrequencies.bundled().including(words)

    def _notes(self, narrative: Narrative) -> tuple[str, ...]:
        if self.frequencies is not None or _is_english(narrative):
            return ()
        return (
            f"Words of a text in {narrative.language!r} {self.unknown_language}: "
            "score several stories together to use their own frequencies.",
        )


def _is_english(narrative: Narrative) -> bool:
    return narrative.language.split("-")[0] == "en"
