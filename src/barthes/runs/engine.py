"""The interface between a run and its workers: jobs go in, results come out in any order."""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Literal, Protocol, TypeVar

from barthes.errors import BarthesError, ModelError
from barthes.models.language_model import LanguageModel
from barthes.runs.inputs import Input
from barthes.runs.run_settings import RunSettings

Load = Callable[[str], LanguageModel]
"""Loads the language model of a run onto a device."""


@dataclass(frozen=True)
class RunJob:
    """A text to score."""

    input: Input
    text: str | None = None  # of a row of a table; workers read files themselves
    data: bytes | None = field(default=None, repr=False)  # of the file, if workers are on other machines


@dataclass(frozen=True)
class JobResult:
    """The result of a job."""

    job: RunJob
    kind: Literal["done", "failed"]
    content: dict[str, Any]  # for JSON: the profiles or the reason
    tokens: int = 0  # that went through the model


@dataclass(frozen=True)
class WorkerSetup:
    """What a worker needs besides its jobs; it is sent to other processes and machines."""

    settings: RunSettings
    load: Load  # must be importable where the worker runs
    identity: Mapping[str, Any]  # what scores depend on besides the text and the method
    cache: bool = False  # whether to use the score cache of the worker's machine


def limit_threads(setup: WorkerSetup) -> None:
    """Limit the threads of libraries that are loaded from now on; a worker calls it first."""
    names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
    os.environ.update(dict.fromkeys(names, str(setup.settings.threads)))


class Engine(Protocol):
    """Workers that keep their model loaded. Every submitted job has a result in the end."""

    @property
    def capacity(self) -> int:
        """The number of jobs that it can work on at a time."""

    def submit(self, job: RunJob) -> None:
        """Accept a job; the caller never submits more than `capacity` at a time."""

    def collect(self, timeout: float) -> JobResult | None:
        """Return the next result, or None if there is none within `timeout` seconds."""

    def close(self) -> None:
        """Stop at once; unfinished jobs are lost."""


@dataclass
class PoolWorker:
    """A worker in a pool: its current job, and whether it has started."""

    job: RunJob | None = None
    is_ready: bool = True


W = TypeVar("W", bound=PoolWorker)


class WorkerPool(ABC, Generic[W]):
    """Assign jobs to workers, and replace workers that crash.

    Workers are started on demand, so that two texts do not load eight models. The job of a worker that
    crashes is retried once; after a second crash its text fails. After `crash_limit` crashes without a
    finished job in between, the run stops, because the texts are not the cause.
    """

    def __init__(self, capacity: int = 1) -> None:
        self.capacity: int = capacity  # workers, each with one job at a time
        self.crash_limit: int = 10
        self._workers: list[W] = []
        self._waiting: deque[RunJob] = deque()
        self._results: deque[JobResult] = deque()
        self._retried: set[str] = set()
        self._crashes = 0

    @abstractmethod
    def _start(self) -> W:
        """Start a worker."""

    @abstractmethod
    def _send(self, worker: W, job: RunJob) -> None:
        """Send a job to a worker; if the worker is dead, `_wait` notices."""

    @abstractmethod
    def _wait(self, timeout: float) -> None:
        """Wait for workers at most `timeout` seconds; call `_receive` or `_crash` for each that answers."""

    def submit(self, job: RunJob) -> None:
        """Accept a job, and assign it to an idle or a new worker."""
        self._waiting.append(job)
        self._assign()

    def collect(self, timeout: float) -> JobResult | None:
        """Return the next result, or None if there is none within `timeout` seconds.

        Raises:
            ModelError: Workers cannot load the model, or keep crashing.
        """
        end = time.monotonic() + timeout
        while not self._results and (self._waiting or any(worker.job for worker in self._workers)):
            if (left := end - time.monotonic()) <= 0:
                break
            self._assign()
            self._wait(left)
        return self._results.popleft() if self._results else None

    def _assign(self) -> None:
        busy = sum(worker.is_ready and worker.job is not None for worker in self._workers)
        wanted = len(self._waiting) - (len(self._workers) - busy)
        for _ in range(min(wanted, self.capacity - len(self._workers))):
            self._workers.append(self._start())
        for worker in self._workers:
            if self._waiting and worker.is_ready and worker.job is None:
                worker.job = self._waiting.popleft()
                self._send(worker, worker.job)

    def _receive(self, worker: W, answer: JobResult | BarthesError | None) -> None:
        """Handle what a worker answers: None once it has started, later the results of its jobs."""
        worker.is_ready = True
        if isinstance(answer, BarthesError):
            raise answer
        if answer is not None:
            assert worker.job is not None
            self._results.append(replace(answer, job=worker.job))
            self._crashes = 0
            worker.job = None

    def _crash(self, worker: W, cause: str) -> None:
        """Remove a worker that has died, and retry its job or record the failure."""
        self._workers.remove(worker)
        self._crashes += 1
        if self._crashes >= self.crash_limit:
            raise ModelError(
                f"workers keep crashing on different texts ({cause}).",
                remedy="Use fewer workers, or a smaller model or window.",
            )
        if (job := worker.job) is None:
            return
        if job.input.id not in self._retried:
            self._retried.add(job.input.id)
            self._waiting.appendleft(job)
            return
        reason = (
            f"{job.input.id}: the process that scored it crashed twice ({cause}). "
            "Lack of memory is the most likely cause: use fewer workers and retry the failed texts."
        )
        self._results.append(JobResult(job, "failed", {"reason": reason}))
