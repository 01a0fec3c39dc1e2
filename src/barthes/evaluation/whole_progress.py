"""One report of progress for several parts that are done one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from barthes.salience.method import Progress

__all__ = ["WholeProgress"]


class WholeProgress:
    """One report for several parts that are done one after the other; it never goes back.

    Args:
        progress: Where the whole is reported.
        parts: How much work each part is.
    """

    def __init__(self, progress: Progress, parts: Sequence[int]) -> None:
        self._progress = progress
        self._edges = list(accumulate(parts, initial=0))
        self._done = 0

    def part(self, place: int) -> Progress:
        """The report of one part; its own unit is translated."""
        before, after, total = self._edges[place], self._edges[place + 1], self._edges[-1]
        size = after - before

        def report(done: int, whole: int) -> None:
            share = size * min(done, whole) // whole if whole > 0 else size
            self._done = max(self._done, before + share)
            self._progress(self._done, total)

        return report
