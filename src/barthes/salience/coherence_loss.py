"""Salience as loss of coherence, equations 1 to 3 of Otake et al. (2020).

::

    σ(S_k) = c(S) - c(S~)
    c(S)   = 1 / |S_{k+1..n}| · log P(S_{k+1..n} | S_{1..k-1},   S_k )
    c(S~)  = 1 / |S_{k+1..n}| · log P(S_{k+1..n} | S_{1..k-1}, r(S_k))

in nats per token: how much less likely, on average, each later token becomes when the events of S_k are
removed. Higher is more salient; it can be negative. The end-of-text token scores the last sentence only.

One passage after the other is read once; then what follows each target is read again without it::

    prepare_task      ──▶  tokens, removals, window                    RemovalTask
    task.divide       ──▶  passages with their targets                 Passage, Target
    model.read        ──▶  log P of the passage, and after each edit
    the difference    ──▶  what each later token loses                 RemovalLoss
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import compress

import numpy as np

from barthes.models.language_model import Edit, FloatArray, LanguageModel, check_finite
from barthes.salience.checkpoint import NO_CHECKPOINT, Checkpoint
from barthes.salience.method import Progress, silent
from barthes.salience.passage import Passage, Target
from barthes.salience.recurrence import FarLoss, add_up_gains
from barthes.salience.removal_loss import RemovalLoss
from barthes.salience.removal_task import RemovalTask


class CoherenceLoss:
    """Measures the losses of removals with a language model.

    Args:
        model: The language model that supplies the likelihoods.
    """

    def __init__(self, model: LanguageModel) -> None:
        self.model = model

    def measure(
        self, task: RemovalTask, *, progress: Progress = silent, checkpoint: Checkpoint = NO_CHECKPOINT
    ) -> Iterator[RemovalLoss]:
        """Measure the loss of each removal, in order; those that the checkpoint has are not measured again.

        `progress` counts tokens.

        Raises:
            ModelError: The model returned NaN or infinity.
        """
        passages = task.divide()
        done, total = 0, sum(passage.cost for passage in passages)
        progress(done, total)
        for passage in passages:
            missing = [target for target in passage.targets if checkpoint.done(target.removal) is None]
            measured = self._measure_passage(task, passage, missing) if missing else iter(())
            done += passage.length
            for target in passage.targets:
                loss = checkpoint.done(target.removal)
                if loss is None:
                    loss = next(measured)
                    checkpoint.store(target.removal, loss)
                done += target.reach
                progress(done, total)
                yield loss

    def _measure_passage(
        self, task: RemovalTask, passage: Passage, targets: list[Target]
    ) -> Iterator[RemovalLoss]:
        """Read a passage and yield the loss of each of the targets."""
        edits = [passage.make_edit(target, task.replacements[target.removal]) for target in targets]
        changes = [
            list(edit.replacement) != task.tokens[target.sentence]
            for target, edit in zip(targets, edits, strict=True)
        ]
        ids = passage.join_tokens(task.tokens, self.model.start_token, self.model.end_token)
        reading = self.model.read(ids)
        rescored = reading.rescore(list(compress(edits, changes)))
        known = reading.log_probabilities
        far = _estimate_far(task, passage, targets, known)
        for target, edit, changed, unread in zip(targets, edits, changes, far, strict=True):
            before = _select_scored(known, edit)
            # An edit that changes nothing has a loss of exactly 0: rounding must not rank it.
            lost = before - next(rescored) if changed else np.zeros_like(before)
            check_finite(lost, self.model)
            yield RemovalLoss.of(target, passage, lost, known, unread)


def _select_scored(known: FloatArray, edit: Edit) -> FloatArray:
    """Return the log-probabilities, in the original story, of the tokens that are scored after an edit.

    `known` are those of all tokens but the first.
    """
    scored = edit.follows(len(known) + 1)
    return known[scored.start - 1 : scored.stop - 1]


def _estimate_far(
    task: RemovalTask, passage: Passage, targets: list[Target], known: FloatArray
) -> list[FarLoss]:
    """Return the estimated loss of the tokens beyond the horizon, for each target (0 if there are none)."""
    if task.horizon is None or not any(target.rest for target in targets):
        return [FarLoss()] * len(targets)
    ids = [token for sentence in task.tokens[passage.first : passage.last] for token in sentence]
    gains = add_up_gains(
        ids,
        [edge - 1 for edge in passage.edges],  # without the start-of-text token
        known[: len(ids)],
        [target.sentence - passage.first for target in targets],
        task.horizon,
        stops=[target.end - 1 for target in targets],
    )
    return [FarLoss.of(row, rest=target.rest) for row, target in zip(gains, targets, strict=True)]
