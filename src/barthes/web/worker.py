"""The worker process that reads and scores stories, and the server's handle on it.

The server sends ``("warm", model)``, ``("score", task)`` and ``("cancel", job)``. The worker ends when the
server closes the pipe or ends. It replies with

- ``("phase", name)`` at the start of a phase,
- ``("read", narrative)``,
- ``("progress", done, total)``,
- ``("scored", index, score, losses of later sentences)``,
- ``("ended", changes of the job)``, after the result was written.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import math
import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from barthes.errors import BarthesError, NarrativeError
from barthes.models.embedded import EMBEDDED, ensure, is_fetched
from barthes.narrative import Narrative
from barthes.progress import Reporter
from barthes.units import regroup
from barthes.web.job import Job

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

    from barthes.cache import ScoreCache
    from barthes.models.deferred import DeferredModel
    from barthes.models.language_model import LanguageModel
    from barthes.salience.coherence_loss import RemovalLoss
    from barthes.salience.profile import Profile

_INTERVAL = 0.1  # seconds between reports of progress

_logger = logging.getLogger("barthes")


@dataclass(frozen=True, slots=True)
class ScoringTask:
    """A job as the worker gets it.

    Attributes:
        job: What was asked for.
        story: The file to read.
        profile: The file to write.
        sentences: How many sentences a story may have.
    """

    job: Job
    story: Path
    profile: Path
    sentences: int


class WorkerLostError(Exception):
    """The worker process ended; exit codes below zero are signals."""

    def __init__(self, code: int | None) -> None:
        reason = "perhaps out of memory" if code == -9 else f"exit code {code}"
        super().__init__(f"The scoring process ended unexpectedly ({reason}). Try a smaller model.")


class WorkerProcess:
    """Start, use and end the worker process; it is started again after it ended. Not thread-safe."""

    def __init__(self) -> None:
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
            self._process = context.Process(target=run_worker, args=(other,), daemon=True)
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


def run_worker(connection: Connection) -> None:
    """Handle orders until the server closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server handles Ctrl-C and ends us
    threading.Thread(target=_end_with_server, daemon=True).start()
    Worker(connection).run()


def _end_with_server() -> None:
    """End this process when the server is killed."""
    if (server := multiprocessing.parent_process()) is not None:
        server.join()
        os._exit(1)


class Worker:
    """Reads and scores stories in the worker process. Ends with the server."""

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
            elif order == "score":
                self._send("ended", self._answer(content))

    def _send(self, kind: str, *content: Any) -> None:
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

    def _report_loss(self, loss: RemovalLoss) -> None:
        """Send the score of a sentence."""
        losses = [float(f"{value:.4g}") if math.isfinite(value) else None for value in loss.later.tolist()]
        score = float(loss.total) if math.isfinite(loss.total) else None
        self._send("scored", loss.index, score, losses)

    def _report_progress(self, done: int, total: int) -> None:
        """Send the progress at intervals, and raise JobCancelled if the server asks to."""
        while self._has_order():
            order, _ = self._receive()
            if order == "cancel":
                raise JobCancelled
        moment = time.monotonic()
        if done >= total or moment - self._reported >= _INTERVAL:
            self._reported = moment
            self._send("progress", done, total)

    def _warm_up(self, name: str) -> None:
        """Load the parser and a model before the first job; failures are only logged."""
        from barthes.annotation.pipeline import load_english
        from barthes.models.deferred import DeferredModel

        with _warn_on_failure("the English parser"):
            load_english()
        with _warn_on_failure(name):
            model = DeferredModel(name, cache=self._cache)
            model.load()
            self._model = model

    def _answer(self, task: ScoringTask) -> dict[str, Any]:
        """Run a job; return the changes that end it."""
        try:
            profile = self._score(task)
            profile.save(task.profile)
        except JobCancelled:
            return {"state": "cancelled"}
        except BarthesError as error:
            problem = str(error)
        except MemoryError:
            problem = "There is not enough memory for this story. Choose a chapter."
        except Exception as error:
            traceback.print_exc()
            problem = f"Internal error: {type(error).__name__}: {error}. Please report it."
        else:
            return {"state": "finished", "notes": list(profile.notes)}
        return {"state": "failed", "problem": problem}

    def _score(self, task: ScoringTask) -> Profile:
        from barthes.methods import parse_method
        from barthes.scoring import score_narrative

        job = task.job
        self._send("phase", "reading")
        narrative = regroup(_read(task), job.unit)
        self._send("read", narrative)
        # None only if the method does not use it
        model = cast("DeferredModel", None if job.model is None else self._get_model(job.model))
        if job.model is None or model.is_loaded:
            self._send("phase", "scoring")
        return score_narrative(
            narrative,
            parse_method(job.method, model=lambda: model, unit=job.unit),
            cache=self._cache,
            progress=self._report_progress,
            on_loss=None if job.unit == "event" else self._report_loss,
        )

    def _get_model(self, name: str) -> DeferredModel:
        """Return a model: the last one if it has the name and is loaded."""
        from barthes.models.deferred import DeferredModel

        if self._model is None or self._model.name != name or not self._model.is_loaded:
            load = functools.partial(self._load_model, name)
            self._model = DeferredModel(name, cache=self._cache, load=load)
        return self._model

    def _load_model(self, name: str) -> LanguageModel:
        """Load a model for a job; fetch it first if necessary."""
        from barthes.models.loading import load_model

        if name in EMBEDDED and not is_fetched(name):
            self._send("phase", "fetching")
            ensure(name, progress=lambda: contextlib.nullcontext(_FetchReporter(self._report_progress)))
        self._send("phase", "loading")
        model = load_model(name)
        self._send("phase", "scoring")
        return model

    @functools.cached_property
    def _cache(self) -> ScoreCache:
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


def _read(task: ScoringTask) -> Narrative:
    # Imported here, because the server imports this module too.
    from barthes.reading.formats import parse_document
    from barthes.reading.source import read_bytes
    from barthes.reading.story import narrate

    job = task.job
    named = job.name or job.title
    document = parse_document(read_bytes(task.story), where=named, name=f"story{job.suffix}")
    narrative = narrate(
        document,
        chapter=job.chapter,
        language=job.language,
        sentences=job.lines,
        title=named if job.titled else None,
        where=named,
        name=named,
    )
    if len(narrative) > task.sentences:
        raise NarrativeError(
            f"it has {len(narrative):,} sentences; this server accepts up to {task.sentences:,}.",
            where=named,
            remedy="Choose a chapter, or ask for a higher limit on the server.",
        )
    if job.language == "xx" and not job.lines:
        note = "There are no rules for this language: sentences were split by punctuation only."
        return replace(narrative, notes=(*narrative.notes, note))
    return narrative
