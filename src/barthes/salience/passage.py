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
from itertools import accumulate

from barthes.models.language_model import Edit
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

    def make_edit(self, replacement: tuple[int, ...]) -> Edit:
        """Return the edit that puts `replacement` in place of the sentence.

        Where no token follows in the window, the token after it is scored: the end-of-text token.
        """
        return Edit(self.start, self.stop, replacement, max(self.until, self.stop + 1))


@dataclass(frozen=True, slots=True)
class Passage:
    """The sentences `first:last` of a story, read together.

    Attributes:
        first, last: The sentences.
        edges: Sentence `first + i` has the tokens ``edges[i] : edges[i + 1]``.
        ending: Whether it contains the end of the story, and so the end-of-text token.
        targets: The removals to measure in it, in order.
    """

    first: int
    last: int
    edges: tuple[int, ...]
    ending: bool
    targets: tuple[Target, ...]

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


def divide(
    tokens: Sequence[Sequence[int]],
    removed: Sequence[int],
    window: int | None,
    *,
    horizon: int | None = None,
    join_limit: int = 0,
) -> list[Passage]:
    """Return the passages in which removals are measured; one passage without a window.

    Args:
        tokens: The tokens of each sentence.
        removed: The sentence of each removal, sorted.
        window: Tokens of a window; None if the story fits.
        horizon: Tokens read again after a removal; None for all.
        join_limit: With a horizon, windows are joined to passages of at most this many tokens.
    """
    lengths = [len(ids) for ids in tokens]
    edges = [0, *accumulate(lengths)]
    windows = [(0, len(lengths))] * len(lengths)
    if window is not None:
        windows = find_windows(lengths, window - EDGE_TOKENS)
    spans = [windows[sentence] for sentence in removed]
    runs = _group(spans, edges, 0 if horizon is None else join_limit - EDGE_TOKENS)
    return [_make_passage(run, removed, spans, edges, horizon) for run in runs]


def _group(spans: Sequence[tuple[int, int]], edges: Sequence[int], limit: int) -> Iterator[list[int]]:
    """Yield runs of removals whose windows are the same, or have at most `limit` tokens together.

    `spans` are the windows of the removals.
    """
    run: list[int] = []
    for removal, (_, last) in enumerate(spans):
        if run and spans[removal] != spans[run[0]] and edges[last] - edges[spans[run[0]][0]] > limit:
            yield run
            run = []
        run.append(removal)
    if run:
        yield run


def _make_passage(
    run: Sequence[int],
    removed: Sequence[int],
    spans: Sequence[tuple[int, int]],
    edges: Sequence[int],
    horizon: int | None,
) -> Passage:
    """Return the passage of a run of removals."""
    (first, _), (_, last) = spans[run[0]], spans[run[-1]]
    offset = 1 - edges[first]  # token 0 is the start of text
    targets = []
    for removal in run:
        sentence, window_end = removed[removal], spans[removal][1]
        start, stop, end = (edges[k] + offset for k in (sentence, sentence + 1, window_end))
        until = end if horizon is None else min(end, stop + horizon)
        targets.append(Target(removal, sentence, start, stop, until, end))
    own_edges = tuple(edge + offset for edge in edges[first : last + 1])
    return Passage(first, last, own_edges, last == len(edges) - 1, tuple(targets))
