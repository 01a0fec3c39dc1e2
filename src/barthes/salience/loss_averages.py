"""Other averages of the losses of later sentences; the published one is their mean over tokens.

The first sentences of a story are averaged over hundreds of later tokens, the last ones over a few. Their
scores vary more, and so they come first and last in a ranking. Here a later sentence counts as one
observation, whatever its length: the tokens of a sentence lose or gain together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from barthes.salience.coherence_loss import RemovalLoss

PRIOR = 3
"""Degrees of freedom of the common spread: it counts as much as that of four later sentences."""

_ROUNDING = 1e-6  # nats per token; a smaller standard error is rounding


def average_sentences(losses: Sequence[RemovalLoss]) -> tuple[RemovalLoss, ...]:
    """Return the losses averaged over later sentences instead of tokens, nats per token.

    >>> [loss] = average_sentences([RemovalLoss(0, 0.25, np.array([1.0, 0.0]), np.array([2.0, 6.0]))])
    >>> loss.total, loss.tokens.tolist()
    (0.5, [1.0, 1.0])
    """
    return tuple(map(_average_sentences, losses))


def divide_by_errors(losses: Sequence[RemovalLoss]) -> tuple[RemovalLoss, ...]:
    """Return the losses of a story's removals, each divided by the standard error of its total.

    ::

        t_k  = σ(S_k) · √m / s_k                                    m sentences S_j come after S_k
        s_k² = (3 · s² + (m - 1) · v_k) / (3 + m - 1)
        v_k  = Σ_j (|S_j| / mean |S_j| · (loss_kj - σ(S_k)))² / (m - 1)

    v_k / m is the squared standard error of a ratio of means (Cochran 1977, 6.4), with sentences as
    clusters of tokens. Where few sentences follow, v_k is hardly known and a plain t statistic would be
    extreme by chance; s², the mean of all v_k of the story weighted by m - 1, moderates it (Smyth 2004).
    Where only the end of the text follows, m is 1. A story of two sentences has no spread to divide by, and
    its losses stay as they are.
    """
    spreads = [_measure_spread(loss) for loss in losses]
    degrees = sum(count for _, count in spreads)
    if not degrees:
        return tuple(losses)
    common = sum(variance * count for variance, count in spreads) / degrees
    return tuple(
        _divide(loss, math.sqrt((PRIOR * common + count * variance) / (PRIOR + count) / (count + 1)))
        for loss, (variance, count) in zip(losses, spreads, strict=True)
    )


def _average_sentences(loss: RemovalLoss) -> RemovalLoss:
    read = loss.tokens > 0
    if not read.any():  # only the end of the text follows
        return loss
    return replace(loss, total=float(loss.later[read].mean()), tokens=read.astype(np.float64))


def _measure_spread(loss: RemovalLoss) -> tuple[float, int]:
    """Return v_k and its degrees of freedom."""
    read = loss.tokens > 0
    count = int(read.sum()) - 1
    if count < 1:
        return 0.0, 0
    tokens = loss.tokens[read]
    deviations = tokens / tokens.mean() * (loss.later[read] - loss.total)
    return float((deviations**2).sum()) / count, count


def _divide(loss: RemovalLoss, error: float) -> RemovalLoss:
    error = max(error, _ROUNDING)
    return replace(loss, total=loss.total / error, later=loss.later / error)
