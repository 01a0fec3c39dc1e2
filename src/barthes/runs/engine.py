"""The seam between a run and whoever computes: jobs go in, results come out in any order."""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Literal, Protocol, TypeVar

from barthes.errors import BarthesError, ModelError
from barthes.models.language_model import LanguageModel
from barthes.runs.inputs import Input
from barthes.runs.parts import Part
from barthes.runs.run_settings import RunSettings

Load = Callable[[str], LanguageModel]
"""Loads the language model of a run onto a device."""


@dataclass(frozen=True)
class RunJob:
    """A piece of work: a text, or a part of a long one.

    Attributes:
        input: The text.
        text: The text itself, if it is a row of a table; files are read by the worker.
        part: Score only these removals; None for the whole text.
        known: The scores of all parts of a long text in order, by method: `Measurement.to_dict` of each.
        data: The file's bytes, if the worker may be on another machine.
    """

    input: Input
    text: str | None = None
    part: Part | None = None
    known: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    data: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True)
class JobResult:
    """What became of a job.

    Attributes:
        job: The job.
        kind: ``done`` and ``failed`` end a text; ``part`` ends a part; ``divided`` says that the text is long
            and which parts it has.
        content: The profiles, the reason, or the scores of the part, as JSON can hold them.
        parts: Of a long text.
    """

    job: RunJob
    kind: Literal["done", "failed", "part", "divided"]
    content: dict[str, Any]
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True)
class WorkerSetup:
    """What a worker needs beside its jobs; it is sent to other processes and machines.

    Attributes:
        settings: How texts are scored.
        load: Loads the model onto a device; it must be importable where the worker runs.
        identity: Everything that scores depend on beside the text and the method.
        cache: Whether scores are looked up and kept in the score cache of the worker's machine.
    """

    settings: RunSettings
    load: Load
    identity: Mapping[str, Any]
    cache: bool = False


def limit_threads(setup: WorkerSetup) -> None:
    """Set how many threads libraries use that are loaded from now on; a worker calls it first."""
    names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
    os.environ.update(dict.fromkeys(names, str(setup.settings.threads)))


class Engine(Protocol):
    """Workers that keep their model loaded. Every job that is submitted has a result in the end."""

    @property
    def capacity(self) -> int:
        """How many jobs it can work on at a time."""
        ...

    @property
    def tokens(self) -> int:
        """Tokens that have gone through models so far."""
        ...

    def submit(self, job: RunJob) -> None:
        """Take a job; never more than `capacity` are under way."""
        ...

    def collect(self, timeout: float) -> JobResult | None:
        """Return the next result, or None if there is none within `timeout` seconds."""
        ...

    def close(self) -> None:
        """Stop at once; jobs under way are lost."""
        ...


@dataclass
class PoolWorker:
    """A worker as its pool sees it: the job that it has been given, and whether it is ready for one."""

    job: RunJob | None = None
    is_ready: bool = True


W = TypeVar("W", bound=PoolWorker)


class WorkerPool(ABC, Generic[W]):
    """What engines of several workers have in common: who gets which job, and what a crash costs.

    Workers are started as jobs come, so that two texts do not load eight models. The job of a worker that
    dies is retried once; if a worker dies on it again, its text fails. After `crash_limit` crashes without a
    finished job in between the run stops, because then it is not the texts.
    """

    def __init__(self) -> None:
        self.crash_limit = 10
        self._workers: list[W] = []
        self._waiting: deque[RunJob] = deque()
        self._results: deque[JobResult] = deque()
        self._retried: set[tuple[str, Part | None]] = set()
        self._crashes = 0

    @property
    @abstractmethod
    def capacity(self) -> int:
        """One job per worker."""

    @abstractmethod
    def _start(self) -> W:
        """Start a worker."""

    @abstractmethod
    def _send(self, worker: W, job: RunJob) -> None:
        """Send a job to a worker; if it is dead, `_wait` notices."""

    @abstractmethod
    def _wait(self, timeout: float) -> None:
        """Wait for workers at most `timeout` seconds; pass on what they answer to `_finish` or `_crash`."""

    def submit(self, job: RunJob) -> None:
        """Take a job; it goes to an idle worker or to a new one."""
        self._waiting.append(job)
        self._assign()

    def collect(self, timeout: float) -> JobResult | None:
        """Return the next result, or None if there is none within `timeout` seconds.

        Raises:
            ModelError: Workers have no model, or do nothing but crash.
        """
        ends = time.monotonic() + timeout
        while not self._results and (self._waiting or any(worker.job for worker in self._workers)):
            if (left := ends - time.monotonic()) <= 0:
                break
            self._assign()
            self._wait(left)
        return self._results.popleft() if self._results else None

    def _assign(self) -> None:
        starting = sum(not worker.is_ready for worker in self._workers)
        idle = [worker for worker in self._workers if worker.is_ready and worker.job is None]
        wanted = len(self._waiting) - starting - len(idle)
        for _ in range(min(wanted, self.capacity - len(self._workers))):
            self._workers.append(self._start())
        for worker in self._workers:
            if self._waiting and worker.is_ready and worker.job is None:
                worker.job = self._waiting.popleft()
                self._send(worker, worker.job)

    def _finish(self, worker: W, answer: JobResult | BarthesError) -> None:
        """Take what a worker has made of its job."""
        if isinstance(answer, BarthesError):
            raise answer
        assert worker.job is not None
        self._results.append(replace(answer, job=worker.job))
        self._crashes = 0
        worker.job = None

    def _crash(self, worker: W, cause: str) -> None:
        """Forget a worker that died."""
        self._workers.remove(worker)
        self._crashes += 1
        if self._crashes >= self.crash_limit:
            raise ModelError(
                f"workers end one after another ({cause}), whatever the text.",
                remedy="Use fewer workers, or a smaller model or window.",
            )
        if (job := worker.job) is None:
            return
        if (job.input.id, job.part) not in self._retried:
            self._retried.add((job.input.id, job.part))
            self._waiting.appendleft(job)
            return
        reason = (
            f"{job.input.id}: the process that scored it ended twice ({cause}). "
            "Lack of memory is the most likely cause: use fewer workers and retry the failed texts."
        )
        self._results.append(JobResult(job, "failed", {"reason": reason}))
