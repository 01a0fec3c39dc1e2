"""Choose the part of a long story that the model reads when a sentence is removed (the paper's appendix B).

Each target sentence has its own window: as many whole sentences around it as fit::

    limit      ├──────────────────────────────┤
    story   …  S_3  S_4  S_5 [S_6] S_7  S_8  S_9  …
               └── left ───┘      └─── right ───┘

Each side gets half of the room that the target leaves; what one side cannot use goes to the other. Sentences
are added from the nearest outwards and none is skipped, so the text in the window has no gaps. The next
sentence is always included, at the cost of the left side if need be: without it there is nothing to score.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

DEFAULT_WINDOW = 1024
"""Tokens; the paper's window, used for stories that do not fit into the model's context."""


def find_windows(lengths: Sequence[int], limit: int) -> list[tuple[int, int]]:
    """Return the half-open range of sentences in the window around each sentence.

    Args:
        lengths: Tokens of each sentence.
        limit: Maximum tokens in a window, including the target sentence. A window is longer only if the
            target and the next sentence together exceed the limit.

    >>> find_windows([3, 3, 3, 3, 3], limit=9)
    [(0, 3), (0, 3), (1, 4), (2, 5), (2, 5)]
    """
    edges = [0, *accumulate(lengths)]
    return [_window(edges, target, limit) for target in range(len(lengths))]


def _window(edges: Sequence[int], target: int, limit: int) -> tuple[int, int]:
    before, after = edges[target], edges[-1] - edges[target + 1]
    spare = max(0, limit - (edges[target + 1] - edges[target]))
    following = edges[target + 2] - edges[target + 1] if target + 2 < len(edges) else 0
    left = max(0, min(before, max(spare // 2, spare - after), spare - following))
    right = max(following, min(after, spare - left))
    first = target
    while first > 0 and edges[target] - edges[first - 1] <= left:
        first -= 1
    last = target + 1
    while last < len(edges) - 1 and edges[last + 1] - edges[target + 1] <= right:
        last += 1
    return first, last
