"""Tension along a story, and the turning points that stand out from chance.

A unit turns the story if it is unexpected and has consequences: it does not follow from what came before
(surprise), and what follows depends on it (salience). Each of the two is replaced by its rank within the
story, so that neither its unit nor single high values decide; tension is the mean of both, smoothed.

A turning point is a peak of tension that rises higher above the valleys on both sides (its prominence) than
every peak in 95 % of the random orders of the same units. Of the stories whose units are in no particular
order, at most 5 % therefore have a turning point; many real ones have none. Its height would not do: surprise
is high at the beginning, where little is known, and salience per token at the end, where little follows.
There is no template of where turning points should be.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from barthes.models.language_model import FloatArray
from barthes.salience.combination import rank_from_lowest

FEWEST = 20
"""The number of units that a story needs to have turning points."""

ORDERS = 500
"""The number of random orders."""

CHANCE = 0.05
"""The share of random orders that may have a peak as prominent as a turning point."""

_SEED = 1970
_ROUNDING = 1e-9  # smaller peaks are rounding errors


@dataclass(frozen=True)
class Tension:
    """The tension of each unit of a story.

    Attributes:
        values: From 0 to 1; None for units whose surprise is unknown or that are not ranked.
        raw: The values of the other units before smoothing, in story order.
    """

    values: tuple[float | None, ...]
    raw: FloatArray = field(repr=False, compare=False)

    @classmethod
    def measure(
        cls, surprise: Sequence[float | None], scores: Sequence[float], *, unranked: Container[int] = ()
    ) -> Tension:
        """Return the tension of units with a surprise and a salience each.

        >>> Tension.measure([5.0, 3.0, 4.0], [0.1, 0.3, 0.2]).values
        (0.5, 0.5, 0.5)
        """
        known = [k for k, each in enumerate(surprise) if each is not None and k not in unranked]
        if not known:
            return cls((None,) * len(surprise), np.empty(0))
        ranks = [rank_from_lowest([column[k] for k in known]) for column in (surprise, scores)]  # type: ignore[misc]
        raw = (ranks[0] + ranks[1] - 1) / (2 * len(known))
        values: list[float | None] = [None] * len(surprise)
        for k, value in zip(known, smooth(raw).tolist(), strict=True):
            values[k] = value
        return cls(tuple(values), raw)

    @cached_property
    def turning_points(self) -> tuple[int, ...]:
        """The units, in story order, at which tension peaks more prominently than in random orders."""
        if len(self.raw) < FEWEST:
            return ()
        random = np.random.default_rng(_SEED)
        most = [_find_peaks(smooth(random.permutation(self.raw)))[1].max(initial=0.0) for _ in range(ORDERS)]
        limit = np.quantile(most, 1 - CHANCE, method="higher")
        places = [k for k, value in enumerate(self.values) if value is not None]
        peaks, prominences = _find_peaks(smooth(self.raw))
        return tuple(places[i] for i in peaks[prominences > limit])


def smooth(scores: Sequence[float] | FloatArray) -> FloatArray:
    """Smooth scores with a Gaussian whose width grows with the story.

    >>> smooth([1.0, 1.0, 1.0]).tolist()
    [1.0, 1.0, 1.0]
    """
    values = np.asarray(scores, dtype=np.float64)
    width = max(1.0, len(values) / 45)
    far = int(np.ceil(2.5 * width))
    kernel = np.exp(-0.5 * (np.arange(-far, far + 1) / width) ** 2)
    ones = np.ones_like(values)
    sums, weights = (np.convolve(each, kernel)[far : far + len(values)] for each in (values, ones))
    smoothed: FloatArray = sums / weights
    return smoothed


def _find_peaks(curve: FloatArray) -> tuple[npt.NDArray[np.intp], FloatArray]:
    """Return where the curve has a peak (never at its ends), and the prominence of each."""
    from scipy.signal import find_peaks

    peaks, found = find_peaks(curve, prominence=_ROUNDING)
    return peaks, found["prominences"]
