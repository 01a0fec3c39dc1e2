"""Handle interruption by signals during training, and silence other libraries."""

from __future__ import annotations

import contextlib
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from types import FrameType


@contextlib.contextmanager
def hear_interruption(announce: Callable[[], None]) -> Iterator[threading.Event]:
    """Take the first Ctrl-C or SIGTERM as a request to stop, which sets the event; a second acts as usual.

    A program that handles a signal itself keeps its handler.
    """
    asked = threading.Event()
    defaults = {
        signal.SIGINT: (signal.default_int_handler,),
        signal.SIGTERM: (signal.SIG_DFL, signal.default_int_handler),
    }
    in_main = threading.current_thread() is threading.main_thread()  # only that one receives signals
    usual = {number: signal.getsignal(number) for number in defaults}
    ours = [number for number, handlers in defaults.items() if in_main and usual[number] in handlers]

    def restore() -> None:
        for number in ours:
            signal.signal(number, usual[number])

    def note(number: int, frame: FrameType | None) -> None:
        asked.set()
        restore()
        with contextlib.suppress(RuntimeError):  # the signal came while a line was being written
            announce()

    for number in ours:
        signal.signal(number, note)
    try:
        yield asked
    finally:
        restore()


@contextlib.contextmanager
def quiet_libraries() -> Iterator[None]:
    """Silence transformers' notices, bars and FutureWarnings; its Trainer switches notices process-wide."""
    from barthes.models.pretrained import quiet_transformers

    with quiet_transformers(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=FutureWarning)
        yield
