"""Similarity of sentences to the whole story by the language model's own embeddings."""

from __future__ import annotations

import numpy as np

from barthes.models.language_model import FloatArray, check_finite, find_notes
from barthes.narrative import Narrative
from barthes.salience.measurement import Measurement
from barthes.salience.method import ModelMethod, Progress, silent
from barthes.salience.method_info import MethodInfo

_BATCH = 32  # sentences read at once


class EmbeddingSimilarity(ModelMethod):
    """The cosine of a sentence's embedding and the story's; in [-1, 1], higher is nearer.

    `LanguageModel.embed` embeds each sentence by itself: the mean of the hidden states of its tokens
    half-way through the network. The story's embedding is the mean over its sentences.

    >>> from barthes.models.counting import CountingModel
    >>> story = Narrative.from_sentences(["A wolf came.", "Rain.", "A wolf went."])
    >>> came, rain, went = EmbeddingSimilarity(CountingModel([story.text])).score(story).scores
    >>> rain < came and came == went
    True
    """

    info: MethodInfo = MethodInfo(
        "embedding",
        label="similarity to the story by the model's embeddings",
        summary="how near the sentence is to the whole story by the model's embeddings",
        unit="cosine",
        needs_model=True,
        reads="alone",
    )

    def measure(self, narrative: Narrative, *, progress: Progress = silent) -> Measurement:
        """Compute the scores; progress counts sentences."""
        model = self.model
        sentences = [
            [model.start_token, *model.encode([str(sentence)])[0]][: model.context_length]
            for sentence in narrative
        ]
        batches = []
        progress(0, len(sentences))
        for start in range(0, len(sentences), _BATCH):
            batches.append(model.embed(sentences[start : start + _BATCH]))
            progress(min(start + _BATCH, len(sentences)), len(sentences))
        vectors = np.concatenate(batches)
        check_finite(vectors, model)
        scores = _cosines(vectors, vectors.mean(axis=0))
        full = sum(len(ids) == model.context_length for ids in sentences)
        notes = (f"Sentences cut off because they fill the model's context: {full}.",) if full else ()
        return Measurement(tuple(scores.tolist()), notes=notes + find_notes(model))


def _cosines(vectors: FloatArray, other: FloatArray) -> FloatArray:
    """Return the cosine of each row and one vector; 0 if either is 0 (a sentence without tokens)."""
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(other)
    products: FloatArray = vectors @ other
    cosines: FloatArray = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
    return cosines
