"""Mutual information: how much likelier a sentence is after the story before it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

from barthes.models.language_model import check_finite, find_notes
from barthes.models.likelihood import find_window, predict_tokens
from barthes.narrative import Narrative
from barthes.salience.measurement import Measurement
from barthes.salience.method import ModelMethod, Progress, silent
from barthes.salience.method_info import MethodInfo

_BATCH = 32  # sentences read at once


class MutualInformation(ModelMethod):
    """The pointwise mutual information of a sentence and all before it: log P(S_k | S_1..k-1) - log P(S_k).

    In nats for the whole sentence, not per token: long sentences that follow from the story score high. The
    first sentence scores 0. The model reads the story twice, however many sentences it has.

    >>> from barthes.models.counting import CountingModel
    >>> story = Narrative.from_sentences(["A wolf.", "A wolf came.", "It rained."])
    >>> scores = MutualInformation(CountingModel([story.text])).score(story).scores
    >>> [round(score, 2) for score in scores]       # this text began with “a”, and “it” came later
    [0.0, -0.75, 1.65]
    """

    info: MethodInfo = MethodInfo(
        "pmi",
        label="mutual information with what came before",
        summary="how much likelier the sentence is after the story before it than alone",
        unit="nats",
        needs_model=True,
        reads="before",
    )

    def measure(self, narrative: Narrative, *, progress: Progress = silent) -> Measurement:
        """Compute the scores; progress counts tokens."""
        sentences = self.model.encode([str(sentence) for sentence in narrative])
        edges = list(accumulate(map(len, sentences), initial=0))
        progress(0, 2 * edges[-1])
        story = [token for ids in sentences for token in ids]
        after = predict_tokens(self.model, story, each=lambda done: progress(done, 2 * edges[-1]))
        alone: list[float] = []
        for start in range(0, len(sentences), _BATCH):
            alone += self._read_alone(sentences[start : start + _BATCH])
            progress(edges[-1] + edges[len(alone)], 2 * edges[-1])
        spans = zip(pairwise(edges), alone, strict=True)
        scores = [float(after[start:stop].sum()) - one for (start, stop), one in spans]
        scores[0] = 0.0  # exactly: nothing comes before it
        window = find_window(self.model, edges[-1])
        note = f"The story does not fit: at most {window} tokens before each sentence were read."
        notes = () if window is None else (note,)
        return Measurement(tuple(scores), window, notes + find_notes(self.model))

    def _read_alone(self, sentences: Sequence[list[int]]) -> list[float]:
        """Return log P of each sentence as a text of its own."""
        model = self.model
        context = model.context_length
        short = [bool(ids) and (context is None or len(ids) < context) for ids in sentences]
        texts = [([model.start_token, *ids], 1) for ids, fits in zip(sentences, short, strict=True) if fits]
        together = iter(model.read_together(texts))
        found = [
            float((next(together).log_probabilities if fits else predict_tokens(model, ids)).sum())
            for ids, fits in zip(sentences, short, strict=True)
        ]
        check_finite(sum(found), model)
        return found
