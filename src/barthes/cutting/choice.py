"""Choose the sentences to cut: cheap for the rest of the story, and unimportant to readers.

::

    cost (rank) ──────────┐
                          ├─▶ price ─▶ cheapest passage that nothing kept refers to ─▶ cut it ─┐
    importance (rank) ────┘                       ▲                                            │
                                                  └──────── until the text is short enough ◀───┘

A passage is a sentence together with all sentences that refer to it, so that no reference is left without its
object. If only expensive passages are left, sentences that are referred to loosely may go alone.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from barthes.cutting.references import References
from barthes.models.language_model import FloatArray

IMPORTANCE = 0.65
"""The weight of the importance to readers in the price, against that of the cost."""

CHEAP = 0.4
"""The highest price at which loose references count too; prices are from 0 to 1, but for the ending."""

ENDING, SURCHARGE = 0.2, 0.25
"""The share of the words that are the ending, and what its sentences cost more: little follows that tells."""


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
        passages = _list_passages(prices, words, references, stays, gone, excess + slack)
        _, passage = min(passages)
        gone += passage
        excess -= sum(words[k] for k in passage)
    return gone


def _list_passages(
    prices: FloatArray,
    words: Sequence[int],
    references: References,
    stays: Collection[int],
    gone: Collection[int],
    most: float,
) -> list[tuple[float, list[int]]]:
    """Return the passages that may go, each with its price, of the strictest kind that is cheap enough."""
    free = [k for k in range(len(words)) if k not in stays and k not in gone]
    found: list[tuple[float, list[int]]] = []
    for needed in (references.all, references.firm):
        groups = (_collect(k, needed, gone) for k in free)
        found = [
            (_average(prices, words, group), group)
            for group in groups
            if not set(group) & set(stays) and sum(words[k] for k in group) <= most
        ]
        if found and (needed is references.firm or min(found)[0] <= CHEAP):
            return found
    if found:
        return found
    short = [k for k in free if words[k] <= most] or [min(free, key=lambda k: words[k])]
    return [(float(prices[k]), [k]) for k in short]


def _collect(first: int, needed: Sequence[Collection[int]], gone: Collection[int]) -> list[int]:
    """Return a sentence with all that refer to it, directly or not, and are not cut yet."""
    group, waiting = set[int](), [first]
    while waiting:
        k = waiting.pop()
        if k not in group and k not in gone:
            group.add(k)
            waiting += needed[k]
    return sorted(group)


def _average(prices: FloatArray, words: Sequence[int], group: Sequence[int]) -> float:
    return float(np.average(prices[group], weights=[max(1, words[k]) for k in group]))


def find_broken(references: References, gone: Collection[int]) -> list[int]:
    """Return the kept sentences that refer firmly to one that was cut."""
    return sorted({k for cut in gone for k in references.firm[cut]} - set(gone))
