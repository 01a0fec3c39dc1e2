"""The worker process: it keeps a language model in memory and runs one task after another.

Over its pipe it gets ``("warm", model)``, ``("run", task)`` and ``("cancel", None)``. It sends
`TaskProgress`, what a task has found before its end, and once per task `Ended`. It ends when the other side
closes the pipe.
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
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from barthes.errors import BarthesError
from barthes.jobs.story import StorySource
from barthes.models.embedded import EMBEDDED, ensure, is_fetched
from barthes.narrative import Narrative
from barthes.progress import Reporter

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from barthes.cache import ScoreCache
    from barthes.models.deferred import DeferredModel
    from barthes.models.language_model import LanguageModel
    from barthes.salience.method import Progress
    from barthes.salience.profile import Profile

_INTERVAL = 0.1  # seconds between reports of progress

_logger = logging.getLogger("barthes")


@dataclass(frozen=True, slots=True)
class TaskProgress:
    """The progress of a task.

    Attributes:
        phase: ``starting``, ``reading``, ``fetching`` (the model), ``loading`` or ``scoring``.
        done: The work done in this phase.
        total: Of how much; 0 if unknown.
        seconds: Since the phase began.
    """

    phase: str = "starting"
    done: int = 0
    total: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of a task: its result, or the error if it failed."""

    result: Any = None
    error: BarthesError | None = None


class TaskCancelled(BaseException):
    """The task was cancelled. Not an `Exception`, which other code might catch."""


def run_worker(connection: Connection) -> None:
    """Run tasks in this process until the server closes the pipe or ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server handles Ctrl-C and ends us
    threading.Thread(target=_end_with_server, daemon=True).start()
    Worker(connection).run()


def _end_with_server() -> None:
    """End this process when the server is killed."""
    if (server := multiprocessing.parent_process()) is not None:
        server.join()
        os._exit(1)


class Worker:
    """Runs tasks, which use its methods."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._model: DeferredModel | None = None
        self._phase = "starting"
        self._began = self._reported = 0.0

    def run(self) -> None:
        """Handle orders."""
        while True:
            order, content = self._receive()
            if order == "warm":
                self._warm_up(content)
            elif order == "run":
                self.send(self._run(content))

    def send(self, message: Any) -> None:
        """Send something that the task has found before its end."""
        try:
            self._connection.send(message)
        except OSError as error:
            raise SystemExit from error  # the server ended

    def start_phase(self, phase: str) -> None:
        """Start a phase of the task; see `TaskProgress`."""
        self._phase, self._began = phase, time.monotonic()
        self.send(TaskProgress(phase))

    def check_cancelled(self, *progress: int) -> None:
        """Raise TaskCancelled if the server asks to; a function for progress that is not reported."""
        while self._has_order():
            order, _ = self._receive()
            if order == "cancel":
                raise TaskCancelled

    def report_progress(self, done: int, total: int) -> None:
        """Send the progress at intervals, and raise TaskCancelled if the server asks to."""
        self.check_cancelled()
        moment = time.monotonic()
        if done >= total or moment - self._reported >= _INTERVAL:
            self._reported = moment
            self.send(TaskProgress(self._phase, done, total, round(moment - self._began, 3)))

    def read(self, source: StorySource) -> Narrative:
        """Read a story."""
        self.start_phase("reading")
        return source.read()

    def score(
        self,
        narrative: Narrative,
        *,
        method: str,
        unit: str,
        model: str | None,
        progress: Progress | None = None,
    ) -> Profile:
        """Score a story by a method; `model` is None only if the method does not use it.

        What readers are likely to find important takes seconds: that profile is sent as soon as it is known.
        """
        from barthes.scorer import Scorer

        report = progress or self.report_progress
        if model is None:
            self.start_phase("scoring")
            return Scorer(method, unit=unit, cache=self.cache).score(narrative, progress=report)
        loads = functools.partial(self.prepare_model, model)
        scorer = Scorer(method, loads, unit=unit, cache=self.cache, importance="readers")
        importance = scorer.score_importance(narrative, progress=self.check_cancelled)
        if importance is not None:
            self.send(importance)
            self.start_phase("scoring")
        return scorer.score(narrative, progress=report, importance=importance)

    def prepare_model(self, name: str) -> DeferredModel:
        """Return a model: the last one if it has the name and is loaded. Loading it starts further phases."""
        from barthes.models.deferred import DeferredModel

        if self._model is not None and self._model.name == name and self._model.is_loaded:
            self.start_phase("scoring")
        else:
            load = functools.partial(self._load_model, name)
            self._model = DeferredModel(name, cache=self.cache, load=load)
        return self._model

    @functools.cached_property
    def cache(self) -> ScoreCache:
        """The score cache."""
        from barthes.cache import ScoreCache

        return ScoreCache()

    def _run(self, task: Callable[[Worker], Any]) -> Ended:
        try:
            return Ended(task(self))
        except TaskCancelled:
            return Ended(error=BarthesError("the task was cancelled."))
        except Exception as error:
            return Ended(error=_explain(error))

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

    def _warm_up(self, name: str) -> None:
        """Load the parser and a model before the first task; failures are only logged."""
        from barthes.annotation.pipeline import load_english
        from barthes.models.deferred import DeferredModel

        with _warn_on_failure("the English parser"):
            load_english()
        with _warn_on_failure(name):
            model = DeferredModel(name, cache=self.cache)
            model.load()
            self._model = model

    def _load_model(self, name: str) -> LanguageModel:
        """Load a model for a task; fetch it first if necessary."""
        from barthes.models.loading import load_model

        if name in EMBEDDED and not is_fetched(name):
            self.start_phase("fetching")
            ensure(name, progress=lambda: contextlib.nullcontext(_FetchReporter(self.report_progress)))
        self.start_phase("loading")
        model = load_model(name)
        self.start_phase("scoring")
        return model


class _FetchReporter(Reporter):
    """Reports the progress of a fetch."""

    def __init__(self, report: Callable[[int, int], None]) -> None:
        super().__init__()
        self._report = report

    def update(self, line: str, done: int = 0, total: int = 0) -> None:
        self._report(done, total)


def _explain(error: Exception) -> BarthesError:
    """Return an error for the client; those that are not about the story are logged."""
    if isinstance(error, BarthesError):
        return error
    if isinstance(error, MemoryError):
        problem = "there is not enough memory for this story."
        return BarthesError(problem, remedy="Choose a chapter.", option="chapter")
    traceback.print_exception(error)
    return BarthesError(f"internal error: {type(error).__name__}: {error}.", remedy="Please report it.")


@contextlib.contextmanager
def _warn_on_failure(what: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        _logger.warning("%s could not be loaded in advance: %s", what, error)
