"""The engines of one machine: this process alone, or a process for each device or core."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

from barthes.errors import BarthesError
from barthes.runs.engine import JobResult, PoolWorker, RunJob, WorkerPool, WorkerSetup, limit_threads
from barthes.runs.run_worker import RunWorker

_PATIENCE = 2.0  # seconds that a process has to end by itself


class InlineEngine:
    """Computes in this process, one job at a time, when its result is asked for."""

    capacity = 1

    def __init__(self, setup: WorkerSetup, *, device: str = "auto") -> None:
        self.tokens = 0
        self._worker = RunWorker(setup, device=device, on_tokens=self._count)
        self._jobs: deque[RunJob] = deque()

    def submit(self, job: RunJob) -> None:
        """Take a job."""
        self._jobs.append(job)

    def collect(self, timeout: float) -> JobResult | None:
        """Do the next job, however long it takes."""
        return self._worker.run(self._jobs.popleft()) if self._jobs else None

    def close(self) -> None:
        """Close the cache."""
        self._worker.close()

    def _count(self, tokens: int) -> None:
        self.tokens += tokens


@dataclass(kw_only=True)
class _Process(PoolWorker):
    """A worker process; `tokens` is a shared number without a lock, which a killed process could hold."""

    process: Any
    pipe: Connection
    device: str
    tokens: Any


class ProcessEngine(WorkerPool[_Process]):
    """A worker process for each of some devices, of which several may be the same."""

    def __init__(self, setup: WorkerSetup, devices: Sequence[str]) -> None:
        super().__init__()
        self._setup = setup
        self._devices = list(devices)
        self._ended_tokens = 0

    @property
    def capacity(self) -> int:
        """One job per device."""
        return len(self._devices)

    @property
    def tokens(self) -> int:
        """Tokens that have gone through the models so far."""
        return self._ended_tokens + sum(int(worker.tokens.value) for worker in self._workers)

    @property
    def pids(self) -> list[int]:
        """The processes that are alive."""
        return [worker.process.pid for worker in self._workers if worker.process.is_alive()]

    def close(self) -> None:
        """End all workers, whatever they are doing."""
        for worker in self._workers:
            worker.pipe.close()
            if worker.job is not None:
                worker.process.terminate()
        for worker in self._workers:
            worker.process.join(_PATIENCE)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
        self._workers.clear()

    def _start(self) -> _Process:
        free = list(self._devices)
        for worker in self._workers:
            free.remove(worker.device)
        context = multiprocessing.get_context("spawn")  # a fork of a process with threads may hang
        ours, theirs = context.Pipe()
        tokens = context.RawValue("q", 0)
        arguments = (theirs, self._setup, free[0], tokens)
        process = context.Process(target=_work, args=arguments, daemon=True)
        process.start()
        theirs.close()
        return _Process(process=process, pipe=ours, device=free[0], tokens=tokens)

    def _send(self, worker: _Process, job: RunJob) -> None:
        with contextlib.suppress(OSError):
            worker.pipe.send(job)

    def _wait(self, timeout: float) -> None:
        ready = wait([worker.pipe for worker in self._workers], timeout=timeout)
        for worker in [worker for worker in self._workers if worker.pipe in ready]:
            try:
                answer = worker.pipe.recv()
            except (EOFError, OSError):
                worker.process.join(_PATIENCE)
                worker.pipe.close()
                self._ended_tokens += worker.tokens.value
                self._crash(worker, _describe_exit(worker.process.exitcode))
            else:
                self._finish(worker, answer)


def _describe_exit(code: int | None) -> str:
    if code is not None and code < 0:
        with contextlib.suppress(ValueError):
            return f"killed by {signal.Signals(-code).name}"
    return f"exit code {code}"


def _work(pipe: Connection, setup: WorkerSetup, device: str, tokens: Any) -> None:
    """Do jobs from a pipe until the parent closes it or dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    limit_threads(setup)
    threading.Thread(target=_end_with_parent, daemon=True).start()

    def count(more: int) -> None:
        tokens.value += more

    worker = RunWorker(setup, device=device, on_tokens=count)
    with contextlib.suppress(EOFError, OSError):
        while True:
            job = pipe.recv()
            try:
                pipe.send(worker.run(job))
            except BarthesError as error:
                pipe.send(error)
                return


def _end_with_parent() -> None:
    """End this process as soon as its parent is gone, even if that was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(0)
