"""How sure a score is: between which values it moves, and whether its place at the top holds.

A score rests on what happens to be there: on the later sentences that lose, or on the parts of a sum. Drawn
anew many times (`salience.resampling`), it tells how far it hangs on single ones of them. That says nothing
about whether readers would agree.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from barthes.models.language_model import FloatArray

__all__ = ["SURE", "Stability", "Verdict", "count_top"]

SURE = 0.8
"""In at least this share of the draws a sentence is among the top tenth, for us to be sure of it."""

Verdict = Literal["sure", "doubtful"]

_LOW, _HIGH = 5, 95  # percentiles


@dataclass(frozen=True)
class Stability:
    """What became of each score in many draws.

    Attributes:
        low: The 5th percentile of the draws of each sentence's score, in the unit of the scores.
        high: The 95th percentile.
        share: In which share of the draws the sentence is among the top tenth of the story (`count_top`).
            Sentences that share the last of these places share it evenly. 0 where too little follows a
            sentence to draw from, and for one that is alone.
        draws: Shape (draws, sentences); None for what was read from a file.
        drawn: Which sentences could be drawn in earnest; None for all of them.

    >>> stability = Stability.from_draws(np.array([[0.5, 0.25], [1.0, 0.0], [0.25, 0.75], [0.5, 0.5]]))
    >>> stability.share
    (0.625, 0.375)
    >>> stability.judge(ranks=(1, 2))
    ('doubtful', None)
    """

    low: tuple[float, ...]
    high: tuple[float, ...]
    share: tuple[float, ...]
    draws: FloatArray | None = field(default=None, repr=False, compare=False)
    drawn: npt.NDArray[np.bool_] | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not len(self.low) == len(self.high) == len(self.share):
            raise ValueError(f"{len(self.low)}, {len(self.high)} and {len(self.share)} figures")

    def __len__(self) -> int:
        return len(self.share)

    @classmethod
    def from_draws(cls, draws: FloatArray, *, drawn: npt.NDArray[np.bool_] | None = None) -> Stability:
        """The figures of an array of draws, shape (draws, sentences).

        Args:
            draws: One row a draw.
            drawn: Which sentences could be drawn in earnest; of the others we are never sure.
        """
        low, high = np.percentile(draws, (_LOW, _HIGH), axis=0)
        share = _share_places(draws)
        if draws.shape[1] == 1:
            share = np.zeros(1)  # it has no rivals, so that nothing is said about its place
        elif drawn is not None:
            share = np.where(drawn, share, 0.0)
        return cls(tuple(low.tolist()), tuple(high.tolist()), tuple(share.tolist()), draws, drawn)

    @classmethod
    def from_rows(cls, rows: Sequence[Mapping[str, Any]]) -> Stability | None:
        """The figures of sentences as JSON shows them; None where they are missing.

        Raises:
            ValueError: A figure is infinite or not a number.
        """
        names = ("low", "high", "stability")
        if any(row.get(name) is None for row in rows for name in names):
            return None
        low, high, share = (tuple(float(row[name]) for row in rows) for name in names)
        if not all(map(math.isfinite, (*low, *high, *share))):
            raise ValueError("a figure is not finite")
        return cls(low, high, share)

    def without_draws(self) -> Stability:
        """The same figures, for those who keep many: draws take 1,600 bytes a sentence."""
        return Stability(self.low, self.high, self.share)

    def judge(self, ranks: Sequence[int]) -> tuple[Verdict | None, ...]:
        """Which sentences of the top tenth belong there surely, and which are there by their rank only.

        None for all others, and for a single sentence, which has no rivals.
        """
        top = count_top(len(self)) if len(self) > 1 else 0
        return tuple(
            None if rank > top else "sure" if share >= SURE else "doubtful"
            for share, rank in zip(self.share, ranks, strict=True)
        )


def count_top(sentences: int) -> int:
    """How many sentences are the top tenth of a story: at least one.

    >>> count_top(3), count_top(10), count_top(11)
    (1, 1, 2)
    """
    return -(-sentences // 10)


def _share_places(draws: FloatArray) -> FloatArray:
    """In which share of the draws each sentence has one of the places at the top.

    By rank, ties go to the earlier sentence. That is a convention and no reason to be sure; so here those
    that are tied for the last places have equal parts in them, and all shares add up to the places.
    """
    count, sentences = draws.shape
    top = count_top(sentences)
    last = np.partition(draws, sentences - top, axis=1)[:, sentences - top, np.newaxis]
    above, tied = draws > last, draws == last
    parts = (top - above.sum(axis=1)) / tied.sum(axis=1)
    share: FloatArray = (above.sum(axis=0) + np.einsum("b,bj->j", parts, tied)) / count
    return share.clip(max=1.0)  # rounding may add a little
