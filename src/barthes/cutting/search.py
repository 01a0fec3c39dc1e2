"""Search for the sentences whose joint removal makes the rest of a story least unlikely.

The cost of a set of cuts C is what the kept text loses, in nats::

    cost(C) = Σ log P(token | all before it) - log P(token | what is kept of that)      over all kept tokens

It is the sum of the costs of single cuts in the order they are made: each costs what the sentences after it
lose, less what the cut sentence itself had lost by earlier cuts, because it no longer counts. So of two
sentences that say the same, the second to be cut is expensive; a question and its answer are cheap together.

The search is greedy and lazy: it cuts the sentence that is cheapest per word, after measuring its cost again
in the text as shortened so far. Other costs are as old as their last measurement.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from barthes.models.language_model import FloatArray
from barthes.salience.coherence_loss import RemovalLoss

HORIZON = 128
"""Tokens after a cut that decide whether to make it. See `CutSearch`."""

BATCH = 4
"""Candidates measured together; the model reads the shortened text once for all of them."""

Measure = Callable[[Sequence[int], Sequence[int]], Sequence[RemovalLoss]]
"""Measures the loss of each of the sentences `targets` in the text that consists of the sentences `kept`."""


@dataclass(frozen=True, slots=True)
class Step:
    """One cut of a search.

    Attributes:
        index: The sentence.
        cost: What the cut adds to the cost of the earlier ones, nats. Negative if the rest becomes likelier.
        alone: What the later sentences would lose if it were the only cut, nats.
        payers: The later sentences at the time, with what each loses, nats.
    """

    index: int
    cost: float
    alone: float
    payers: dict[int, float]


class CutSearch:
    """Chooses sentences to cut, one after the other.

    A cut is chosen by the loss of the next `horizon` tokens per word. All later tokens would make sentences
    near the end look cheap, because little follows them. Where fewer than `horizon` tokens follow, their loss
    is extrapolated. The last sentence is never cut: nothing follows it that could miss it.

    Args:
        words: The number of words of each sentence.
        lengths: The number of tokens of each sentence.
        measure: Measures losses with a language model.
        window: Tokens that the model reads at once; None if it reads the text as a whole. A cut changes the
            costs of other sentences in its window.
        horizon: Tokens after a cut that decide; None for all.
    """

    def __init__(
        self,
        words: Sequence[int],
        lengths: Sequence[int],
        measure: Measure,
        *,
        window: int | None = None,
        horizon: int | None = HORIZON,
    ) -> None:
        self._words = np.array(words)
        self._lengths = np.array(lengths)
        self._measure = measure
        self._window = window
        self._horizon = horizon
        count = len(words)
        self._kept = list(range(count))
        self._paid = np.zeros(count)  # what each kept sentence has lost so far, nats
        self._decisive = np.zeros(count)  # its last known loss within the horizon
        self._payers: list[dict[int, float]] = [{} for _ in range(count)]
        self._is_stale = np.ones(count, dtype=bool)

    def run(self, target: int, *, protected: Collection[int] = ()) -> Iterator[Step]:
        """Yield cuts until the kept sentences have at most `target` words.

        The caller makes sure that the protected sentences and the last one do not exceed the target.
        """
        excess = int(self._words.sum()) - target
        free = [k for k in self._kept[:-1] if k not in protected]
        self._look(free)
        alone = {k: sum(self._payers[k].values()) for k in free}
        while excess > 0:
            k = self._choose(free, excess)
            payers = self._payers[k]
            yield Step(k, float(sum(payers.values()) - self._paid[k]), alone[k], payers)
            self._cut(k)
            free.remove(k)
            excess -= int(self._words[k])

    def _choose(self, free: Sequence[int], excess: int) -> int:
        """Return the cheapest candidate, measured in the current text."""
        while True:
            ranked = sorted(free, key=lambda k: (self._price(k, excess), self._words[k], k))
            if not self._is_stale[ranked[0]]:
                return ranked[0]
            self._look([k for k in ranked[: 2 * BATCH] if self._is_stale[k]][:BATCH])

    def _price(self, k: int, excess: int) -> float:
        """Return the cost per word that brings the text nearer to its target."""
        cost = float(self._decisive[k] - self._paid[k])
        useful = min(self._words[k], excess) if cost > 0 else self._words[k]
        return cost / max(1, int(useful))

    def _look(self, targets: Sequence[int]) -> None:
        """Measure some sentences in the current text."""
        targets = sorted(targets)
        place = {k: i for i, k in enumerate(self._kept)}
        for k, loss in zip(targets, self._measure(self._kept, targets), strict=True):
            lost = np.nan_to_num(loss.later) * loss.tokens
            later = self._kept[place[k] + 1 :][: len(lost)]
            self._payers[k] = dict(zip(later, lost.tolist(), strict=True))
            self._decisive[k] = weigh_horizon(lost, loss.tokens, self._horizon)
            self._is_stale[k] = False

    def _cut(self, k: int) -> None:
        """Remove a sentence, charge the sentences after it, and mark costs that may have changed."""
        for later, lost in self._payers[k].items():
            self._paid[later] += lost
        self._paid[k] = 0
        if self._window is None:
            self._is_stale[:] = True
        else:
            middles = np.cumsum(self._lengths) - self._lengths / 2
            self._is_stale |= np.abs(middles - middles[k]) <= self._window
        self._lengths[k] = 0
        self._kept.remove(k)


def weigh_horizon(lost: FloatArray, tokens: FloatArray, horizon: int | None) -> float:
    """Return the loss of the next `horizon` tokens in nats; a sentence that is cut off counts by its share.

    If fewer follow, their loss is extrapolated to the horizon.

    >>> lost, tokens = np.array([2.0, 4.0]), np.array([10.0, 20.0])
    >>> [weigh_horizon(lost, tokens, horizon) for horizon in (None, 20, 60)]
    [6.0, 4.0, 12.0]
    """
    if horizon is None:
        return float(lost.sum())
    before = np.cumsum(tokens) - tokens
    read = np.clip(horizon - before, 0, tokens)
    total = float((lost * read / np.maximum(tokens, 1)).sum())
    return total * horizon / max(1.0, float(read.sum()))
