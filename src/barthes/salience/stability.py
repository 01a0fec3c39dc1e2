"""Bootstrap scores: their intervals, and how often a sentence is in the top tenth.

A score is a mean over later sentences, or a sum of parts. The Bayesian bootstrap (Rubin 1981) gives these
random weights and so shows how much a score depends on single ones::

    σ_b(S_k) = (Σ_j w_bj · |S_j| · loss_kj + far_bk) / (Σ_j w_bj · |S_j| + rest_k),     w_bj from Exp(1)

over the sentences j after k that were read. Equal weights give σ(S_k). Within a draw a sentence has the same
weight for every k, so that scores can be compared. The tokens that a preview has not read (rest) have the
weight 1, and their estimated loss (far) is drawn from a normal distribution with the error of the estimate.
The seed is fixed: the same scores give the same draws on every machine (with the same NumPy). This does not
measure agreement with readers.
"""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from barthes.models.language_model import FloatArray

if TYPE_CHECKING:
    from barthes.salience.measurement import RemovalLoss

DRAWS = 200
"""The number of bootstrap samples."""

FEWEST = 3
"""The number of later sentences that a score needs to be resampled."""

CERTAIN = 0.8
"""The share of the draws in which a sentence must be in the top tenth for its rank there to be certain."""

_LOW, _HIGH = 5, 95  # percentiles
_SEED = 1966


@dataclass(frozen=True)
class Stability:
    """The spread of each score over the bootstrap samples.

    Attributes:
        low: The 5th percentile of the draws of each sentence's score, in the unit of the scores. None for
            sentences that are not ranked or cannot be resampled.
        high: The 95th percentile, or None.
        share: The share of the draws in which the sentence is in the top tenth of the ranked sentences
            (`count_top`), or None. Sentences tied for the last of these places share it evenly. 0 for a
            single sentence.
        draws: Shape (draws, sentences); None for what was read from a file.
        drawn: Which sentences could be resampled; None for all of them.

    >>> stability = Stability.from_draws(np.array([[0.5, 0.25], [1.0, 0.0], [0.25, 0.75], [0.5, 0.5]]))
    >>> stability.share
    (0.625, 0.375)
    """

    low: tuple[float | None, ...]
    high: tuple[float | None, ...]
    share: tuple[float | None, ...]
    draws: FloatArray | None = field(default=None, repr=False, compare=False)
    drawn: npt.NDArray[np.bool_] | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not len(self.low) == len(self.high) == len(self.share):
            raise ValueError(f"{len(self.low)}, {len(self.high)} and {len(self.share)} figures")

    def __len__(self) -> int:
        return len(self.share)

    @classmethod
    def from_draws(
        cls,
        draws: FloatArray,
        *,
        drawn: npt.NDArray[np.bool_] | None = None,
        unranked: Container[int] = (),
    ) -> Stability:
        """Return the figures of draws, shape (draws, sentences).

        Sentences that are not `drawn` have no figures, nor have `unranked` ones, which do not count when the
        top tenth is found.
        """
        ends = np.percentile(draws, (_LOW, _HIGH), axis=0)
        ranked = [k for k in range(draws.shape[1]) if k not in unranked]
        known = [k for k in ranked if drawn is None or drawn[k]]
        share = np.zeros(draws.shape[1])
        if len(ranked) > 1:  # a single sentence has nothing to be ranked against
            share[ranked] = _share_places(draws[:, ranked])
        columns = np.full((3, draws.shape[1]), None)
        columns[:, known] = np.stack((*ends, share))[:, known]
        low, high, top = map(tuple, columns.tolist())
        return cls(low, high, top, draws, drawn)

    @classmethod
    def from_rows(cls, rows: Sequence[Mapping[str, Any]]) -> Stability | None:
        """Return the figures from rows of JSON; None if no row has any.

        Raises:
            ValueError: A figure is infinite or not a number.
        """
        low, high, share = (
            tuple(None if row.get(name) is None else float(row[name]) for row in rows)
            for name in ("low", "high", "stability")
        )
        known = [figure for figure in (*low, *high, *share) if figure is not None]
        if not all(map(math.isfinite, known)):
            raise ValueError("a figure is not finite")
        return cls(low, high, share) if known else None

    def find_uncertain(self, ranks: Sequence[int | None]) -> frozenset[int]:
        """Return which sentences are in the top tenth in fewer than 80 % of the samples, though ranked there.

        Empty for stories with fewer than ten ranked sentences, which have no top tenth.
        """
        ranked = sum(rank is not None for rank in ranks)
        if ranked < 10:
            return frozenset()
        rows = enumerate(zip(ranks, self.share, strict=True))
        top = count_top(ranked)
        return frozenset(
            k for k, (rank, share) in rows if rank is not None and rank <= top and (share or 0.0) < CERTAIN
        )


