"""Baselines that weigh the words of a sentence by their document frequencies."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import ClassVar

from barthes.baselines.frequencies import DocumentFrequencies
from barthes.baselines.words import Tokenize, split_narrative
from barthes.narrative import Narrative
from barthes.salience.method import Method, MethodOptions, Progress, silent
from barthes.salience.method_info import MethodInfo
from barthes.salience.profile import Profile

SentenceWords = Sequence[str]
"""The lower-cased words of a sentence, including punctuation marks and repeated words."""

WordVector = Mapping[str, float]
"""The weight of each word; 0 for all others."""

PRIOR = 10
"""The weight of the bundled table in documents; chosen on two corpora (`research/docs/experiments.md`)."""


class WordMethod(Method):
    """A method that weighs the words of a sentence by their document frequencies.

    Words are lower-cased, and punctuation marks count as words.

    Args:
        frequencies: df and N of the story's corpus: ``DocumentFrequencies.from_narratives(corpus)``. By
            default those of the bundled table, with the story as one more document.
        tokenize: Returns the words of each sentence; `frequencies` must have been counted with it.
    """

    info: MethodInfo
    unknown_language: ClassVar[str] = "were looked up in document frequencies of English tales"

    def __init__(
        self, frequencies: DocumentFrequencies | None = None, *, tokenize: Tokenize = split_narrative
    ) -> None:
        self.frequencies = frequencies
        self.tokenize = tokenize

    @classmethod
    def build(cls, options: MethodOptions) -> Method:
        """Create the method with the document frequencies and their tokenizer."""
        return cls(options.frequencies, tokenize=options.tokenize or split_narrative)

    def score(self, narrative: Narrative, *, progress: Progress = silent) -> Profile:
        """Score each sentence by its words."""
        sentences = [[word.lower() for word in words] for words in self.tokenize(narrative)]
        words = {word for sentence in sentences for word in sentence}
        is_english = narrative.language.split("-")[0] == "en"
        scores = map(float, self.weigh(sentences, self.count_documents(words, is_english=is_english)))
        progress(len(narrative), len(narrative))
        note = (
            f"Words of a text in {narrative.language!r} {self.unknown_language}: "
            "score several stories together to use their own frequencies."
        )
        needs_note = self.frequencies is None and not is_english
        return self.to_profile(narrative, scores, notes=(note,) if needs_note else ())

    @abstractmethod
    def weigh(self, sentences: Sequence[SentenceWords], frequencies: DocumentFrequencies) -> Iterable[float]:
        """Return the score of each sentence from its words."""

    def count_documents(self, words: Set[str], *, is_english: bool) -> DocumentFrequencies:
        """Return df and N of the corpus, or of the bundled table plus a story with these words."""
        return self.frequencies or DocumentFrequencies.bundled().including(words)


class TfIdf(WordMethod):
    """The sum over the words w of a sentence of tf/(tf + 1) · (ln((1 + N)/(1 + df)) + 1).

    This is the paper's variant T3: tf is the number of occurrences of w in the whole story, df the number of
    the N stories with w. More than 0. The arguments are those of `WordMethod`.

    >>> corpus = [Narrative.from_sentences([a, b]) for a, b in [("A wolf.", "A cat."), ("A dog.", "A cat.")]]
    >>> profile = TfIdf(DocumentFrequencies.from_narratives(corpus)).score(corpus[0])
    >>> [round(score, 3) for score in profile.scores]       # 2/3 + 1/2 · (ln(3/2) + 1) + 2/3, then the cat
    [2.036, 1.833]
    """

    info: MethodInfo = MethodInfo(
        "tfidf",
        label="TF-IDF",
        summary="words that are frequent in this story and rare in others",
        unit="sum of TF-IDF weights",
        weighs_words=True,
    )

    def weigh(self, sentences: Sequence[SentenceWords], frequencies: DocumentFrequencies) -> Iterable[float]:
        """Return Σ tf/(tf + 1) · idf over the words of each sentence, repeated ones included."""
        counts = Counter(word for words in sentences for word in words)
        weights = {word: tf / (tf + 1) * frequencies.idf(word) for word, tf in counts.items()}
        return [sum(weights[word] for word in words) for words in sentences]


class Words(WordMethod):
    """The sum over the distinct words of a sentence of ln(N/df).

    A word in all N documents (most punctuation marks) weighs 0; an unknown word counts as df = 1. From 0. The
    arguments are those of `WordMethod`.

    >>> corpus = [Narrative.from_sentences([a, b]) for a, b in [("A wolf.", "A cat."), ("A dog.", "A cat.")]]
    >>> profile = Words(DocumentFrequencies.from_narratives(corpus)).score(corpus[0])
    >>> [round(score, 3) for score in profile.scores]                     # ln(2/1) for the wolf
    [0.693, 0.0]
    """

    info: MethodInfo = MethodInfo(
        "words",
        label="distinct words, rare ones first",
        summary="distinct words, the more the rarer they are in other stories",
        unit="sum of the weights of distinct words",
        weighs_words=True,
    )

    def weigh(self, sentences: Sequence[SentenceWords], frequencies: DocumentFrequencies) -> Iterable[float]:
        """Return Σ ln(N/df) over the distinct words of each sentence."""

        def weight(word: str) -> float:
            return math.log(frequencies.documents / max(1, frequencies.counts.get(word, 0)))

        # fsum: an ordinary sum depends on the order of the words, which could break ties.
        return [math.fsum(map(weight, set(words))) for words in sentences]


class StoryVectorMethod(WordMethod):
    """A method that compares a sentence's vector with the story's, the sum of all sentences' vectors.

    A word weighs count · idf. For English, the bundled table is added as a few documents, so that scores in a
    small corpus are nearly those in a large one.

    Args:
        frequencies: df and N of the story's corpus; by default of the story alone.
        tokenize: See `WordMethod`.
        prior: The number of documents that the bundled table counts as; 0 leaves it out.
    """

    unknown_language = "all weigh the same, because the bundled frequencies are those of English tales"

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
        """Return df and N of the corpus, or of the story alone, plus the scaled bundled table."""
        own = self.frequencies or DocumentFrequencies.count([words])
        if not is_english:
            return own
        return own.add_scaled(DocumentFrequencies.bundled(), documents=self._prior, words=words)

    def weigh(self, sentences: Sequence[SentenceWords], frequencies: DocumentFrequencies) -> Iterable[float]:
        """Compare each sentence's vector with the story's direction."""
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
        """Return the score of a sentence's vector, which may be empty, given the story's unit vector."""


class Centroid(StoryVectorMethod):
    """The inner product of the sentence's vector of idf-weighted word counts and the story's unit vector.

    As in MEAD (Radev et al. 2004), long sentences score higher; `Similarity` is the same without the effect
    of length. From 0. The arguments are those of `StoryVectorMethod`.

    >>> story = Narrative.from_sentences(["A wolf, a wolf!", "A wolf.", "Rain."])
    >>> first, second, third = Centroid().score(story).scores
    >>> first > second > third
    True
    """

    info: MethodInfo = MethodInfo(
        "centroid",
        label="share in the words of the story",
        summary="how much of the story's vocabulary it covers",
        weighs_words=True,
    )

    def compare(self, sentence: WordVector, direction: WordVector) -> float:
        """Return s · t / |t|; 0 without words."""
        return dot(sentence, direction)


class Similarity(StoryVectorMethod):
    """The cosine of a sentence's vector of idf-weighted word counts and the story's; in [0, 1].

    The arguments are those of `StoryVectorMethod`.

    >>> story = Narrative.from_sentences(["A wolf came.", "Rain.", "A wolf went."])
    >>> came, rain, _ = Similarity().score(story).scores
    >>> rain < came < 1
    True
    """

    info: MethodInfo = MethodInfo(
        "similarity",
        label="similarity to the story",
        summary="word overlap with the whole story, regardless of length",
        unit="cosine",
        weighs_words=True,
    )

    def compare(self, sentence: WordVector, direction: WordVector) -> float:
        """Return s · t / (|s| |t|); 0 without words."""
        return dot(sentence, direction) / norm(sentence) if sentence else 0.0


def dot(one: WordVector, other: WordVector) -> float:
    """Return the inner product, exactly the same for any order of the words."""
    return math.fsum(weight * other.get(word, 0.0) for word, weight in one.items())


def norm(vector: WordVector) -> float:
    """Return the Euclidean length."""
    return math.sqrt(dot(vector, vector))
