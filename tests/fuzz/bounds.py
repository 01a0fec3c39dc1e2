"""Limit the processor time of a test and measure its memory."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any

from barthes.errors import BarthesError

__all__ = ["HANG", "TooSlow", "attempt", "bounded", "peak_megabytes"]

HANG = 120
"""Seconds of processor time after which something hangs, on the slowest machine; benchmarks measure speed."""


class TooSlow(BaseException):
    """The time limit was exceeded. Not an `Exception`, so that no handler catches it."""


@contextlib.contextmanager
def bounded(seconds: float = HANG) -> Iterator[None]:
    """Raise TooSlow in the block after so many seconds of processor time."""

    def give_up(*_: object) -> None:
        raise TooSlow(f"more than {seconds:g} seconds")

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def attempt(read: Callable[..., Any], *arguments: Any, seconds: float = HANG, **options: Any) -> Any:
    """Return the result of a reader within the time limit, or None if it raises a BarthesError."""
    with bounded(seconds), contextlib.suppress(BarthesError):
        return read(*arguments, **options)
    return None


def peak_megabytes() -> float:
    """Return the peak memory of this process in MB."""
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)
