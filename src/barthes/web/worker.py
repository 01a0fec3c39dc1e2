"""A worker process that keeps a language model in memory, and the server's handle on it.

The server sends ``("warm", model)``, ``("run", task)`` and ``("cancel", None)``. The worker ends when the
server closes the pipe or ends. It replies with

- ``("phase", name)`` at the start of a phase,
- ``("progress", done, total)``,
- further messages of its kind of task,
- ``("ended", result)``.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import multiprocessing
import os
import signal
import threading
import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, cast

from barthes.errors import BarthesError
from barthes.models.embedded import EMBEDDED, ensure, is_fetched, share_temporary_store
from barthes.narrative import Narrative
from barthes.progress import Reporter

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

    from barthes.cache import ScoreCache
    from barthes.models.deferred import DeferredModel
    from barthes.models.language_model import LanguageModel
    from barthes.salience.method import Progress
    from barthes.salience.profile import Profile

GRACE = 1.0
"""Seconds that a worker has to stop a cancelled task before it is killed, and loses its model."""

_INTERVAL = 0.1  # seconds between reports of progress

_logger = logging.getLogger("barthes")


class WorkerLostError(Exception):
    """The worker process ended; exit codes below zero are signals."""

    def __init__(self, code: int | None) -> None:
        reason = "perhaps out of memory" if code == -9 else f"exit code {code}"
        super().__init__(f"The scoring process ended unexpectedly ({reason}). Try a smaller model.")


class WorkerProcess:
    """Start, use and end the worker process; it is started again after it ended. Not thread-safe.

    Args:
        worker: The class that handles tasks in the process.

    Raises:
        ModelError: The cache is in the home folder of an unknown user.
    """

    def __init__(self, worker: type[Worker]) -> None:
        share_temporary_store()
        self._worker = worker
        self._process: SpawnProcess | None = None
        self._connection: Connection | None = None

    def send(self, order: str, content: object) -> None:
        """Send an order, or raise WorkerLostError."""
        connection = self._connect()
        try:
            connection.send((order, content))
        except OSError as error:
            raise WorkerLostError(self._close()) from error

    def receive(self, seconds: float) -> tuple[Any, ...] | None:
        """Return the next message, or None after `seconds`, or raise WorkerLostError."""
        connection = self._connect()
        try:
            return connection.recv() if connection.poll(seconds) else None
        except (EOFError, OSError) as error:
            raise WorkerLostError(self._close()) from error

    def end(self) -> None:
        """End the worker process."""
        if self._process is not None:
            self._process.terminate()
            self._close()

    def _connect(self) -> Connection:
        if self._connection is None or self._process is None:
            # Spawned, not forked: the server has threads, and torch and CUDA do not survive a fork.
            context = multiprocessing.get_context("spawn")
            self._connection, other = context.Pipe()
            self._process = context.Process(target=_run_worker, args=(self._worker, other), daemon=True)
            self._process.start()
            other.close()  # otherwise we would not notice when the worker closes it
        return self._connection

    def _close(self) -> int | None:
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


class JobCancelled(BaseException):
    """The job was cancelled. Not an `Exception`, which other code might catch."""


def _end_with_server() -> None:
    """End this process when the server is killed."""
    if (server := multiprocessing.parent_process()) is not None:
        server.join()
        os._exit(1)


def _run_worker(worker: type[Worker], connection: Connection) -> None:
    """Handle orders until the server closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server handles Ctrl-C and ends us
    threading.Thread(target=_end_with_server, daemon=True).start()
    worker(connection).run()


