"""The server's hold on its worker: start it, ask it, listen to it, and end it."""

from __future__ import annotations

import multiprocessing
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

__all__ = ["Hand", "WorkerLost"]


class WorkerLost(Exception):  # noqa: N818 - an event, not somebody's mistake
    """The worker ended by itself; `code` is its exit code, negative for a signal."""

    def __init__(self, code: int | None) -> None:
        super().__init__(code)
        self.code = code


class Hand:
    """One worker at a time, started when it is first needed and again after it was ended. For one thread."""

    def __init__(self) -> None:
        self._process: SpawnProcess | None = None
        self._line: Connection | None = None

    def ask(self, order: str, content: object) -> None:
        """Send an order to the worker.

        Raises:
            WorkerLost: It is gone, although it was only just started.
        """
        line = self._connect()
        try:
            line.send((order, content))
        except OSError as error:
            raise WorkerLost(self._bury()) from error

    def listen(self, seconds: float) -> tuple[Any, ...] | None:
        """The next message, or None if there is none for so long.

        Raises:
            WorkerLost: The worker ended by itself.
        """
        line = self._connect()
        try:
            return line.recv() if line.poll(seconds) else None
        except (EOFError, OSError) as error:
            raise WorkerLost(self._bury()) from error

    def end(self) -> None:
        """End the worker, whatever it does."""
        if self._process is not None:
            self._process.terminate()
            self._bury()

    def _connect(self) -> Connection:
        if self._line is None or self._process is None:
            from barthes.web.worker import work

            # Spawned, not forked: the server has threads, and torch and CUDA do not survive a fork.
            context = multiprocessing.get_context("spawn")
            self._line, theirs = context.Pipe()
            self._process = context.Process(target=work, args=(theirs,), name="barthes worker", daemon=True)
            self._process.start()
            theirs.close()  # so that we hear when the worker hangs up
        return self._line

    def _bury(self) -> int | None:
        process, line = self._process, self._line
        self._process = self._line = None
        if line is not None:
            line.close()
        if process is None:
            return None
        process.join(2)
        if process.is_alive():
            process.kill()
            process.join(5)
        code = process.exitcode
        process.close()
        return code
