"""Influence: how much each sentence depends on each earlier one (the paper's last table).

Removing S_j changes only later sentences in its window, so values are stored as a narrow band, not a matrix.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from barthes.models.language_model import FloatArray


@dataclass(frozen=True, eq=False)
class Influence:
    """The loss of each later sentence when a sentence is removed; nats per token.

    Attributes:
        columns: For each sentence j, the losses of the sentences j + 1, j + 2, … as far as they were read.

    >>> Influence((np.array([0.5, 0.25]), np.array([1.0]), np.array([]))).to_array()
    array([[ nan,  nan,  nan],
           [0.5 ,  nan,  nan],
           [0.25, 1.  ,  nan]])
    """

    columns: tuple[FloatArray, ...]

    def to_array(self) -> FloatArray:
        """Return the matrix, shape (n, n): [i, j] is what S_i loses when S_j is removed; NaN if unknown."""
        dense = np.full((len(self.columns), len(self.columns)), np.nan)
        for j, column in enumerate(self.columns):
            dense[j + 1 : j + 1 + len(column), j] = column
        return dense

    def to_lists(self) -> list[list[float | None]]:
        """Return the columns as plain numbers, for JSON."""
        return to_lists(self.columns)

    def average(self, starts: Sequence[int]) -> Influence:
        """Return the influence between groups of sentences: the mean of all known losses between two groups.

        It is what a sentence of the later group loses, on average, when one of the earlier group is removed;
        NaN if none is known. `starts` are the first sentences of the groups, from 0.

        >>> Influence((np.array([0.5, 0.25]), np.array([1.0]), np.array([]))).average([0, 2]).columns
        (array([0.625]), array([], dtype=float64))
        """
        groups = np.searchsorted(starts, np.arange(len(self.columns)), side="right") - 1
        sums, counts = np.zeros((2, len(starts), len(starts)))
        for j, column in enumerate(self.columns):
            known = np.isfinite(column)
            later = groups[j + 1 : j + 1 + len(column)][known]
            np.add.at(sums[groups[j]], later, column[known])
            np.add.at(counts[groups[j]], later, 1)
        means = np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)
        reach = [max(np.flatnonzero(row), default=k) for k, row in enumerate(counts)]
        return Influence(tuple(row[k + 1 : reach[k] + 1] for k, row in enumerate(means)))

    @classmethod
    def from_lists(cls, columns: Sequence[Sequence[Any]]) -> Influence:
        """Build it from the result of `to_lists`."""
        return cls(tuple(np.array(list(column), dtype=np.float64) for column in columns))  # None becomes NaN

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Influence) or len(self.columns) != len(other.columns):
            return False
        pairs = zip(self.columns, other.columns, strict=True)
        return all(np.array_equal(mine, its, equal_nan=True) for mine, its in pairs)


def to_lists(rows: Iterable[FloatArray]) -> list[list[float | None]]:
    """Return rows of numbers for JSON, with None for NaN."""
    return [[None if np.isnan(value) else float(value) for value in row] for row in rows]
