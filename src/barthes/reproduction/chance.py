"""The random row of Table 2: a mean over some seeds, how far they scatter, and what they scatter around."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from barthes.corpora.tale import Tale
from barthes.evaluation.measuring import average_precisions
from barthes.evaluation.metrics import mean_over_stories
from barthes.reproduction.tale_scores import Run

__all__ = ["Chance", "expect_average_precision"]


@dataclass(frozen=True)
class Chance:
    """What random orders reach.

    Attributes:
        per_story: The average precision of each tale, the mean over seeds.
        sd: The standard deviation of MAP over seeds, of the sample; NaN for one seed.
        expected_per_story: The average precision of each tale over all orders of its sentences, without any
            seed; NaN where none is salient.
    """

    per_story: Mapping[str, float]
    sd: float
    expected_per_story: Mapping[str, float]

    @classmethod
    def measure(cls, runs: Sequence[Run], tales: Sequence[Tale]) -> Chance:
        """From the random scores of every seed."""
        draws = [average_precisions([run], tales) for run in runs]
        maps = [mean_over_stories(draw) for draw in draws]
        return cls(
            {tale.name: math.fsum(draw[tale.name] for draw in draws) / len(draws) for tale in tales},
            float(np.std(maps, ddof=1)) if len(maps) > 1 else math.nan,
            {tale.name: expect_average_precision(tale.labels) for tale in tales},
        )

    @property
    def expected(self) -> float:
        """MAP over all orders of the sentences."""
        return mean_over_stories(self.expected_per_story)

    @property
    def map(self) -> float:
        """The mean over tales and seeds."""
        return mean_over_stories(self.per_story)


def expect_average_precision(labels: Sequence[bool]) -> float:
    """The mean of average precision over all orders of the sentences; NaN where none is salient.

    Of n sentences R are salient. The one at place k is with probability R/n, and then each of the k - 1
    before it with probability (R - 1)/(n - 1); summed over k that is (H_n + (R - 1)/(n - 1) · (n - H_n)) / n.

    >>> expect_average_precision([True, False])  # (1 + 1/2) / 2
    0.75
    """
    n, salient = len(labels), sum(labels)
    if not salient:
        return math.nan
    harmonic = math.fsum(1 / k for k in range(1, n + 1))
    others = (salient - 1) / (n - 1) if n > 1 else 0.0
    return (harmonic + others * (n - harmonic)) / n
