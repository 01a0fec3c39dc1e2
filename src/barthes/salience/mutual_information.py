"""Looking back: how far a sentence was prepared by what came before it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

from barthes.models.language_model import LanguageModel, check_finite
from barthes.models.likelihood import find_window, predict_tokens
from barthes.narrative import Narrative
from barthes.salience.method import Method, Progress, silent
from barthes.salience.profile import Profile

__all__ = ["MutualInformation"]

_TOGETHER = 32  # sentences that are read at once


class MutualInformation(Method):
    """The pointwise mutual information of a sentence and all before it: log P(S_k | S_1..k-1) - log P(S_k).

    In nats, of the whole sentence and not per token: long sentences that follow from the story score high,
    and so do those that bring together what it has told; the first one scores 0. It takes two readings of
    the story, whatever its number of sentences.

    Args:
        model: The language model that supplies the likelihoods.

    >>> from barthes.models.counting import CountingModel
    >>> story = Narrative.from_sentences(["A wolf.", "A wolf came.", "It rained."])
    >>> scores = MutualInformation(CountingModel([story.text])).score(story).scores
    >>> [round(score, 2) for score in scores]       # this text began with “a”, and “it” came later
    [0.0, -0.75, 1.65]
    """

    name = "pmi"

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    @property
    def model_name(self) -> str:
        """The name of the language model."""
        return self._model.name

    def score(self, narrative: Narrative, *, progress: Progress = silent) -> Profile:
        """The score of every sentence; progress counts tokens."""
        sentences = self._model.encode([str(sentence) for sentence in narrative])
        edges = list(accumulate(map(len, sentences), initial=0))
        progress(0, 2 * edges[-1])
        told = predict_tokens(
            self._model,
            [token for ids in sentences for token in ids],
            each=lambda done: progress(done, 2 * edges[-1]),
        )
        scores: list[float] = []
        for start in range(0, len(sentences), _TOGETHER):
            alone = self._read_alone(sentences[start : start + _TOGETHER])
            spans = pairwise(edges[start : start + len(alone) + 1])
            scores += [
                float(told[first:last].sum()) - one for (first, last), one in zip(spans, alone, strict=True)
            ]
            progress(edges[-1] + edges[start + len(alone)], 2 * edges[-1])
        scores[0] = 0.0  # nothing comes before it, not even rounding
        window = find_window(self._model, edges[-1])
        return Profile(
            narrative,
            tuple(scores),
            method=self.name,
            model=self.model_name,
            precision=self._model.precision,
            window=window,
            notes=narrative.notes + _explain(window),
        )

    def _read_alone(self, sentences: Sequence[list[int]]) -> list[float]:
        """log P of each sentence as if it were a text of its own."""
        model = self._model
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


def _explain(window: int | None) -> tuple[str, ...]:
    if window is None:
        return ()
    return (f"The story does not fit: of what came before a sentence, at most {window} tokens were read.",)
