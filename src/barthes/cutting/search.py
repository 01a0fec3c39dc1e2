"""Search for the sentences whose joint removal makes the rest of a story least unlikely.

The cost of a set of cuts C is what the kept text loses, in nats::

    cost(C) = Σ log P(token | all before it) - log P(token | what is kept of that)      over all kept tokens

It is the sum of the costs of single cuts in the order they are made: each costs what the sentences after it
lose, less what the cut sentence itself had lost by earlier cuts, because it no longer counts. So of two
sentences that say the same, the second to be cut is expensive; a question and its answer are cheap together.

The search is greedy and lazy: it cuts the sentence that is cheapest per word, after measuring its cost again
in the text as shortened so far. Other costs are as old as their last measurement. Sentences after which the
target could only be missed are left out (`reaches`). Then a cut that turned out costly is taken back and the
search repeated without it, which may cost less in all.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from barthes.models.language_model import FloatArray
from barthes.salience.method import Progress, silent
from barthes.salience.removal_loss import RemovalLoss

HORIZON = 128
"""Tokens after a cut that decide whether to make it. See `CutSearch`."""

BATCH = 4
"""Candidates measured together; the model reads the shortened text once for all of them."""

ATTEMPTS = 4
"""How many costly cuts are taken back, to see whether others cost less."""

TOLERANCE = 0.01
"""The share of a story's words that may be cut beyond the target without need; see `find_tolerance`."""

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
        self._known: dict[tuple[int, int | None, int], RemovalLoss] = {}
        self._begin()

    def _begin(self) -> None:
        """Go back to the whole story; what was measured is remembered."""
        count = len(self.words)
        self._kept = list(range(count))
        self._gone = 0  # a bit for each sentence that is cut: a small key of `_known`
        self._paid = np.zeros(count)  # what each kept sentence has lost so far, nats
        self.decisive: FloatArray = np.zeros(count)
        self.losses: dict[int, RemovalLoss] = {}
        self._is_stale = np.ones(count, dtype=bool)

    def search(
        self, target: int, *, protected: Collection[int] = (), progress: Progress = silent
    ) -> list[Step]:
        """Return the cheapest cuts of several runs, each of which protects a costly cut of those before."""
        excess, fixed, tried = int(self.words.sum()) - target, frozenset(protected), set[int]()
        tolerance = find_tolerance(self.words.tolist(), self._list_words(fixed), excess)
        work = (ATTEMPTS + 1) * excess

        def attempt(number: int, fixed: Collection[int]) -> list[Step]:
            steps, done = list[Step](), number * excess
            for step in self.run(target, protected=fixed, tolerance=tolerance):
                steps.append(step)
                done = min(done + int(self.words[step.index]), (number + 1) * excess)
                progress(done, work)
            return steps

        best = attempt(0, fixed)
        for number in range(1, ATTEMPTS + 1):
            costly = [
                (step.cost, step.index)
                for step in best
                if step.cost > 0
                and step.index not in tried
                and reaches(self._list_words(fixed | {step.index}), excess, tolerance)
            ]
            if not costly:
                break
            _, worst = max(costly)
            tried.add(worst)
            found = attempt(number, fixed | {worst})
            if sum(step.cost for step in found) < sum(step.cost for step in best):
                best, fixed = found, fixed | {worst}
        progress(work, work)
        return best

    def run(
        self, target: int, *, protected: Collection[int] = (), tolerance: int | None = None
    ) -> Iterator[Step]:
        """Yield cuts until the kept sentences have at most `target` words.

        They have as many as possible, or a little less: `tolerance`, by default that of `find_tolerance`. The
        caller makes sure that the protected sentences and the last one do not exceed the target.
        """
        self._begin()
        excess = int(self.words.sum()) - target
        free = [k for k in self._kept[:-1] if k not in protected]
        if tolerance is None:
            tolerance = find_tolerance(self.words.tolist(), self._list_words(protected), excess)
        self.look(free)
        alone = {k: float(sum(self._find_payers(k).values())) for k in free} if excess > 0 else {}
        while excess > 0:
            k = self._choose(free, excess, tolerance)
            payers = self._find_payers(k)
            yield Step(k, float(sum(payers.values()) - self._paid[k]), alone[k], payers)
            self._cut(k, payers)
            free.remove(k)
            excess -= int(self.words[k])

    def _list_words(self, protected: Collection[int]) -> list[int]:
        """Return the number of words of each sentence that may be cut."""
        return [int(size) for k, size in enumerate(self.words[:-1]) if k not in protected]

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
        for k, loss in zip(targets, self._get_losses(targets, self._horizon), strict=True):
            self.losses[k] = loss
            lost = np.nan_to_num(loss.later) * loss.tokens
            self.decisive[k] = weigh_horizon(lost, loss.tokens, self._horizon)
            self._is_stale[k] = False

    def _get_losses(self, targets: Sequence[int], horizon: int | None) -> list[RemovalLoss]:
        """Return the losses of some sentences in the current text, measured once."""
        keys = {k: (self._gone, horizon, k) for k in targets}
        if missing := [k for k in targets if keys[k] not in self._known]:
            measured = self._measure(self._kept, missing, horizon)
            self._known |= dict(zip((keys[k] for k in missing), measured, strict=True))
        return [self._known[keys[k]] for k in targets]

    def _find_payers(self, k: int) -> dict[int, float]:
        """Return what each sentence after k loses without it in the current text, nats."""
        loss = self.losses[k]
        if loss.rest:
            [loss] = self._get_losses([k], None)
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
            left = np.zeros_like(self._lengths)
            left[self._kept] = self._lengths[self._kept]
            middles = np.cumsum(left) - left / 2
            self._is_stale |= np.abs(middles - middles[k]) <= self._window
        self._gone |= 1 << k
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


def find_tolerance(words: Sequence[int], free: Sequence[int], need: int) -> int:
    """Return how many words may be cut beyond `need`.

    Those that whole sentences force, and 1 % of the story's words or half a sentence of mean length.

    Args:
        words: The number of words of each sentence.
        free: Those of the sentences that may be cut.
        need: The number of words to cut.

    >>> find_tolerance([5, 7, 9, 7], [5, 7, 9], 6)
    4
    """
    return find_overshoot(free, need) + int(max(TOLERANCE * sum(words), sum(words) / len(words) / 2))


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
