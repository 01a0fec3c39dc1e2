"""Ranks: 1 for the most salient; ties go to what comes earlier in the story."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["rank_scores"]


def rank_scores(scores: Sequence[float]) -> tuple[int, ...]:
    """The rank of each score.

    >>> rank_scores([0.5, -1.0, 0.5])
    (1, 3, 2)
    """
    order = sorted(range(len(scores)), key=lambda k: (-scores[k], k))
    ranks = [0] * len(order)
    for rank, k in enumerate(order, start=1):
        ranks[k] = rank
    return tuple(ranks)
