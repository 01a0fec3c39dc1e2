"""Sentence deletion, estimated from a fraction of the computation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from barthes.models.language_model import LanguageModel
from barthes.narrative import Narrative
from barthes.removal.removal import delete_sentences
from barthes.salience.checkpoint import Checkpoint
from barthes.salience.coherence_loss import CoherenceLoss
from barthes.salience.measurement import Measurement
from barthes.salience.method import Method, MethodOptions, Progress, silent
from barthes.salience.method_info import MethodInfo
from barthes.salience.profile import Profile
from barthes.salience.removal_loss import RemovalLoss
from barthes.salience.removal_method import RemovalMethod
from barthes.salience.removal_task import RemovalTask
from barthes.salience.stability import expect_correlation

HORIZON = 36
"""Tokens that a preview reads again after each sentence: about two sentences of a tale."""

_EDITION = 4  # of the estimate: increase it to invalidate cached previews
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
        """Estimate the loss of every removal, then measure those with the highest estimates exactly."""
        task = self.prepare(narrative)
        cost = task.cost
        total = cost + self._expect_exact_cost(task)
        measurer = CoherenceLoss(self.model)
        losses = list(
            measurer.measure(task, progress=lambda done, _: progress(done, total), checkpoint=checkpoint)
        )
        if chosen := self._choose(losses):
            exact = measurer.measure(
                _read_to_the_end(task, chosen),
                progress=lambda done, more: progress(cost + done, cost + more),
                checkpoint=checkpoint.stage(chosen),
            )
            for loss in exact:
                losses[loss.index] = loss
        return self.summarize(task, losses)

    def _expect_exact_cost(self, task: RemovalTask) -> int:
        """Return about how many tokens exact scores will take: those of as many average sentences."""
        count = min(self._exact_top, len(task.removals))
        some = replace(task, removals=task.removals[:count], horizon=None)
        return some.cost if task.window else sum(map(len, task.tokens)) * (count + 2) // 2 * bool(count)

    def present(self, narrative: Narrative, measurement: Measurement, **fields: Any) -> Profile:
        """Return the profile, with notes on how close it is to exact scores."""
        notes = []
        if not all(loss.exact for loss in measurement.losses[:-1]):  # the last is not ranked
            expected = expect_correlation(measurement.losses)
            if math.isfinite(expected):
                notes.append(f"Expected rank correlation with exact scores: {expected:.2f}.")
            if self._exact_top:
                notes.append(_list_exact(measurement.losses, narrative.unit))
        return super().present(narrative, replace(measurement, notes=(*measurement.notes, *notes)), **fields)

    def _choose(self, losses: Sequence[RemovalLoss]) -> list[int]:
        """Return which of the highest `exact_top` scores are not exact yet, in order.

        The last sentence is left out: it is not ranked.
        """
        order = sorted(range(len(losses) - 1), key=lambda k: (-losses[k].total, k))
        return sorted(k for k in order[: self._exact_top] if not losses[k].exact)


def _read_to_the_end(task: RemovalTask, chosen: Sequence[int]) -> RemovalTask:
    """Return the task with only some removals, and no horizon."""
    return replace(
        task,
        removals=[task.removals[k] for k in chosen],
        replacements=[task.replacements[k] for k in chosen],
        horizon=None,
    )


def _list_exact(losses: Sequence[RemovalLoss], unit: str) -> str:
    """Return a note on which scores are exact."""
    exact = [str(loss.index + 1) for loss in losses if loss.exact]
    more = f" and {len(exact) - _MOST_LISTED} more" if len(exact) > _MOST_LISTED else ""
    return f"Exact scores: {unit}s {', '.join(exact[:_MOST_LISTED])}{more}; all others are estimates."
