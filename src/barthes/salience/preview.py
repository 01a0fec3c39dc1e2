"""Sentence deletion, estimated from a fraction of the computation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from barthes.models.language_model import LanguageModel
from barthes.narrative import Narrative
from barthes.removal.removal import delete_sentences
from barthes.salience.checkpoint import Checkpoint
from barthes.salience.coherence_loss import measure_losses
from barthes.salience.measurement import Measurement, RemovalLoss
from barthes.salience.method import Method, MethodOptions, Progress, silent
from barthes.salience.method_info import MethodInfo
from barthes.salience.removal_method import RemovalMethod
from barthes.salience.removal_task import RemovalTask
from barthes.salience.stability import expect_correlation

HORIZON = 36
"""Tokens that a preview reads again after each sentence: about two sentences of a tale."""

_EDITION = 5  # of the estimate: increase it to invalidate cached previews
_MOST_LISTED = 20  # units in a note


class Preview(RemovalMethod):
    """σ by sentence deletion, estimated; nats per token.

    The loss of the next `horizon` tokens is measured, that of all later ones estimated from tokens that recur
    (`barthes.salience.recurrence`). The sum is divided by the number of all later tokens: exact if no more
    follow than the horizon. The cost grows with the length of a story, not with its square.

    Args:
        model: The language model that supplies the likelihoods.
        window: Tokens read at once; by default the whole story if it fits.
        horizon: Tokens read again after each sentence.
        exact_top: How many of the sentences with the highest estimates are scored exactly afterwards.

    >>> from barthes.models.counting import CountingModel
    >>> from barthes.salience.removal_method import SentenceDeletion
    >>> story = Narrative.from_sentences(["A wolf came.", "The wolf ate.", "It rained."])
    >>> model = CountingModel([story.text])
    >>> Preview(model).score(story).scores == SentenceDeletion(model).score(story).scores  # a short story
    True
    """

    info: MethodInfo = replace(
        RemovalMethod.info,
        name="preview",
        label="sentence deletion, estimated",
        summary="fast estimate of sentence deletion from the text right after the sentence and what recurs",
        meaning="how much less likely the rest of the story becomes without it (estimated)",
        is_estimate=True,
    )

    def __init__(
        self,
        model: LanguageModel,
        *,
        window: int | None = None,
        horizon: int = HORIZON,
        exact_top: int = 0,
    ) -> None:
        if exact_top < 0:
            raise ValueError(f"cannot score {exact_top} sentences exactly")
        super().__init__(model, delete_sentences, window=window, horizon=horizon)
        self._exact_top = exact_top
        self._settings |= {"edition": _EDITION, "exact_top": exact_top}

    identity = RemovalMethod.identity  # has all parameters

    @classmethod
    def build(cls, options: MethodOptions) -> Method:
        """Create the method with the language model, the window and the number of exact scores."""
        return cls(options.model(), window=options.window, exact_top=options.exact_top)

    def resume(
        self, narrative: Narrative, checkpoint: Checkpoint, *, progress: Progress = silent
    ) -> Measurement:
        """Estimate the loss of every removal, then measure those with the highest estimates exactly.

        Until the highest are known, progress counts that many removals of average cost.
        """
        task = self.prepare(narrative)
        cost, exact_cost = task.cost, replace(task, horizon=None).cost
        total = cost + exact_cost * min(self._exact_top, len(task.removals)) // len(task.removals)
        losses = measure_losses(
            self.model, task, progress=lambda done, _: progress(done, total), checkpoint=checkpoint
        )
        chosen = _choose_highest(losses, self._exact_top)
        if chosen:
            exact = measure_losses(
                self.model,
                _read_to_the_end(task, chosen),
                progress=lambda done, more: progress(cost + done, cost + more),
                checkpoint=checkpoint.stage(chosen),
            )
            for k, loss in zip(chosen, exact, strict=True):
                losses[k] = loss
        measurement = self.summarize(task, losses)
        is_estimated = task.window is not None or any(loss.rest for loss in losses)
        if is_estimated and len(chosen) < len(losses) - 1:  # the last one is not ranked
            notes = _explain(losses, chosen, narrative.unit)
            measurement = replace(measurement, notes=(*measurement.notes, *notes))
        return measurement


def _choose_highest(losses: Sequence[RemovalLoss], count: int) -> list[int]:
    """Return the indices of the `count` highest scores, in order; the last sentence is not ranked."""
    order = sorted(range(len(losses) - 1), key=lambda k: (-losses[k].total, k))
    return sorted(order[:count])


def _read_to_the_end(task: RemovalTask, chosen: Sequence[int]) -> RemovalTask:
    """Return the task with only some removals, and no horizon."""
    return replace(
        task,
        removals=[task.removals[k] for k in chosen],
        replacements=[task.replacements[k] for k in chosen],
        horizon=None,
    )


def _explain(losses: Sequence[RemovalLoss], chosen: Sequence[int], unit: str) -> Iterator[str]:
    """Yield notes on how close the scores are to exact ones, and on which of them are exact."""
    expected = expect_correlation(losses)
    if math.isfinite(expected):
        yield f"Expected rank correlation with exact scores: {expected:.2f}."
    if chosen:
        shown = ", ".join(str(k + 1) for k in chosen[:_MOST_LISTED])
        more = f" and {len(chosen) - _MOST_LISTED} more" if len(chosen) > _MOST_LISTED else ""
        yield f"Exact scores: {unit}s {shown}{more}; all others are estimates."
