"""Time and memory that reading may take: more of either fails a test, instead of stopping it for good."""

from __future__ import annotations

import contextlib
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any

from barthes.errors import BarthesError

__all__ = ["TooSlow", "attempt", "bounded", "peak_megabytes"]


class TooSlow(BaseException):
    """Reading took more processor time than it may. No `Exception`: nobody may handle it on its way up."""


@contextlib.contextmanager
def bounded(seconds: float) -> Iterator[None]:
    """A block that raises TooSlow after so many seconds of the processor; other work does not count."""

    def give_up(*_: object) -> None:
        raise TooSlow(f"more than {seconds:g} seconds")

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def attempt(read: Callable[..., Any], *arguments: Any, seconds: float = 5, **options: Any) -> Any:
    """Return what a reader returns within its time; None if it refuses with an error of ours."""
    with bounded(seconds), contextlib.suppress(BarthesError):
        return read(*arguments, **options)
    return None


def peak_megabytes() -> float:
    """The most memory that this process has had, in MB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)
