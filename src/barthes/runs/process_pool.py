"""Workers in processes of this machine: one per GPU, otherwise as many as cores and memory allow."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection

from barthes.models.loading import list_model_files
from barthes.runs.inputs import Text
from barthes.runs.manifest import RunSettings
from barthes.runs.pool import Pool
from barthes.runs.worker import Answer, Load, RunWorker, load_by_name

_COPIES = 2.5  # memory of a model as a multiple of its files: float32 weights, and activations
_WORKER = 700_000_000  # bytes of the libraries and of a long story
_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


class ProcessPool(Pool):
    """Workers in processes of this machine.

    Args:
        settings: How texts are scored.
        workers: The number of processes; None for one per GPU, otherwise as many as cores and memory allow.
        threads: Processor threads of each; None to share the cores.
        load: Loads the model.
    """

    def __init__(
        self,
        settings: RunSettings,
        *,
        workers: int | None = None,
        threads: int | None = None,
        load: Load = load_by_name,
    ) -> None:
        super().__init__()
        self._settings = settings
        self._load = load
        self._devices = choose_devices(settings, workers, threads or 1)
        self._threads = threads or max(1, count_cores() // len(self._devices))

    @property
    def size(self) -> int:
        """The number of processes."""
        return len(self._devices)

    def _start_worker(self, rank: int) -> _WorkerProcess:
        worker = RunWorker(self._settings, self._load, self._devices[rank], rank)
        return _WorkerProcess(worker, self._threads)

    def _explain_death(self, error: Exception) -> str | None:
        return "its process ended" if isinstance(error, BrokenProcessPool) else None


class _WorkerProcess:
    """A process with one worker.

    It ends, also in the middle of a text, as soon as this process closes its end of a pipe or is killed.
    """

    def __init__(self, worker: RunWorker, threads: int) -> None:
        context = multiprocessing.get_context("spawn")  # forking a process with threads may hang
        theirs, self._lifeline = context.Pipe(duplex=False)
        self._executor = ProcessPoolExecutor(1, context, _prepare, (theirs, worker, threads))

    def answer(self, text: Text | None) -> Future[Answer]:
        """Score a text; None only asks for the environment."""
        try:
            return self._executor.submit(_answer, text)
        except BrokenProcessPool as error:  # it has died since its last answer
            future: Future[Answer] = Future()
            future.set_exception(error)
            return future

    def stop(self) -> None:
        """End the process."""
        self._lifeline.close()
        self._executor.shutdown(cancel_futures=True)


_worker: RunWorker  # of a worker's process


def _prepare(lifeline: Connection, worker: RunWorker, threads: int) -> None:
    """Prepare a worker's process."""
    global _worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    os.environ.update(dict.fromkeys(_THREADS, str(threads)))  # for libraries that are not loaded yet
    threading.Thread(target=_end_with_parent, args=(lifeline,), daemon=True).start()
    _worker = worker


def _answer(text: Text | None) -> Answer:
    return _worker.answer(text)


def _end_with_parent(lifeline: Connection) -> None:
    with contextlib.suppress(EOFError, OSError):
        lifeline.recv()
    os._exit(0)


def choose_devices(settings: RunSettings, workers: int | None, threads: int) -> list[str]:
    """Return the device of each worker."""
    if not settings.needs_model:
        return ["cpu"] * (workers or max(1, count_cores() // threads))
    kind, _, number = settings.device.partition(":")
    if kind in ("auto", "cuda") and not number:
        import torch

        if gpus := torch.cuda.device_count():
            return [f"cuda:{i % gpus}" for i in range(workers or gpus)]
    fitting = min(count_cores() // threads, count_memory() // worker_memory(settings))
    return [settings.device] * (workers or (1 if number else max(1, fitting)))


def worker_memory(settings: RunSettings) -> int:
    """Estimate the bytes that a process with its copy of the model needs."""
    files = list_model_files(settings.model) if settings.needs_model else []
    return int(_COPIES * sum(file.stat().st_size for file in files)) + _WORKER


def count_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def count_memory() -> int:
    """Return the bytes of this machine's memory; where that is unknown, enough for any number of workers."""
    if hasattr(os, "sysconf"):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return sys.maxsize
