"""Similarity to the whole story in the language model's own terms: no second model is needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from barthes.models.language_model import FloatArray, check_finite
from barthes.narrative import Narrative
from barthes.salience.measurement import Measurement
from barthes.salience.method import MethodInfo, ModelMethod, Progress, silent

__all__ = ["EmbeddingSimilarity"]

_TOGETHER = 32  # sentences that are read at once


class EmbeddingSimilarity(ModelMethod):
    """The cosine of a sentence's embedding and the story's; in [-1, 1], higher is nearer.

    The embedding of a sentence, read by itself, is that of `LanguageModel.embed`: the mean of the hidden
    states of its tokens half-way through the network. The story's is the mean over its sentences. Each
    sentence is read once.

    Args:
        model: The language model.

    >>> from barthes.models.counting import CountingModel
    >>> story = Narrative.from_sentences(["A wolf came.", "Rain.", "A wolf went."])
    >>> came, rain, went = EmbeddingSimilarity(CountingModel([story.text])).score(story).scores
    >>> rain < came and came == went
    True
    """

    info = MethodInfo(
        "embedding",
        label="similarity to the story in the model's terms",
        summary="how near the sentence is to the whole story in the model's own terms",
        unit="cosine",
        needs_model=True,
        reads="alone",
    )
    name = info.name

    def measure(self, narrative: Narrative, *, progress: Progress = silent) -> Measurement:
        """Compute the score of every sentence; progress counts sentences."""
        sentences = [self._prepare(str(sentence)) for sentence in narrative]
        vectors = np.concatenate(list(self._embed(sentences, progress)))
        check_finite(vectors, self.model)
        scores = _cosines(vectors, vectors.mean(axis=0))
        return Measurement(tuple(scores.tolist()), notes=self._explain(sentences))

    def _embed(self, sentences: Sequence[list[int]], progress: Progress) -> Iterator[FloatArray]:
        """Embed the sentences in batches."""
        progress(0, len(sentences))
        for start in range(0, len(sentences), _TOGETHER):
            together = sentences[start : start + _TOGETHER]
            yield self.model.embed(together)
            progress(start + len(together), len(sentences))

    def _prepare(self, sentence: str) -> list[int]:
        """Return the tokens of a sentence as a text of its own, cut to the model's context."""
        return [self.model.start_token, *self.model.encode([sentence])[0]][: self.model.context_length]

    def _explain(self, sentences: Sequence[list[int]]) -> tuple[str, ...]:
        """Note where a sentence may have been cut."""
        full = sum(len(ids) == self.model.context_length for ids in sentences)
        cut = f"Sentences that fill the model's context and were read no further: {full}."
        return (cut,) if full else ()


def _cosines(vectors: FloatArray, other: FloatArray) -> FloatArray:
    """Return the cosine of each row and one vector; 0 where either is 0 (a sentence without a token)."""
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(other)
    products: FloatArray = vectors @ other
    cosines: FloatArray = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
    return cosines
