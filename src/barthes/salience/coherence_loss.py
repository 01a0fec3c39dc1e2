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

import math
from collections.abc import Iterator, Sequence
from itertools import compress, pairwise

import numpy as np

from barthes.models.language_model import Edit, FloatArray, LanguageModel, check_finite
from barthes.salience.checkpoint import Checkpoint
from barthes.salience.measurement import RemovalLoss
from barthes.salience.method import Progress, silent
from barthes.salience.passage import Passage, Target
from barthes.salience.recurrence import add_up_gains, estimate_loss
from barthes.salience.removal_task import RemovalTask


def measure_losses(
    model: LanguageModel,
    task: RemovalTask,
    *,
    progress: Progress = silent,
    checkpoint: Checkpoint | None = None,
) -> list[RemovalLoss]:
    """Return the loss of each removal, in order; those that the checkpoint has are not measured again.

    Args:
        model: The language model that supplies the likelihoods.
        task: The story and its removals.
        progress: Called with the tokens read and the total.
        checkpoint: Keeps each loss as soon as it is known.

    Raises:
        ModelError: The model returned NaN or infinity.
    """
    checkpoint = checkpoint or Checkpoint()
    passages = task.divide()
    done, total = 0, sum(passage.cost for passage in passages)
    progress(done, total)
    for passage in passages:
        missing = [target for target in passage.targets if target.removal not in checkpoint.losses]
        done += passage.cost - sum(target.reach for target in missing)
        for target, loss in zip(missing, _measure_passage(model, task, passage, missing), strict=True):
            checkpoint.store(target.removal, loss)
            done += target.reach
            progress(done, total)
    progress(done, total)
    return [checkpoint.losses[k] for k in range(len(task.removals))]


def _measure_passage(
    model: LanguageModel, task: RemovalTask, passage: Passage, targets: Sequence[Target]
) -> Iterator[RemovalLoss]:
    """Read a passage and yield the loss of each target; without targets, nothing is read."""
    if not targets:
        return
    edits = [target.make_edit(task.replacements[target.removal]) for target in targets]
    changes = [
        list(edit.replacement) != task.tokens[target.sentence]
        for target, edit in zip(targets, edits, strict=True)
    ]
    reading = model.read(passage.join_tokens(task.tokens, model.start_token, model.end_token))
    rescored = reading.rescore(list(compress(edits, changes)))
    known = reading.log_probabilities
    gains = _add_up_far(task, passage, targets, known)
    for target, edit, changed, far_gains in zip(targets, edits, changes, gains, strict=True):
        before = _select_scored(known, edit)
        # An edit that changes nothing has a loss of exactly 0: rounding must not rank it.
        lost = before - next(rescored) if changed else np.zeros_like(before)
        check_finite(lost, model)
        yield _make_loss(passage, target, known, lost, far_gains)


def _select_scored(known: FloatArray, edit: Edit) -> FloatArray:
    """Return the log-probabilities, in the original story, of the tokens that are scored after an edit.

    `known` are those of all tokens but the first.
    """
    scored = edit.follows(len(known) + 1)
    return known[scored.start - 1 : scored.stop - 1]


def _add_up_far(
    task: RemovalTask, passage: Passage, targets: Sequence[Target], known: FloatArray
) -> FloatArray:
    """Return for each target the gains of tokens beyond the horizon (`barthes.salience.recurrence`)."""
    if task.horizon is None or not any(target.rest for target in targets):
        return np.zeros((len(targets), 0))
    ids = [token for sentence in task.tokens[passage.first : passage.last] for token in sentence]
    return add_up_gains(
        ids,
        [edge - 1 for edge in passage.edges],  # without the start-of-text token
        known[: len(ids)],
        [target.sentence - passage.first for target in targets],
        task.horizon,
        stops=[target.end - 1 for target in targets],
    )


def _make_loss(
    passage: Passage, target: Target, known: FloatArray, lost: FloatArray, far_gains: FloatArray
) -> RemovalLoss:
    """Return the loss of one removal.

    Args:
        passage: The passage that was read.
        target: The removal.
        known: The log-probabilities of all tokens of the passage but the first.
        lost: What each token that was read after the target lost, nats.
        far_gains: The gains of the tokens beyond the horizon.
    """
    far, far_error = estimate_loss(far_gains, target.rest)
    near = float(lost.sum() / target.follows if target.follows else lost.mean())
    own = -known[target.start - 1 : target.stop - 1]
    later, tokens = _split_by_sentence(passage, target, lost)
    return RemovalLoss(
        target.sentence,
        near + far / max(1, target.follows),
        later,
        tokens,
        target.rest,
        float(own.mean()) if own.size else math.nan,
        far,
        far_error,
    )


def _split_by_sentence(passage: Passage, target: Target, lost: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean loss of each later sentence that was read (NaN without tokens), and its tokens read."""
    edges = np.array(passage.edges[target.sentence - passage.first + 1 :]) - target.stop
    read = edges[: np.searchsorted(edges, target.reach) + 1].clip(max=target.reach)
    means = [lost[start:stop].mean() if start < stop else np.nan for start, stop in pairwise(read)]
    return np.array(means), np.diff(read).astype(np.float64)
