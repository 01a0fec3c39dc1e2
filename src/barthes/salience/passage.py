"""Passages: runs of sentences that the model reads at once, and their token positions.

A story that fits is one passage. A longer one has a passage for each window of appendix B, shared by all
sentences with that window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby, pairwise

import numpy as np

from barthes.models.language_model import Edit, FloatArray
from barthes.models.windows import find_windows

MARKS = 2
"""Tokens in every window that belong to no sentence: start and end of text."""


@dataclass(frozen=True, slots=True)
class Passage:
    """The sentences `first:last` of a story, read together to remove `targets` from them.

    Attributes:
        targets: The sentences from which something is removed, in order; repeated for several events.
        edges: Sentence `first + i` has the token positions ``edges[i] : edges[i + 1]``.
        ending: Whether it contains the end of the story, and so the end-of-text token.
        horizon: Tokens read again after a target; None for all.
    """

    first: int
    last: int
    targets: tuple[int, ...]
    edges: tuple[int, ...]
    ending: bool
    horizon: int | None = None

    @property
    def length(self) -> int:
        """The number of tokens of its sentences and the start-of-text token."""
        return self.edges[-1]

    @property
    def cost(self) -> int:
        """The number of tokens that the model reads: the passage, and what follows each target again."""
        return self.length + sum(map(self.reach, self.targets))

    def tokens(self, sentences: Sequence[Sequence[int]], start: int, end: int) -> list[int]:
        """Return the tokens that the model reads."""
        ids = [token for sentence in sentences[self.first : self.last] for token in sentence]
        return [start, *ids, *([end] if self.ending else [])]

    def with_lengths(self, lengths: Sequence[int]) -> Passage:
        """Return the passage with other numbers of tokens in the sentences of the story."""
        return replace(self, edges=tuple(accumulate(lengths[self.first : self.last], initial=1)))

    def edit(self, k: int, replacement: tuple[int, ...]) -> Edit:
        """Return the edit that replaces sentence k by `replacement`."""
        start, stop = self.edges[k - self.first], self.edges[k - self.first + 1]
        return Edit(start, stop, replacement, None if self.horizon is None else stop + self.horizon)

    def length_after(self, k: int) -> int:
        """Return the number of tokens of the sentences after k."""
        return self.length - self.edges[k - self.first + 1]

    def reach(self, k: int) -> int:
        """Return how many tokens after k are read again."""
        follows = self.length_after(k)
        return follows if self.horizon is None else min(follows, self.horizon)

    def mean(self, k: int, lost: FloatArray) -> float:
        """Return the mean over all later tokens (0 beyond the horizon), or over the end-of-text token."""
        follows = self.length_after(k)
        return float(lost[:follows].sum() / follows if follows else lost.mean())

    def by_later_sentence(self, k: int, lost: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return for each later sentence that was read the mean (NaN without tokens) and its tokens read."""
        edges = np.array(self.edges[k - self.first + 1 :])
        edges -= edges[0]
        read = edges[: np.searchsorted(edges, self.reach(k)) + 1].clip(max=self.reach(k))
        means = [lost[start:stop].mean() if start < stop else np.nan for start, stop in pairwise(read)]
        return np.array(means), np.diff(read).astype(np.float64)

    def measure_surprise(self, k: int, known: FloatArray) -> float:
        """Return the mean surprisal of sentence k (NaN without tokens).

        `known` are the log-probabilities of all tokens but the first.
        """
        start, stop = self.edges[k - self.first] - 1, self.edges[k - self.first + 1] - 1
        return float(-known[start:stop].mean()) if start < stop else np.nan


def divide(
    tokens: Sequence[Sequence[int]], targets: Sequence[int], window: int | None, *, horizon: int | None = None
) -> list[Passage]:
    """Return the passages in which the targets (sorted) are scored; one passage without a window."""
    lengths = [len(ids) for ids in tokens]
    whole = (0, len(lengths))
    ranges = [whole] * len(lengths) if window is None else find_windows(lengths, window - MARKS)
    passages = []
    for (first, last), group in groupby(targets, key=lambda k: ranges[k]):
        edges = tuple(accumulate(lengths[first:last], initial=1))
        passages.append(Passage(first, last, tuple(group), edges, last == len(lengths), horizon))
    return passages
