"""Passages: runs of sentences that the model reads at once, and their token positions.

A story that fits is one passage. A longer one has a passage for each window of appendix B, shared by all
sentences with that window. A preview, which reads little besides the passages themselves, reads several
windows as one passage; only what follows a target in its own window counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
        stops: For each target, the sentence at which its own window ends; empty if all end with the passage.
    """

    first: int
    last: int
    targets: tuple[int, ...]
    edges: tuple[int, ...]
    ending: bool
    horizon: int | None = None
    stops: tuple[int, ...] = ()

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
        if self.horizon is None:
            return Edit(start, stop, replacement)
        return Edit(start, stop, replacement, stop + (self.reach(k) or 1))  # or the end-of-text token

    def length_after(self, k: int) -> int:
        """Return the number of tokens of the sentences after k in its window."""
        return self.stop(k) - self.edges[k - self.first + 1]

    def stop(self, k: int) -> int:
        """Return the token position at which the window of sentence k ends."""
        if not self.stops:
            return self.length
        return self.edges[self.stops[self.targets.index(k)] - self.first]

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
    tokens: Sequence[Sequence[int]],
    targets: Sequence[int],
    window: int | None,
    *,
    horizon: int | None = None,
    room: int = 0,
) -> list[Passage]:
    """Return the passages in which the targets (sorted) are scored; one passage without a window.

    Windows are joined to passages of at most `room` tokens.
    """
    lengths = [len(ids) for ids in tokens]
    whole = (0, len(lengths))
    ranges = [whole] * len(lengths) if window is None else find_windows(lengths, window - MARKS)
    grouped = [(span, tuple(group)) for span, group in groupby(targets, key=lambda k: ranges[k])]
    passages = []
    for windows in _join(grouped, lengths, room - MARKS):
        (first, _), last = windows[0][0], windows[-1][0][1]
        edges = tuple(accumulate(lengths[first:last], initial=1))
        inside = tuple(k for _, group in windows for k in group)
        stops = tuple(ranges[k][1] for k in inside) if len(windows) > 1 else ()
        passages.append(Passage(first, last, inside, edges, last == len(lengths), horizon, stops))
    return passages


_Window = tuple[tuple[int, int], tuple[int, ...]]  # its sentences and its targets


def _join(windows: Sequence[_Window], lengths: Sequence[int], limit: int) -> Iterator[list[_Window]]:
    """Yield runs of windows that have at most `limit` tokens together, at least one window each."""
    edges = list(accumulate(lengths, initial=0))
    run: list[_Window] = []
    for window in windows:
        if run and edges[window[0][1]] - edges[run[0][0][0]] > limit:
            yield run
            run = []
        run.append(window)
    if run:
        yield run
