"""Choose the sentences to cut: cheap for the rest of the story, and unimportant to readers.

::

    cost (rank) ──────────┐
                          ├─▶ price ─▶ cheapest passage ─▶ cut it ─┐
    importance (rank) ────┘               ▲                        │
                                          └──── until the text is short enough ◀───┘

A passage is a sentence together with all sentences that refer to it firmly, so that no such reference is left
without its object. Each loose reference that would break raises its price.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from barthes.cutting.references import References
from barthes.models.language_model import FloatArray

IMPORTANCE = 0.65
"""The weight of the importance to readers in the price, against that of the cost."""

LOOSE = 0.15
"""What each loose reference that a cut breaks adds to the price, which is from 0 to 1 before the ending."""

ENDING, SURCHARGE = 0.2, 0.25
"""The share of the words that are the ending, and what is added to the prices there: too little follows."""


def find_prices(
    costs: Sequence[float], importance: Sequence[float] | None, words: Sequence[int]
) -> FloatArray:
    """Return the price of each sentence: ranks of its cost per word and its importance, weighted.

    >>> find_prices([1.0, 6.0, 4.0], [5.0, 0.0, 9.0], [10, 10, 10]).round(3).tolist()
    [0.325, 0.35, 1.075]
    """
    sizes = np.maximum(1, words)
    prices: FloatArray = _rank(np.array(costs) / sizes)
    if importance is not None:
        prices = (1 - IMPORTANCE) * prices + IMPORTANCE * _rank(importance)
    prices[np.cumsum(sizes) > (1 - ENDING) * sizes.sum()] += SURCHARGE
    return prices


def _rank(values: Sequence[float] | FloatArray) -> FloatArray:
    order = np.argsort(np.argsort(values, kind="stable"), kind="stable")
    return order / max(1, len(values) - 1)


def choose(
    prices: FloatArray,
    words: Sequence[int],
    target: int,
    references: References,
    *,
    fixed: Collection[int] = (),
) -> list[int]:
    """Return the sentences to cut, in the order in which they are chosen.

    Args:
        prices: The price of each sentence.
        words: The number of words of each.
        target: The number of words to keep at most.
        references: Which later sentences refer to each.
        fixed: Sentences that stay, besides the last.
    """
    stays = {*fixed, len(words) - 1}
    gone: list[int] = []
    excess = sum(words) - target
    slack = max(0.01 * sum(words), float(np.mean(words)) / 2)
    while excess > 0:
        free = [k for k in range(len(words)) if k not in stays and k not in gone]
        passages = [_collect(k, references.firm, gone) for k in free]
        fitting = [
            each
            for each in passages
            if stays.isdisjoint(each) and sum(words[k] for k in each) <= excess + slack
        ]
        fitting = fitting or [[k] for k in free if words[k] <= excess + slack]
        fitting = fitting or [[min(free, key=lambda k: words[k])]]
        cut = min(fitting, key=lambda each: _price(each, prices, words, references, gone))
        gone += cut
        excess -= sum(words[k] for k in cut)
    return gone


def _collect(first: int, needed: Sequence[Collection[int]], gone: Collection[int]) -> list[int]:
    """Return a sentence with all that refer to it, directly or not, and are not cut yet."""
    group, waiting = set[int](), [first]
    while waiting:
        k = waiting.pop()
        if k not in group and k not in gone:
            group.add(k)
            waiting += needed[k]
    return sorted(group)


def _price(
    group: Sequence[int],
    prices: FloatArray,
    words: Sequence[int],
    references: References,
    gone: Collection[int],
) -> float:
    """Return the mean price per word of a passage, with what is added for loose references."""
    broken = {later for k in group for later in references.loose[k]} - {*group, *gone}
    mean = np.average(prices[group], weights=[max(1, words[k]) for k in group])
    return float(mean) + LOOSE * len(broken)
