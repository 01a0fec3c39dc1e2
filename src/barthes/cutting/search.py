"""Search for the sentences whose joint removal makes the rest of a story least unlikely.

The cost of a set of cuts C is what the kept text loses, in nats::

    cost(C) = Σ log P(token | all before it) - log P(token | what is kept of that)      over all kept tokens

It is the sum of the costs of single cuts in the order they are made: each costs what the sentences after it
lose, less what the cut sentence itself had lost by earlier cuts, because it no longer counts. So of two
sentences that say the same, the second to be cut is expensive; a question and its answer are cheap together.

The search is greedy and lazy: it cuts the sentence that is cheapest per word, after measuring its cost again
in the text as shortened so far. Other costs are as old as their last measurement. Sentences after which the
target could only be missed are left out (`reaches`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from barthes.models.language_model import FloatArray
from barthes.salience.coherence_loss import RemovalLoss

HORIZON = 128
"""Tokens after a cut that decide whether to make it. See `CutSearch`."""

BATCH = 4
"""Candidates measured together; the model reads the shortened text once for all of them."""

TOLERANCE = 0.01
"""The share of a story's words that may be cut beyond the target without need."""

Measure = Callable[[Sequence[int], Sequence[int], int | None], Sequence[RemovalLoss]]
"""Measures losses in the text that consists of the sentences `kept`.

The arguments are `kept`, the sentences to measure, and how many tokens after each to read; None for all.
"""


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

    Attributes:
        words: The number of words of each sentence.
        losses: What was last measured for each sentence.
        decisive: Its loss within the horizon, nats.
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
        self.words: npt.NDArray[np.int64] = np.array(words)
        self._lengths = np.array(lengths)
        self._measure = measure
        self._window = window
        self._horizon = horizon
        count = len(words)
        self._kept = list(range(count))
        self._paid = np.zeros(count)  # what each kept sentence has lost so far, nats
        self.decisive: FloatArray = np.zeros(count)
        self.losses: dict[int, RemovalLoss] = {}
        self._is_stale = np.ones(count, dtype=bool)

    def run(self, target: int, *, protected: Collection[int] = ()) -> Iterator[Step]:
        """Yield cuts until the kept sentences have at most `target` words.

        They have as many as possible, or up to 1 % of the story's words less. The caller makes sure that the
        protected sentences and the last one do not exceed the target.
        """
        total = int(self.words.sum())
        excess = total - target
        free = [k for k in self._kept[:-1] if k not in protected]
        needed = find_overshoot(self.words[free].tolist(), excess)
        tolerance = max(needed, int(TOLERANCE * total))
        self.look(free)
        alone = {k: float(sum(self._find_payers(k).values())) for k in free} if excess > 0 else {}
        while excess > 0:
            k = self._choose(free, excess, tolerance)
            payers = self._find_payers(k)
            yield Step(k, float(sum(payers.values()) - self._paid[k]), alone[k], payers)
            self._cut(k, payers)
            free.remove(k)
            excess -= int(self.words[k])

    def _choose(self, free: Sequence[int], excess: int, tolerance: int) -> int:
        """Return the cheapest candidate, measured in the current text."""

        def is_allowed(k: int) -> bool:
            others = [int(self.words[other]) for other in free if other != k]
            return reaches(others, excess - int(self.words[k]), tolerance)

        while True:
            ranked = sorted(free, key=lambda k: (self.price(k, excess), self.words[k], k))
            best = list(islice(filter(is_allowed, ranked), 2 * BATCH))
            if not self._is_stale[best[0]]:
                return best[0]
            self.look([k for k in best if self._is_stale[k]][:BATCH])

    def price(self, k: int, excess: int) -> float:
        """Return the cost per word that brings the text nearer to its target."""
        cost = float(self.decisive[k] - self._paid[k])
        useful = min(self.words[k], excess) if cost > 0 else self.words[k]
        return cost / max(1, int(useful))

    def look(self, targets: Sequence[int]) -> None:
        """Measure what decides about some sentences in the current text."""
        targets = sorted(targets)
        for k, loss in zip(targets, self._measure(self._kept, targets, self._horizon), strict=True):
            self.losses[k] = loss
            lost = np.nan_to_num(loss.later) * loss.tokens
            self.decisive[k] = weigh_horizon(lost, loss.tokens, self._horizon)
            self._is_stale[k] = False

    def _find_payers(self, k: int) -> dict[int, float]:
        """Return what each sentence after k loses without it in the current text, nats."""
        loss = self.losses[k]
        if loss.rest:
            [loss] = self._measure(self._kept, [k], None)
        later = self._kept[self._kept.index(k) + 1 :][: len(loss.later)]
        return dict(zip(later, (np.nan_to_num(loss.later) * loss.tokens).tolist(), strict=True))

    def _cut(self, k: int, payers: dict[int, float]) -> None:
        """Remove a sentence, charge the sentences after it, and mark costs that may have changed."""
        for later, lost in payers.items():
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


def reaches(words: Sequence[int], need: int, tolerance: int) -> bool:
    """Return whether some of the numbers add up to `need`, or to at most `tolerance` more.

    >>> reaches([5, 7], 6, 1), reaches([5, 7], 8, 1), reaches([], -3, 2)
    (True, False, False)
    """
    if need <= 0:
        return -need <= tolerance
    if sum(size for size in words if size <= tolerance + 1) >= need:  # none of them leaps over the range
        return True
    return bool(_find_sums(words, need + tolerance) >> need)


def find_overshoot(words: Sequence[int], need: int) -> int:
    """Return by how much the least sum of some of the numbers that is at least `need` exceeds it.

    >>> find_overshoot([5, 7, 9], 6), find_overshoot([5, 7, 9], 12)
    (1, 0)
    """
    reached = _find_sums(words, sum(words)) >> need
    return max(0, (reached & -reached).bit_length() - 1)


def _find_sums(words: Sequence[int], most: int) -> int:
    """Return a number whose bit i is set if some of the words add up to i, for i up to `most`."""
    sums, mask = 1, (1 << (most + 1)) - 1
    for size in words:
        sums |= (sums << size) & mask
    return sums
