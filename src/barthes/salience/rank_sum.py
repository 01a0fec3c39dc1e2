"""The rank sum of methods: only the order counts in which each of them puts the sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from barthes.models.language_model import FloatArray
from barthes.salience.combination import Combination
from barthes.salience.method import Method

__all__ = ["RANKS", "RankSum", "add_ranks", "rank_from_lowest"]

RANKS = "ranks:"
"""How the name of a rank sum begins: ``ranks:words+position``."""


class RankSum(Combination):
    """The sum over the methods of the sentences' ranks, from the lowest score up, divided by their number.

    Unlike the min-max sum of `Combination` it does not mind how far apart scores are: one sentence that
    scores far above all others does not push the rest together. Rank sums inside rank sums are taken apart;
    other combinations in it are ranked as they are.

    Args:
        methods: At least two: one alone has the order that it had.

    >>> from barthes.baselines import Length, Position
    >>> from barthes.narrative import Narrative
    >>> story = Narrative.from_sentences(["The old wolf came.", "It rained.", "It snowed.", "The wolf left."])
    >>> method = RankSum(Length(), Position())
    >>> method.name, method.score(story).scores              # lengths 4, 2, 2, 3 have ranks 4, 1.5, 1.5, 3
    ('ranks:length+position', (1.25, 0.875, 1.125, 1.75))
    """

    def __init__(self, *methods: Method) -> None:
        super().__init__(*methods)
        if len(self.methods) < 2:
            raise ValueError("a rank sum needs at least two methods")

    @property
    def name(self) -> str:
        """``ranks:`` and the names of the methods, joined by ``+``."""
        return RANKS + super().name

    def add_up(self, parts: Sequence[FloatArray]) -> FloatArray:
        """The scores of the sum from those of the methods, by `add_ranks`."""
        return add_ranks(parts)

    def scale(self, scores: FloatArray) -> FloatArray:
        """The ranks by one method, divided by the number of sentences."""
        return rank_from_lowest(scores) / len(scores)


def add_ranks(parts: Sequence[Sequence[float] | FloatArray]) -> FloatArray:
    """The sum of the ranks of several methods' scores, divided by the number of sentences.

    In (0, number of methods]; any increasing transform of a method's scores gives the same.

    >>> add_ranks([[0.0, 5.0, 10.0, 99.0], [3.0, 1.0, 2.0, 2.0]]).tolist()
    [1.25, 0.75, 1.375, 1.625]
    """
    # Ranks are multiples of ½ and their sums exact. Divided before they are added up, equal sums would
    # differ by rounding, and rounding would decide which of two sentences comes first.
    total: FloatArray = np.sum([rank_from_lowest(scores) for scores in parts], axis=0)
    return total / len(total)


def rank_from_lowest(scores: Sequence[float] | FloatArray) -> FloatArray:
    """The rank of each score, 1 for the lowest; the mean rank for equal ones.

    >>> rank_from_lowest([-1.0, 0.5, 0.5, 9.0]).tolist()
    [1.0, 2.5, 2.5, 4.0]
    """
    values = np.asarray(scores, dtype=np.float64)
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: FloatArray = np.cumsum(counts) - (counts - 1) / 2
    return ranks[places]
