"""Which sentence rests on which, small enough to travel inside a page."""

from __future__ import annotations

from typing import Any

import numpy as np

from barthes.models.language_model import FloatArray
from barthes.salience.influence import Influence

__all__ = ["MOST", "describe_influence"]

MOST = 150_000
"""Values that a page holds at most: about a megabyte, and drawn in a blink."""


def describe_influence(influence: Influence | None, *, most: int = MOST) -> dict[str, Any] | None:
    """The losses as plain lists.

    `columns[j]` has the losses of the sentences j + 1, j + 2, … when S_j is removed (None where nothing is
    known), nats per token, to four digits. Where there are more than `most`, `pairs[j]` has only the
    strongest of each sentence as a flat list later, loss, later, loss …, and `kept` says how many at most.

    >>> describe_influence(Influence((np.array([0.5, np.nan]), np.array([1.0]), np.array([]))))
    {'columns': [[0.5, None], [1.0], []], 'pairs': None, 'kept': None}
    """
    if influence is None:
        return None
    sizes = sum(map(len, influence.columns))
    if sizes <= most:
        return {"columns": [_plain(column) for column in influence.columns], "pairs": None, "kept": None}
    kept = max(1, most // len(influence.columns))
    pairs = [_strongest(j, column, kept) for j, column in enumerate(influence.columns)]
    return {"columns": None, "pairs": pairs, "kept": kept}


def _plain(column: FloatArray) -> list[float | None]:
    return [_round(value) if np.isfinite(value) else None for value in column]


def _strongest(j: int, column: FloatArray, kept: int) -> list[float | int]:
    size = np.where(np.isfinite(column), np.abs(column), -1.0)
    places = np.sort(np.argsort(-size, kind="stable")[:kept])
    return [item for i in places if size[i] >= 0 for item in (j + 1 + int(i), _round(column[i]))]


def _round(value: float) -> float:
    return float(f"{value:.4g}")
