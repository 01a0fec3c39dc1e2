"""What surrounds training: progress on stderr, interruption by signals, and silence of other libraries."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status


class Reporter:
    """Show the progress of a run on a console, or nothing without one."""

    def __init__(self, console: Console | None = None, status: Status | None = None) -> None:
        self._console = console
        self._status = status

    def announce(self, line: str) -> None:
        """Show a line that stays: what happens next, or the state of the run after a checkpoint."""
        if self._console is not None:
            self._console.print(line, soft_wrap=True, markup=False, highlight=False)

    def update(self, line: str) -> None:
        """Show a line that the next one replaces: the state after a step, or of a measurement."""
        if self._status is not None:
            from rich.text import Text

            self._status.update(Text(line))


Report = Callable[[], AbstractContextManager[Reporter]]


@contextlib.contextmanager
def show_nothing() -> Iterator[Reporter]:
    """Ignore progress."""
    yield Reporter()


@contextlib.contextmanager
def show_on_stderr() -> Iterator[Reporter]:
    """Show progress on stderr; only a terminal gets the lines that are replaced."""
    from rich.console import Console

    console = Console(file=sys.stderr)  # this very stream, even while stderr is redirected
    if not console.is_terminal:
        yield Reporter(console)
        return
    with console.status("") as status:
        yield Reporter(console, status)


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
    from transformers.utils import logging as untyped

    logging: Any = untyped
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", category=FutureWarning)
            yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
