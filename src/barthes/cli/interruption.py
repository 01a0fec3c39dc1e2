"""The signal by which job schedulers end a job, taken as Ctrl-C is: what is finished is kept."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["termination_interrupts"]


@contextmanager
def termination_interrupts() -> Iterator[None]:
    """In this block SIGTERM raises KeyboardInterrupt."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