def count_top(sentences: int) -> int:
    """Return how many sentences make up the top tenth of a story: at least one.

    >>> count_top(3), count_top(10), count_top(11)
    (1, 1, 2)
    """
    return -(-sentences // 10)


def _share_places(draws: FloatArray) -> FloatArray:
    """Return the share of the draws in which each sentence is in the top tenth.

    Sentences tied for the last places share them evenly, so that all shares add up to the number of places.
    """
    count, sentences = draws.shape
    top = count_top(sentences)
    last = np.partition(draws, sentences - top, axis=1)[:, sentences - top, np.newaxis]
    above, tied = draws > last, draws == last
    parts = (top - above.sum(axis=1)) / tied.sum(axis=1)
    share: FloatArray = (above.sum(axis=0) + np.einsum("b,bj->j", parts, tied)) / count
    return share.clip(max=1.0)  # rounding may add a little


def measure_stability(losses: Sequence[RemovalLoss]) -> Stability | None:
    """Bootstrap the scores of a story's sentences; return None if it has too few.

    Sentences with fewer than `FEWEST` later ones (in a preview: none that was read) are not resampled. The
    last one is not ranked, because its score rests on the end-of-text token alone.

    Args:
        losses: One per sentence, in story order.
    """
    fewest = [FEWEST if loss.rest == 0 else 1 for loss in losses]  # estimates have an error of their own
    drawn = np.array([np.count_nonzero(loss.tokens) >= few for loss, few in zip(losses, fewest, strict=True)])
    if not drawn.any():
        return None
    draws = draw_losses(losses, weigh_sentences(len(losses)), draw_errors(losses))
    return Stability.from_draws(draws, drawn=drawn, unranked=[len(losses) - 1])


def weigh_sentences(count: int) -> FloatArray:
    """Return the weights of a story's sentences, shape (sentences, draws), mean 1.

    The first sentences of a longer story have the same weights.
    """
    return np.random.default_rng(_SEED).standard_exponential((count, DRAWS))


def weigh_parts(names: Sequence[str]) -> FloatArray:
    """Return the weights of a sum's parts, shape (parts, draws); each draw adds up to the number of parts.

    They depend on the names of the parts and not on their order.
    """
    weights = np.stack(
        [np.random.default_rng([_SEED, *name.encode()]).standard_exponential(DRAWS) for name in names]
    )
    scaled: FloatArray = len(names) * weights / weights.sum(axis=0)
    return scaled


def draw_losses(
    losses: Sequence[RemovalLoss], weights: FloatArray, errors: FloatArray | None = None
) -> FloatArray:
    """Return the scores under draws of weights and errors (sentences, draws), shape (draws, sentences)."""
    draws = np.empty((weights.shape[1], len(losses)))
    for k, loss in enumerate(losses):
        if not loss.tokens.any():
            draws[:, k] = loss.total
            continue
        known = weights[k + 1 : k + 1 + len(loss.tokens)]
        lost = np.where(loss.tokens > 0, loss.later, 0.0) * loss.tokens
        # einsum: the rounding of a matrix product depends on the number of threads.
        read = np.einsum("jb,j->b", known, loss.tokens)
        far = loss.far if errors is None else loss.far + errors[k]
        draws[:, k] = (np.einsum("jb,j->b", known, lost) + far) / (read + loss.rest)
    return draws


def draw_errors(losses: Sequence[RemovalLoss]) -> FloatArray:
    """Return draws of the errors of estimated losses, shape (losses, draws); nats, 0 for exact ones."""
    errors = np.zeros((len(losses), DRAWS))
    for k, loss in enumerate(losses):
        if loss.far_error:
            errors[k] = loss.far_error * np.random.default_rng([_SEED, k]).standard_normal(DRAWS)
    return errors


def expect_correlation(losses: Sequence[RemovalLoss]) -> float:
    """Return the Spearman correlation to expect between estimated scores and exact ones; NaN if undefined.

    It is the mean over draws of exact scores around the estimates. The last sentence, which is not ranked, is
    left out.
    """
    from scipy.stats import rankdata

    estimated = [loss for loss in losses if loss.tokens.any()]
    totals = np.array([loss.total for loss in estimated])
    if len(set(totals)) < 3:
        return math.nan
    lengths = np.array([loss.tokens.sum() + loss.rest for loss in estimated])
    ranks = rankdata(totals + (draw_errors(estimated) / lengths[:, np.newaxis]).T, axis=1)
    return float(np.mean([np.corrcoef(rankdata(totals), each)[0, 1] for each in ranks]))
