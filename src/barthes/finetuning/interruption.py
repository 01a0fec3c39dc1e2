"""Ctrl-C while training, or the end of a scheduler's job: what is under way is finished and saved."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType

__all__ = ["Interruption", "end_as_interrupted", "hear_interruption"]

_SIGNALS = {
    signal.SIGINT: (signal.default_int_handler,),
    signal.SIGTERM: (signal.SIG_DFL, signal.default_int_handler),
}
"""What we listen to, and who has it where no program has its own way with it."""


class Interruption:
    """Whether someone has asked to stop."""

    asked = False


@contextlib.contextmanager
def hear_interruption(announce: Callable[[], None]) -> Iterator[Interruption]:
    """Take the first Ctrl-C, or SIGTERM, as a wish; the second one ends the program as usual."""
    interruption = Interruption()
    if threading.current_thread() is not threading.main_thread():  # only that one hears signals
        yield interruption
        return
    usual = {number: signal.getsignal(number) for number in _SIGNALS}

    def note(number: int, frame: FrameType | None) -> None:
        interruption.asked = True
        restore()
        with contextlib.suppress(RuntimeError):  # a line was being written at this very moment
            announce()

    def restore() -> None:
        for number in ours:
            signal.signal(number, usual[number])

    # A program that has its own way with them keeps it.
    ours = [number for number, defaults in _SIGNALS.items() if usual[number] in defaults]
    for number in ours:
        signal.signal(number, note)
    try:
        yield interruption
    finally:
        restore()


@contextlib.contextmanager
def end_as_interrupted() -> Iterator[None]:
    """Let SIGTERM raise KeyboardInterrupt, as Ctrl-C does: a scheduler's end is told, and tidied up after."""
    heard = threading.current_thread() is threading.main_thread()
    if not heard or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
