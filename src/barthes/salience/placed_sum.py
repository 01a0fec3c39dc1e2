"""The placed sum of methods: their mean, and a prior for late sentences that fades as stories grow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from barthes.models.language_model import FloatArray
from barthes.salience.combination import Combination, scale_to_unit

__all__ = ["PLACED", "SHORT", "PlacedSum", "add_placed", "weigh_places"]

PLACED = "placed:"
"""How the name of a placed sum begins: ``placed:centroid+similarity``."""

SHORT = 5
"""Sentences of a story up to which the place counts as much as all methods together; beyond, SHORT / n."""


class PlacedSum(Combination):
    """The mean of the methods' min-max normalised scores, plus min(1, 5 / n) · (k - 1) / (n - 1) for S_k.

    Readers of a story of five sentences name its end as what matters; in longer stories the salient events
    are spread out, and where a sentence stands says little. From 0 to 2.

    Args:
        methods: At least one.

    >>> from barthes.baselines import Length
    >>> from barthes.narrative import Narrative
    >>> story = Narrative.from_sentences(["The old wolf came.", "It rained.", "The wolf left."])
    >>> method = PlacedSum(Length())
    >>> method.name, method.score(story).scores
    ('placed:length', (1.0, 0.5, 1.5))
    """

    @property
    def name(self) -> str:
        """``placed:`` and the names of the methods, joined by ``+``."""
        return PLACED + super().name

    def add_up(self, parts: Sequence[FloatArray]) -> FloatArray:
        """The scores of the sum from those of the methods, by `add_placed`."""
        return add_placed(parts)

    def complete(self, total: FloatArray) -> FloatArray:
        """Their mean and the prior of the place, which is the same in every draw."""
        return total / len(self.methods) + weigh_places(total.shape[1])


def add_placed(parts: Sequence[Sequence[float] | FloatArray]) -> FloatArray:
    """The mean of the scores of several methods, each brought to [0, 1], and the prior of the place.

    >>> add_placed([[0.0, 5.0, 10.0], [3.0, 1.0, 2.0]]).tolist()
    [0.5, 0.75, 1.75]
    """
    mean: FloatArray = np.mean([scale_to_unit(scores) for scores in parts], axis=0)
    return mean + weigh_places(len(mean))


def weigh_places(sentences: int) -> FloatArray:
    """The prior: it grows evenly from 0 to 1 in a short story, to SHORT / n in one of n sentences.

    >>> weigh_places(5).tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    >>> weigh_places(50).max().item()
    0.1
    """
    return np.linspace(0.0, min(1.0, SHORT / sentences), sentences)
