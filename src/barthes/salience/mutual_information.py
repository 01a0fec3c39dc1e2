"""Mutual information: how much likelier a sentence is after the story before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise

import numpy as np

from barthes.models.language_model import Edit, check_finite
from barthes.models.windows import find_window, group_by_cost, predict_tokens
from barthes.narrative import Narrative
from barthes.salience.measurement import Measurement
from barthes.salience.method import ModelMethod, Progress, silent
from barthes.salience.method_info import MethodInfo

_TOKENS = 512  # of sentences that are read alone together


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
        total = 2 * edges[-1]
        progress(0, total)
        story = [token for ids in sentences for token in ids]
        after = predict_tokens(self.model, story, each=lambda done: progress(done, total))
        alone = list(self._read_alone(sentences, lambda done: progress(edges[-1] + done, total)))
        check_finite(sum(alone), self.model)
        spans = zip(pairwise(edges), alone, strict=True)
        scores = [float(after[start:stop].sum()) - one for (start, stop), one in spans]
        scores[0] = 0.0  # exactly: nothing comes before it
        window = find_window(self.model, edges[-1])
        note = f"The story does not fit: at most {window} tokens before each sentence were read."
        notes = () if window is None else (note,)
        return Measurement(tuple(scores), window, notes + self.model.notes)

    def _read_alone(self, sentences: Sequence[list[int]], report: Callable[[int], None]) -> Iterator[float]:
        """Yield log P of each sentence as a text of its own, and report the number of tokens read.

        A few sentences are read as one text; everything before each of them is then deleted.
        """
        context = self.model.context_length
        done = 0
        most = _TOKENS if context is None else min(_TOKENS, context - 1)
        for group in group_by_cost(sentences, len, most=most):
            tokens = [self.model.start_token, *(token for ids in group for token in ids)]
            if context is not None and len(tokens) > context:  # one very long sentence
                yield float(predict_tokens(self.model, tokens[1:]).sum())
            else:
                yield from self._rescore_alone(tokens, [len(ids) for ids in group])
            done += len(tokens) - 1
            report(done)

    def _rescore_alone(self, tokens: Sequence[int], lengths: Sequence[int]) -> Iterator[float]:
        spans = list(pairwise(accumulate(lengths, initial=1)))
        edits = [Edit(1, start, until=stop) for start, stop in spans if start < stop]
        found = self.model.read(tokens).rescore(edits) if edits else iter(())
        for start, stop in spans:
            yield float(np.sum(next(found))) if start < stop else 0.0
