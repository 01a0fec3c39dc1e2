"""Scores drawn anew by the Bayesian bootstrap (Rubin 1981): what they rest on gets random weights.

::

    σ_b(S_k) = Σ_j w_bj · |S_j| · loss_kj / (Σ_j w_bj · |S_j| + rest_k),     w_bj from Exp(1)

over the sentences j after k that were read. Equal weights give σ(S_k). In one draw a sentence has the same
weight for every k, so that scores of two sentences can be compared within a draw. What was not read (beyond
the horizon of a preview) has lost nothing and keeps the weight 1. Weights come from a fixed seed: the same
scores have the same draws on every machine (with the same NumPy), in whatever batches or files they came.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from barthes.models.language_model import FloatArray
from barthes.salience.coherence_loss import Loss
from barthes.salience.stability import Stability

__all__ = ["DRAWS", "FEWEST", "draw_losses", "measure_stability", "weigh_parts", "weigh_sentences"]

DRAWS = 200
"""How often scores are drawn."""

FEWEST = 3
"""So many later sentences are needed for the draws of a score to say something."""

_SEED = 1966


def measure_stability(losses: Sequence[Loss]) -> Stability:
    """How far each score hangs on single later sentences.

    Of a sentence with fewer than `FEWEST` later ones we are never sure, nor where a preview has read less
    than two of them. The last one rests on the end-of-text token alone, and its draws are all the same.

    Args:
        losses: One a sentence, in story order.
    """
    drawn = np.array([_can_draw(loss) for loss in losses])
    return Stability.from_draws(draw_losses(losses, weigh_sentences(len(losses))), drawn=drawn)


def _can_draw(loss: Loss) -> bool:
    return bool(np.count_nonzero(loss.tokens) >= (FEWEST if loss.rest == 0 else FEWEST - 1))


def weigh_sentences(count: int) -> FloatArray:
    """The weights of a story's sentences, shape (sentences, draws), mean 1.

    The first sentences of a longer story have the same.
    """
    return np.random.default_rng(_SEED).standard_exponential((count, DRAWS))


def weigh_parts(names: Sequence[str]) -> FloatArray:
    """The weights of a sum's parts, shape (parts, draws); in each draw they add up to the number of parts.

    Args:
        names: Of the parts. Each has weights of its own, in whatever order they stand.
    """
    weights = np.stack(
        [np.random.default_rng([_SEED, *name.encode()]).standard_exponential(DRAWS) for name in names]
    )
    scaled: FloatArray = len(names) * weights / weights.sum(axis=0)
    return scaled


def draw_losses(losses: Sequence[Loss], weights: FloatArray) -> FloatArray:
    """The scores under each draw of the weights, shape (draws, sentences).

    Args:
        losses: One a sentence, in story order.
        weights: Shape (sentences, draws).
    """
    draws = np.empty((weights.shape[1], len(losses)))
    for k, loss in enumerate(losses):
        if not loss.tokens.any():
            draws[:, k] = loss.total
            continue
        known = weights[k + 1 : k + 1 + len(loss.tokens)]
        lost = np.where(loss.tokens > 0, loss.later, 0.0) * loss.tokens
        # By einsum and not by a matrix product, whose rounding goes by the number of threads.
        read = np.einsum("jb,j->b", known, loss.tokens)
        draws[:, k] = np.einsum("jb,j->b", known, lost) / (read + loss.rest)
    return draws
