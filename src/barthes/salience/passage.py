"""Passages: runs of sentences that the model reads at once, and the targets that are removed from them.

Positions count the tokens of the passage, which begins with the start-of-text token. A preview (with a
horizon) reads again only the beginning of what follows a target; otherwise `until` is `end`::

    ⟨s⟩ │ S_1 │ S_2 │ [ S_3 ] │ S_4 │ S_5 │ S_6 │ S_7 …
                     start   stop     until    end
                              └ reach ─┘└─ rest ┘
                              └──── follows ────┘

A story that fits is one passage, and `end` is its end. A longer one has a passage for each window of appendix
B, shared by all sentences with that window. A preview reads several windows as one passage, because reading
each would cost more than its targets; what follows a target still ends with the target's own window.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, pairwise

import numpy as np

from barthes.models.language_model import Edit, FloatArray
from barthes.models.windows import find_windows

EDGE_TOKENS = 2
"""Tokens of every window that belong to no sentence: start and end of text."""


@dataclass(frozen=True, slots=True)
class Target:
    """One removal in a passage.

    Attributes:
        removal: Its place among the removals of the story.
        sentence: The sentence from which something is removed.
        start, stop: The tokens of that sentence.
        until: Where the tokens that are read again end.
        end: Where the window of the sentence ends.
    """

    removal: int
    sentence: int
    start: int
    stop: int
    until: int
    end: int

    @property
    def follows(self) -> int:
        """The number of tokens of later sentences in its window."""
        return self.end - self.stop

    @property
    def reach(self) -> int:
        """The number of these tokens that are read again."""
        return self.until - self.stop

    @property
    def rest(self) -> int:
        """The number of these tokens that are not read again."""
        return self.end - self.until


@dataclass(frozen=True, slots=True)
class Passage:
    """The sentences `first:last` of a story, read together.

    Attributes:
        first, last: The sentences.
        edges: Sentence `first + i` has the tokens ``edges[i] : edges[i + 1]``.
        ending: Whether it contains the end of the story, and so the end-of-text token.
        targets: The removals to measure in it, in order.
        joined: Whether it consists of several windows.
    """

    first: int
    last: int
    edges: tuple[int, ...]
    ending: bool
    targets: tuple[Target, ...]
    joined: bool = False

    @property
    def length(self) -> int:
        """The number of tokens of its sentences and the start-of-text token."""
        return self.edges[-1]

    @property
    def cost(self) -> int:
        """The number of tokens that the model reads: the passage, and again what follows each target."""
        return self.length + sum(target.reach for target in self.targets)

    def join_tokens(self, sentences: Sequence[Sequence[int]], start: int, end: int) -> list[int]:
        """Return the tokens that the model reads, between the tokens `start` and, in the ending, `end`."""
        ids = [token for sentence in sentences[self.first : self.last] for token in sentence]
        return [start, *ids, *([end] if self.ending else [])]

    def make_edit(self, target: Target, replacement: tuple[int, ...]) -> Edit:
        """Return the edit that puts `replacement` in place of the target's sentence.

        Where no token follows in the window, the token after it is scored: the end-of-text token.
        """
        if not target.rest and not self.joined:
            return Edit(target.start, target.stop, replacement)
        return Edit(target.start, target.stop, replacement, max(target.until, target.stop + 1))

    def split_by_sentence(self, target: Target, lost: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the mean of each later sentence that was read (NaN without tokens), and its tokens read."""
        edges = np.array(self.edges[target.sentence - self.first + 1 :]) - target.stop
        read = edges[: np.searchsorted(edges, target.reach) + 1].clip(max=target.reach)
        means = [lost[start:stop].mean() if start < stop else np.nan for start, stop in pairwise(read)]
        return np.array(means), np.diff(read).astype(np.float64)


def divide(
    tokens: Sequence[Sequence[int]],
    removed: Sequence[int],
    window: int | None,
    *,
    horizon: int | None = None,
    room: int = 0,
) -> list[Passage]:
    """Return the passages in which removals are measured; one passage without a window.

    Args:
        tokens: The tokens of each sentence.
        removed: The sentence of each removal, sorted.
        window: Tokens of a window; None if the story fits.
        horizon: Tokens read again after a removal; None for all.
        room: With a horizon, windows are joined to passages of at most this many tokens.
    """
    lengths = [len(ids) for ids in tokens]
    edges = [0, *accumulate(lengths)]
    windows = [(0, len(lengths))] * len(lengths)
    if window is not None:
        windows = find_windows(lengths, window - EDGE_TOKENS)
    by_window = groupby(range(len(removed)), key=lambda i: windows[removed[i]])
    grouped = [(span, tuple(group)) for span, group in by_window]
    passages = []
    for run in _join(grouped, edges, 0 if horizon is None else room - EDGE_TOKENS):
        (first, _), last = run[0][0], run[-1][0][1]
        offset = 1 - edges[first]  # token 0 is the start of text
        targets = []
        for (_, window_end), group in run:
            for i in group:
                start, stop, end = (edges[k] + offset for k in (removed[i], removed[i] + 1, window_end))
                until = end if horizon is None else min(end, stop + horizon)
                targets.append(Target(i, removed[i], start, stop, until, end))
        inside = tuple(edge + offset for edge in edges[first : last + 1])
        passages.append(
            Passage(first, last, inside, last == len(lengths), tuple(targets), joined=len(run) > 1)
        )
    return passages


_Window = tuple[tuple[int, int], tuple[int, ...]]  # its sentences and its removals


def _join(windows: Sequence[_Window], edges: Sequence[int], limit: int) -> Iterator[list[_Window]]:
    """Yield runs of windows that have at most `limit` tokens together, at least one window each."""
    run: list[_Window] = []
    for window in windows:
        if run and edges[window[0][1]] - edges[run[0][0][0]] > limit:
            yield run
            run = []
        run.append(window)
    if run:
        yield run
