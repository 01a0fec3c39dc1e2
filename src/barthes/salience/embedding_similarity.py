"""Similarity to the whole story in the language model's own terms: no second model is needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from barthes.models.language_model import FloatArray, LanguageModel, check_finite
from barthes.narrative import Narrative
from barthes.salience.method import Method, Progress, silent
from barthes.salience.profile import Profile

__all__ = ["EmbeddingSimilarity"]

_TOGETHER = 32  # sentences that are read at once


class EmbeddingSimilarity(Method):
    """The cosine of a sentence's embedding and the story's; in [-1, 1], higher is nearer.

    The embedding of a sentence, read by itself, is what `LanguageModel.embed` makes of it: the mean of the
    hidden states of its tokens half-way through the network. The story's is the mean over its sentences. It
    takes one reading of each sentence, whatever their number.

    Args:
        model: The language model.

    >>> from barthes.models.counting import CountingModel
    >>> story = Narrative.from_sentences(["A wolf came.", "Rain.", "A wolf went."])
    >>> came, rain, went = EmbeddingSimilarity(CountingModel([story.text])).score(story).scores
    >>> rain < came and came == went
    True
    """

    name = "embedding"

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    @property
    def model_name(self) -> str:
        """The name of the language model."""
        return self._model.name

    def score(self, narrative: Narrative, *, progress: Progress = silent) -> Profile:
        """The score of every sentence; progress counts sentences."""
        sentences = [self._prepare(str(sentence)) for sentence in narrative]
        vectors = np.concatenate(list(self._embed(sentences, progress)))
        check_finite(vectors, self._model)
        return Profile(
            narrative,
            tuple(_cosines(vectors, vectors.mean(axis=0)).tolist()),
            method=self.name,
            model=self.model_name,
            precision=self._model.precision,
            notes=narrative.notes + self._explain(sentences),
        )

    def _embed(self, sentences: Sequence[list[int]], progress: Progress) -> Iterator[FloatArray]:
        """The embeddings, some sentences at a time."""
        progress(0, len(sentences))
        for start in range(0, len(sentences), _TOGETHER):
            together = sentences[start : start + _TOGETHER]
            yield self._model.embed(together)
            progress(start + len(together), len(sentences))

    def _prepare(self, sentence: str) -> list[int]:
        """A sentence as a text of its own; of one that does not fit the context, as much as does."""
        return [self._model.start_token, *self._model.encode([sentence])[0]][: self._model.context_length]

    def _explain(self, sentences: Sequence[list[int]]) -> tuple[str, ...]:
        """Say where a sentence may have been cut."""
        full = sum(len(ids) == self._model.context_length for ids in sentences)
        cut = f"Sentences that fill the model's context and were read no further: {full}."
        return (cut,) if full else ()


def _cosines(vectors: FloatArray, other: FloatArray) -> FloatArray:
    """The cosine of each row and one vector; 0 where either is 0 (a sentence without a token)."""
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(other)
    products: FloatArray = vectors @ other
    cosines: FloatArray = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
    return cosines
