"""Which part of a story the release shows the model when a sentence is removed.

Each side of the target gets half of what the target leaves, and no more: what one side cannot use is not
given to the other. Sentences are taken nearest first; one that does not fit is skipped and the next one
tried, so the context can have holes::

    story       S_1   S_2 ~~~~~~~~~~~   S_3   S_4  [S_5]  S_6  S_7   S_8 ~~~~~~~~~   S_9
    room              ├──── half ───────────────┤         ├────── half ─────────┤
    window      S_1                     S_3   S_4  [S_5]  S_6  S_7                   S_9
                      too long: a hole                               too long: a hole

`barthes.models.windows` has the windows of the paper's appendix, which have none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["Window", "find_window"]


@dataclass(frozen=True, slots=True)
class Window:
    """The sentences that are read before and after a target, by index, in story order."""

    before: tuple[int, ...]
    after: tuple[int, ...]


def find_window(lengths: Sequence[int], target: int, limit: int) -> Window:
    """The window of one sentence.

    Args:
        lengths: Tokens of each sentence.
        target: The sentence.
        limit: Tokens that a window may hold, the target included. A target that is longer stands alone.

    >>> find_window([2, 6, 2, 2], 2, limit=10)    # 4 tokens a side: S_2 has 6 and is skipped
    Window(before=(0,), after=(3,))
    """
    half = (limit - lengths[target]) // 2
    before = _take(range(target - 1, -1, -1), lengths, half)
    return Window(tuple(reversed(before)), tuple(_take(range(target + 1, len(lengths)), lengths, half)))


def _take(nearest_first: Iterable[int], lengths: Sequence[int], room: int) -> list[int]:
    taken = []
    for sentence in nearest_first:
        if lengths[sentence] <= room:
            taken.append(sentence)
            room -= lengths[sentence]
    return taken