class Worker(ABC):
    """Handles tasks in the worker process. Ends with the server."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._model: DeferredModel | None = None
        self._reported = 0.0

    def run(self) -> None:
        """Handle orders."""
        while True:
            order, content = self._receive()
            if order == "warm":
                self._warm_up(content)
            elif order == "run":
                self.send("ended", self.answer(content))

    @abstractmethod
    def answer(self, task: Any) -> object:
        """Do a task and return its result; it must not raise an `Exception`."""

    def explain(self, error: Exception) -> str:
        """Return the message for an error; those that are not about the story are logged."""
        if isinstance(error, BarthesError):
            return str(error)
        if isinstance(error, MemoryError):
            return "There is not enough memory for this story. Choose a chapter."
        traceback.print_exception(error)
        return f"Internal error: {type(error).__name__}: {error}. Please report it."

    def send(self, kind: str, *content: Any) -> None:
        """Send a message to the server."""
        try:
            self._connection.send((kind, *content))
        except OSError as error:
            raise SystemExit from error  # the server ended

    def _receive(self) -> tuple[str, Any]:
        """Wait for the next order and return it with its content."""
        try:
            order, content = self._connection.recv()
        except (EOFError, OSError) as error:
            raise SystemExit from error
        return order, content

    def _has_order(self) -> bool:
        try:
            return self._connection.poll()
        except OSError:  # on Windows: the pipe is closed, as `_receive` will find
            return True

    def report_progress(self, done: int, total: int) -> None:
        """Send the progress at intervals, and raise JobCancelled if the server asks to."""
        while self._has_order():
            order, _ = self._receive()
            if order == "cancel":
                raise JobCancelled
        moment = time.monotonic()
        if done >= total or moment - self._reported >= _INTERVAL:
            self._reported = moment
            self.send("progress", done, total)

    def _warm_up(self, name: str) -> None:
        """Load the parser and a model before the first job; failures are only logged."""
        from barthes.annotation.pipeline import load_english
        from barthes.models.deferred import DeferredModel

        with _warn_on_failure("the English parser"):
            load_english()
        with _warn_on_failure(name):
            model = DeferredModel(name, cache=self.cache)
            model.load()
            self._model = model

    def score(
        self,
        narrative: Narrative,
        method: str,
        unit: str,
        model: str | None,
        *,
        progress: Progress | None = None,
    ) -> Profile:
        """Score a story by a method; `model` is None only if the method does not use it."""
        from barthes.scorer import Scorer

        if model is None:
            self.send("phase", "scoring")
        scorer = Scorer(method, lambda: self.prepare_model(cast("str", model)), unit=unit, cache=self.cache)
        return scorer.score(narrative, progress=progress or self.report_progress)

    def prepare_model(self, name: str) -> DeferredModel:
        """Return a model; loading it starts further phases."""
        model = self.get_model(name)
        if model.is_loaded:
            self.send("phase", "scoring")
        return model

    def get_model(self, name: str) -> DeferredModel:
        """Return a model: the last one if it has the name and is loaded."""
        from barthes.models.deferred import DeferredModel

        if self._model is None or self._model.name != name or not self._model.is_loaded:
            load = functools.partial(self._load_model, name)
            self._model = DeferredModel(name, cache=self.cache, load=load)
        return self._model

    def _load_model(self, name: str) -> LanguageModel:
        """Load a model for a job; fetch it first if necessary."""
        from barthes.models.loading import load_model

        if name in EMBEDDED and not is_fetched(name):
            self.send("phase", "fetching")
            ensure(name, progress=lambda: contextlib.nullcontext(_FetchReporter(self.report_progress)))
        self.send("phase", "loading")
        model = load_model(name)
        self.send("phase", "scoring")
        return model

    @functools.cached_property
    def cache(self) -> ScoreCache:
        """The score cache."""
        from barthes.cache import ScoreCache

        return ScoreCache()


class _FetchReporter(Reporter):
    """Reports the progress of a fetch."""

    def __init__(self, report: Callable[[int, int], None]) -> None:
        super().__init__()
        self._report = report

    def update(self, line: str, done: int = 0, total: int = 0) -> None:
        self._report(done, total)


@contextlib.contextmanager
def _warn_on_failure(what: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        _logger.warning("%s could not be loaded in advance: %s", what, error)
