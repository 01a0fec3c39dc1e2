"""Choose the sentences whose joint removal makes the rest of a story least unlikely.

The cost of a set of cuts C is what the kept text loses, in nats::

    cost(C) = Σ log P(token | all before it) - log P(token | what is kept of that)      over all kept tokens

It is the sum of the costs of single cuts in the order they are made: each costs what the sentences after it
lose, less what the cut sentence itself had lost by earlier cuts, because it no longer counts. So of two
sentences that say the same, the second to be cut is expensive; a question and its answer are cheap together.

One sentence is cut after the other, always the one that is cheapest per word::

    measure all ──▶ the cheapest ── measured before the last cut? ── no ──▶ cut it ──▶ again, until the
                        ▲                         │ yes                                 text is short enough
                        └───── measure it again ◀─┘
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from barthes.models.language_model import FloatArray
from barthes.salience.method import Progress, silent
from barthes.salience.removal_loss import RemovalLoss

HORIZON = 128
"""Tokens after a cut that decide whether to make it. See `CutSearch`."""

_BATCH = 4  # candidates measured together; the model reads the shortened text once for all of them
_ATTEMPTS = 4  # searches without the costliest cut of those before

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
        affected: The later sentences at the time, with what each loses, nats.
    """

    index: int
    cost: float
    alone: float
    affected: dict[int, float]


class CutSearch:
    """Chooses sentences to cut, one after the other.

    A cut is chosen by the loss of the next `horizon` tokens per word. All later tokens would make sentences
    near the end look cheap, because little follows them. Where fewer than `horizon` tokens follow, their loss
    is extrapolated. The last sentence is never cut: nothing follows it that could lose by the cut.

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
        self.words: npt.NDArray[np.int64] = np.array(words)
        self._lengths = np.array(lengths)
        self._measure = measure
        self._window = window
        self._horizon = horizon
        self._known: dict[tuple[tuple[int, ...], int | None, int], RemovalLoss] = {}

    def search(
        self, target: int, *, protected: Collection[int] = (), progress: Progress = silent
    ) -> list[Step]:
        """Return the cuts of the cheapest of several runs.

        After each run, the costliest cut of the best one is protected, and the search repeated without it.
        """
        excess = int(self.words.sum()) - target
        best: list[Step] = []
        fixed, tried = frozenset(protected), frozenset[int]()
        for attempt in range(_ATTEMPTS + 1):
            costly = [step for step in best if step.cost > 0 and step.index not in tried]
            if attempt and not costly:
                break
            worst = {max(costly, key=lambda step: step.cost).index} if costly else set[int]()
            if attempt and excess > self._count_free(fixed | worst):
                break
            steps = []
            for step in self.run(target, protected=fixed | worst):
                steps.append(step)
                done = min(excess, int(self.words[[each.index for each in steps]].sum()))
                progress(attempt * excess + done, (_ATTEMPTS + 1) * excess)
            tried |= worst
            if not attempt or sum(step.cost for step in steps) < sum(step.cost for step in best):
                best, fixed = steps, fixed | worst
        progress((_ATTEMPTS + 1) * excess, (_ATTEMPTS + 1) * excess)
        return best

    def run(self, target: int, *, protected: Collection[int] = ()) -> Iterator[Step]:
        """Yield cuts until the kept sentences have at most `target` words.

        The caller makes sure that the protected sentences and the last one have no more.
        """
        count = len(self.words)
        self._kept = list(range(count))
        self._lost = np.zeros(count)  # what each kept sentence has lost so far, nats
        self._losses: dict[int, RemovalLoss] = {}  # as last measured
        self._prices: FloatArray = np.zeros(count)  # the loss within the horizon, nats, as last measured
        self._is_stale = np.ones(count, dtype=bool)
        excess = int(self.words.sum()) - target
        free = [k for k in self._kept[:-1] if k not in protected]
        self._look(free)
        alone = {k: sum(self._find_affected(k).values()) for k in free} if excess > 0 else {}
        while excess > 0:
            k = self._choose(free, excess)
            affected = self._find_affected(k)
            yield Step(k, float(sum(affected.values()) - self._lost[k]), float(alone[k]), affected)
            self._cut(k, affected)
            free.remove(k)
            excess -= int(self.words[k])

    def _count_free(self, protected: Collection[int]) -> int:
        """Return the number of words that may be cut."""
        return int(sum(size for k, size in enumerate(self.words[:-1]) if k not in protected))

    def _choose(self, free: Sequence[int], excess: int) -> int:
        """Return the sentence that is cheapest in the current text, of those that do not cut far too much."""
        slack = max(0.01 * self.words.sum(), self.words.mean() / 2)
        fitting = [k for k in free if self.words[k] <= excess + slack]
        fitting = fitting or [min(free, key=lambda k: (self.words[k], k))]
        while True:
            ranked = sorted(fitting, key=lambda k: (self._price(k, excess), self.words[k], k))
            if not self._is_stale[ranked[0]]:
                return ranked[0]
            self._look([k for k in ranked[: 2 * _BATCH] if self._is_stale[k]][:_BATCH])

    def _price(self, k: int, excess: int) -> float:
        """Return the cost of each word that brings the text nearer to its target."""
        cost = float(self._prices[k] - self._lost[k])
        useful = min(self.words[k], excess) if cost > 0 else self.words[k]
        return cost / max(1, int(useful))

    def _look(self, targets: Sequence[int]) -> None:
        """Measure some sentences in the current text."""
        targets = sorted(targets)
        for k, loss in zip(targets, self._get_losses(targets, self._horizon), strict=True):
            self._losses[k] = loss
            lost = np.nan_to_num(loss.later) * loss.tokens
            self._prices[k] = weigh_horizon(lost, loss.tokens, self._horizon)
            self._is_stale[k] = False

    def _get_losses(self, targets: Sequence[int], horizon: int | None) -> list[RemovalLoss]:
        """Return the losses of some sentences in the current text, measured once."""
        text = tuple(self._kept)
        missing = [k for k in targets if (text, horizon, k) not in self._known]
        if missing:
            measured = self._measure(self._kept, missing, horizon)
            self._known |= {(text, horizon, k): loss for k, loss in zip(missing, measured, strict=True)}
        return [self._known[text, horizon, k] for k in targets]

    def _find_affected(self, k: int) -> dict[int, float]:
        """Return what each sentence after k loses without it in the current text, nats."""
        loss = self._losses[k]
        if loss.rest:
            [loss] = self._get_losses([k], None)
        later = self._kept[self._kept.index(k) + 1 :][: len(loss.later)]
        return dict(zip(later, (np.nan_to_num(loss.later) * loss.tokens).tolist(), strict=True))

    def _cut(self, k: int, affected: dict[int, float]) -> None:
        """Remove a sentence, add to what the others have lost, and mark prices that may have changed."""
        for later, lost in affected.items():
            self._lost[later] += lost
        self._lost[k] = 0
        if self._window is None:
            self._is_stale[:] = True
        else:
            left = np.zeros_like(self._lengths)
            left[self._kept] = self._lengths[self._kept]
            middles = np.cumsum(left) - left / 2
            self._is_stale |= np.abs(middles - middles[k]) <= self._window
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
