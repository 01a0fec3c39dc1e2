"""Ctrl-C while training: the step is finished and saved, unless it is pressed again."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType

__all__ = ["Interruption", "hear_interruption"]


class Interruption:
    """Whether someone has asked to stop."""

    asked = False


@contextlib.contextmanager
def hear_interruption(announce: Callable[[], None]) -> Iterator[Interruption]:
    """Take the first Ctrl-C as a wish; the second one ends the program as usual."""
    interruption = Interruption()
    if threading.current_thread() is not threading.main_thread():  # only that one hears signals
        yield interruption
        return
    usual = signal.getsignal(signal.SIGINT)

    def note(number: int, frame: FrameType | None) -> None:
        interruption.asked = True
        signal.signal(signal.SIGINT, usual)
        with contextlib.suppress(RuntimeError):  # a line was being written at this very moment
            announce()

    if usual is signal.default_int_handler:  # a program that has its own way with Ctrl-C keeps it
        signal.signal(signal.SIGINT, note)
    try:
        yield interruption
    finally:
        signal.signal(signal.SIGINT, usual)
