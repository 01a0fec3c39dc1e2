"""What Ray does to its surroundings while it starts and ends: processes, a folder, signals, ports."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from types import FrameType
from typing import Any

__all__ = ["end_processes", "kept_to_this_machine", "remove_folder", "signals_kept"]

_PATIENCE = 3.0  # seconds for processes to end


def end_processes(folder: str) -> None:
    """End what Ray has started in a folder; interrupted while it starts, it keeps no list of that."""
    import psutil  # Ray brings it

    for _ in range(10):
        family = [each for each in psutil.Process().children(recursive=True) if _works_in(each, folder)]
        if not family:
            return
        for each in family:
            with contextlib.suppress(psutil.Error):
                each.kill()
        psutil.wait_procs(family, timeout=_PATIENCE)


def _works_in(process: Any, folder: str) -> bool:
    import psutil

    try:
        return any(folder in argument for argument in process.cmdline())
    except psutil.Error:  # it has ended
        return False


def remove_folder(folder: str) -> None:
    """Take away Ray's folder; processes that are about to end may write to it once more."""
    for _ in range(10):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.exists(folder):  # noqa: PTH110
            return
        time.sleep(0.3)


@contextlib.contextmanager
def kept_to_this_machine() -> Iterator[None]:
    """Have Ray listen to 127.0.0.1 alone. It does so on Windows and macOS, and has no option for others."""
    from ray._private import ray_constants

    before = ray_constants.ENABLE_RAY_CLUSTER
    ray_constants.ENABLE_RAY_CLUSTER = False
    try:
        yield
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = before


@contextlib.contextmanager
def signals_kept() -> Iterator[None]:
    """Hold Ctrl-C and SIGTERM back until the block is done; a second one is not held back.

    Ray takes SIGTERM for itself and ends silently. And an exception that a signal raises in the middle of its
    start can hit a lock that is about to be released: nothing would end after that.

    Raises:
        KeyboardInterrupt: One of them came.
    """
    from ray._private import utils

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        received.append(number)
        if len(received) > 1:
            raise KeyboardInterrupt

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    take = getattr(utils, "set_sigterm_handler", None)
    utils.set_sigterm_handler = lambda handler: None
    try:
        yield
    finally:
        if take is not None:
            utils.set_sigterm_handler = take
        for number, handler in before.items():
            signal.signal(number, handler)
        if received:
            raise KeyboardInterrupt
