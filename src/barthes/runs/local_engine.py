"""Engines on one machine: this process alone, or one process per device or core."""

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

_STOP_TIMEOUT = 2.0  # seconds that a process has to end by itself


class InlineEngine:
    """Compute in this process, one job at a time, when its result is collected."""

    capacity = 1

    def __init__(self, setup: WorkerSetup, *, device: str = "auto") -> None:
        self._worker = RunWorker(setup, device=device)
        self._jobs: deque[RunJob] = deque()

    def submit(self, job: RunJob) -> None:
        """Accept a job."""
        self._jobs.append(job)

    def collect(self, timeout: float) -> JobResult | None:
        """Run the next job, however long it takes."""
        return self._worker.run(self._jobs.popleft()) if self._jobs else None

    def close(self) -> None:
        """Close the cache."""
        self._worker.close()


@dataclass(kw_only=True)
class _Process(PoolWorker):
    process: Any
    pipe: Connection
    device: str


class ProcessEngine(WorkerPool[_Process]):
    """One worker process per entry of `devices`; several entries may name the same device."""

    def __init__(self, setup: WorkerSetup, devices: Sequence[str]) -> None:
        super().__init__(len(devices))
        self._setup = setup
        self._devices = list(devices)

    @property
    def pids(self) -> list[int]:
        """The ids of the processes that are alive."""
        return [worker.process.pid for worker in self._workers if worker.process.is_alive()]

    def close(self) -> None:
        """Stop all workers."""
        for worker in self._workers:
            worker.pipe.close()
            if worker.job is not None:
                worker.process.terminate()
        for worker in self._workers:
            worker.process.join(_STOP_TIMEOUT)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
        self._workers.clear()

    def _start(self) -> _Process:
        free = list(self._devices)
        for worker in self._workers:
            free.remove(worker.device)
        context = multiprocessing.get_context("spawn")  # forking a process with threads may hang
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs, self._setup, free[0]), daemon=True)
        process.start()
        theirs.close()
        return _Process(process=process, pipe=ours, device=free[0])

    def _send(self, worker: _Process, job: RunJob) -> None:
        with contextlib.suppress(OSError):
            worker.pipe.send(job)

    def _wait(self, timeout: float) -> None:
        ready = wait([worker.pipe for worker in self._workers], timeout=timeout)
        for worker in [worker for worker in self._workers if worker.pipe in ready]:
            try:
                answer = worker.pipe.recv()
            except (EOFError, OSError):
                worker.process.join(_STOP_TIMEOUT)
                worker.pipe.close()
                self._crash(worker, _describe_exit(worker.process.exitcode))
            else:
                self._receive(worker, answer)


def _describe_exit(code: int | None) -> str:
    if code is not None and code < 0:
        with contextlib.suppress(ValueError):
            return f"killed by {signal.Signals(-code).name}"
    return f"exit code {code}"


def _work(pipe: Connection, setup: WorkerSetup, device: str) -> None:
    """Run jobs from a pipe until the parent closes it or dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    limit_threads(setup)
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    worker = RunWorker(setup, device=device)
    with contextlib.suppress(EOFError, OSError):
        while True:
            job = pipe.recv()
            try:
                pipe.send(worker.run(job))
            except BarthesError as error:
                pipe.send(error)
                return


def _exit_with_parent() -> None:
    """End this process when its parent ends, even if the parent was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(0)
