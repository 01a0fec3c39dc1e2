"""Run tasks in the worker process: one at a time, within the limits, until they end or are cancelled."""

from __future__ import annotations

import contextlib
import multiprocessing
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from barthes.errors import BarthesError
from barthes.jobs.offer import Limits
from barthes.jobs.worker import Ended, Worker, run_worker

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

_POLL = 0.05  # seconds
_GRACE = 1.0  # seconds in which a cancelled task may end before the worker is killed, and loses its model

Task = Callable[[Worker], Any]
"""What to do in the worker; it must be possible to pickle it."""
Listen = Callable[[Any], None]
"""Called with each message of the worker: its `TaskProgress`, or what the task has found."""


class WorkerLostError(BarthesError):
    """The worker process ended; exit codes below zero are signals."""

    def __init__(self, code: int | None) -> None:
        reason = "perhaps out of memory" if code == -9 else f"exit code {code}"
        problem = f"the scoring process ended unexpectedly ({reason})."
        super().__init__(problem, remedy="Try a smaller model.", option="model")


class Runner:
    """Runs tasks in a worker process, which is started when it is needed and again after it was lost.

    Args:
        limits: How long a task may take, and how many may wait for their turn.
        warm: A language model that the worker loads as soon as it starts; None waits for a task.
    """

    def __init__(self, limits: Limits, *, warm: str | None = None) -> None:
        self.limits = limits
        self._warm = warm
        self._turn = threading.Lock()
        self._calls = 0
        self._process: SpawnProcess | None = None
        self._connection: Connection | None = None

    def start(self) -> None:
        """Start the worker if it has a model to load; otherwise it starts with the first task."""
        if self._warm is not None:
            self._connect()

    def run(self, task: Task, *, listen: Listen, check: Callable[[], None]) -> Any:
        """Return the result of a task.

        Args:
            task: The task.
            listen: Gets the messages of the worker.
            check: Called several times a second; cancels the task by raising an exception.

        Raises:
            BarthesError: The task failed or took too long, the worker was lost, or too many tasks wait.
        """
        with self._take_turn(check):
            self._send("run", task)
            deadline = time.monotonic() + self.limits.seconds
            try:
                while (ended := self._receive(listen)) is None:
                    check()
                    if time.monotonic() > deadline:
                        raise BarthesError(self.limits.explain_timeout(), option="chapter")
            except WorkerLostError:
                raise
            except BaseException:  # cancelled, above all
                self._cancel()
                raise
        if ended.error is not None:
            raise ended.error
        return ended.result

    def close(self) -> None:
        """End the worker process."""
        if self._process is not None:
            self._process.terminate()
            self._disconnect()

    @contextlib.contextmanager
    def _take_turn(self, check: Callable[[], None]) -> Iterator[None]:
        if self._calls > self.limits.waiting:
            problem = f"{self.limits.waiting} calls are already waiting."
            raise BarthesError(problem, remedy="Try again later.")
        self._calls += 1
        try:
            while not self._turn.acquire(timeout=_POLL):
                check()
            try:
                yield
            finally:
                self._turn.release()
        finally:
            self._calls -= 1

    def _cancel(self) -> None:
        """Cancel the task in the worker; kill the worker if it does not stop."""
        last_moment = time.monotonic() + _GRACE
        with contextlib.suppress(WorkerLostError):
            self._send("cancel", None)
            while time.monotonic() < last_moment:
                if self._receive(_ignore) is not None:
                    return
            self.close()
            self.start()

    def _send(self, order: str, content: object) -> None:
        try:
            self._connect().send((order, content))
        except OSError as error:
            raise WorkerLostError(self._disconnect()) from error

    def _receive(self, listen: Listen) -> Ended | None:
        """Wait a moment for a message; return it if it is the last one of the task."""
        connection = self._connect()
        try:
            message = connection.recv() if connection.poll(_POLL) else None
        except (EOFError, OSError) as error:
            raise WorkerLostError(self._disconnect()) from error
        if isinstance(message, Ended):
            return message
        if message is not None:
            listen(message)
        return None

    def _connect(self) -> Connection:
        if self._connection is None:
            # Spawned, not forked: the server has threads, and torch and CUDA do not survive a fork.
            context = multiprocessing.get_context("spawn")
            self._connection, other = context.Pipe()
            self._process = context.Process(target=run_worker, args=(other,), daemon=True)
            self._process.start()
            other.close()  # otherwise we would not notice when the worker closes it
            if self._warm is not None:
                self._connection.send(("warm", self._warm))
        return self._connection

    def _disconnect(self) -> int | None:
        """Close the pipe and return the exit code of the worker, which is killed if it does not end."""
        process, connection = self._process, self._connection
        self._process = self._connection = None
        if connection is not None:
            connection.close()
        if process is None:
            return None
        process.join(2)
        if process.is_alive():
            process.kill()
            process.join(5)
        code = process.exitcode
        process.close()
        return code


def _ignore(message: Any) -> None:
    pass
