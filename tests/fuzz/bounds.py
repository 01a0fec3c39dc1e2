"""Time and memory that reading may take: more of either fails a test, instead of stopping it for good."""

from __future__ import annotations

import contextlib
import resource
import signal
import sys
from collections.abc import Iterator

__all__ = ["TooSlow", "bounded", "peak_megabytes"]


class TooSlow(BaseException):
    """Reading took more processor time than it may. No `Exception`: nobody may handle it on its way up."""


@contextlib.contextmanager
def bounded(seconds: float) -> Iterator[None]:
    """A block that may use so many seconds of the processor; other work on the machine does not count.

    Raises:
        TooSlow: It has used more.
    """

    def give_up(*_: object) -> None:
        raise TooSlow(f"more than {seconds:g} seconds")

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def peak_megabytes() -> float:
    """The most memory that this process has had, in MB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)
