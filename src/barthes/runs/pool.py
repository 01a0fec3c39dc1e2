"""Pools of workers: texts go in, results come out in any order.

::

    texts ──▶ as many in progress as there are workers ──▶ results
       ▲                        │
       └── a text whose worker  ▼  died, once; the second time it has failed

A process that dies takes its pool with it, and any of the texts in progress may be the cause. So they are
tried again one at a time, in a new pool.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, islice
from multiprocessing.connection import Connection
from typing import Any

from barthes.errors import BarthesError, ModelError
from barthes.models.loading import list_model_files
from barthes.models.served_connection import RANK
from barthes.runs.inputs import Text
from barthes.runs.manifest import Environment, RunSettings, compare
from barthes.runs.results import TextResult
from barthes.runs.worker import Load, RunWorker, load_by_name

Answer = tuple[Environment, TextResult | None] | BarthesError
"""What a worker answers: the environment that it computes in and a result, or why it cannot work at all."""

_DEATHS = 10  # in a row, and two per worker; then the texts are not the cause
_COPIES = 2.5  # memory of a model as a multiple of its files: float32 weights, and activations
_WORKER = 700_000_000  # bytes of the libraries and of a long story
_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


class Pool(ABC):
    """Gives texts to workers, and tries those again whose worker died."""

    def __init__(self) -> None:
        self._environment: Environment | None = None
        self._again: list[Text] = []
        self._suspects: set[str] = set()  # texts whose worker has died once
        self._deaths = 0

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of texts that can be in progress now."""

    @abstractmethod
    def _submit(self, text: Text | None) -> Future[Answer]:
        """Give a text to an idle worker, or to a new one; None only asks for its environment."""

    @abstractmethod
    def _explain_death(self, error: Exception) -> str | None:
        """Return why a worker died; None for other errors."""

    @abstractmethod
    def close(self) -> None:
        """Stop all workers; unfinished texts are lost."""

    def _free(self, future: Future[Answer]) -> None:  # noqa: B027 - not all pools have to
        """Note that a worker has answered, or died."""

    def start(self) -> Environment:
        """Start the first worker, and return the environment that it computes in.

        Raises:
            ModelError: It cannot be started, or the model cannot be loaded.
        """
        list(self._work([None]))
        assert self._environment is not None
        return self._environment

    def score(self, texts: Iterable[Text]) -> Iterator[TextResult]:
        """Yield a result for every text.

        Raises:
            ModelError: Workers cannot load the model, differ from each other, or keep dying.
        """
        return self._work(texts)

    def _work(self, texts: Iterable[Text | None]) -> Iterator[TextResult]:
        left, pending = iter(texts), dict[Future[Answer], Text | None]()
        while True:
            for text in islice(chain(self._take_again(), left), max(0, self.size - len(pending))):
                pending[self._submit(text)] = text
            if not pending:
                return
            for future in wait(pending, return_when=FIRST_COMPLETED).done:
                self._free(future)
                if (result := self._finish(pending.pop(future), future)) is not None:
                    yield result

    def _take_again(self) -> Iterator[Text]:
        while self._again:
            yield self._again.pop()

    def _finish(self, text: Text | None, future: Future[Answer]) -> TextResult | None:
        """Return the result of a text; None if it is tried again."""
        try:
            result = self._receive(future.result())
        except Exception as error:
            if (cause := self._explain_death(error)) is None:
                raise
            result = self._bury(text, cause)
        else:
            self._deaths = 0
        if result is not None:
            self._suspects.discard(result.id)
        return result

    def _receive(self, answer: Answer) -> TextResult | None:
        if isinstance(answer, BarthesError):
            raise answer
        environment, result = answer
        self._environment = self._environment or environment
        if differences := "; ".join(compare(self._environment, environment)):
            remedy = "Install the same versions and the same model on every machine."
            raise ModelError(f"a worker differs from the first: {differences}.", remedy=remedy)
        return result

    def _bury(self, text: Text | None, cause: str) -> TextResult | None:
        self._deaths += 1
        if text is None or self._deaths >= _DEATHS + 2 * self.size:
            remedy = "Use fewer workers, or a smaller model or window."
            raise ModelError(f"workers keep dying, whatever the text ({cause}).", remedy=remedy)
        name = text.input.id
        if name not in self._suspects:
            self._suspects.add(name)
            self._again.append(text)
            return None
        remedy = "Lack of memory is the most likely cause: use fewer workers and retry the failed texts."
        return TextResult(name, reason=f"{name}: its worker died twice ({cause}). {remedy}")


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
        self._devices = choose_devices(settings, workers, threads or 1)
        self._job = (settings, load, threads or max(1, count_cores() // len(self._devices)))
        self._executor: ProcessPoolExecutor | None = None
        self._lifeline: Connection | None = None

    @property
    def size(self) -> int:
        """The number of processes; 1 as long as a text is tried again, to know whether it kills them."""
        return 1 if self._suspects else len(self._devices)

    def _submit(self, text: Text | None) -> Future[Answer]:
        if self._executor is None:
            self._start_executor()
        assert self._executor is not None
        try:
            return self._executor.submit(_answer, text)
        except BrokenProcessPool:
            self.close()
            return self._submit(text)

    def _explain_death(self, error: Exception) -> str | None:
        is_death = isinstance(error, BrokenProcessPool | CancelledError)  # cancelled with the pool
        return "its process ended" if is_death else None

    def close(self) -> None:
        """Stop all processes."""
        if self._executor is not None and self._lifeline is not None:
            self._lifeline.close()
            self._executor.shutdown(cancel_futures=True)
            self._executor = None

    def _start_executor(self) -> None:
        context = multiprocessing.get_context("spawn")  # forking a process with threads may hang
        theirs, self._lifeline = context.Pipe(duplex=False)
        free = context.SimpleQueue()
        for rank, device in enumerate(self._devices):
            free.put((rank, device))
        given = (theirs, free, *self._job)
        self._executor = ProcessPoolExecutor(len(self._devices), context, _prepare, given)


_job: tuple[RunSettings, Load, str]  # of a worker's process
_worker: RunWorker | None = None


def _prepare(lifeline: Connection, free: Any, settings: RunSettings, load: Load, threads: int) -> None:
    """Prepare a worker's process; the model is loaded with the first text, where errors can be reported."""
    global _job
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    os.environ.update(dict.fromkeys(_THREADS, str(threads)))  # for libraries that are not loaded yet
    threading.Thread(target=_end_with_parent, args=(lifeline,), daemon=True).start()
    rank, device = free.get()
    os.environ[RANK] = str(rank)
    _job = (settings, load, device)


def _answer(text: Text | None) -> Answer:
    global _worker
    try:
        _worker = _worker or RunWorker(*_job)
    except BarthesError as error:
        return error
    return _worker.environment, None if text is None else _worker.score(text)


def _end_with_parent(lifeline: Connection) -> None:
    """End this process, also in the middle of a text, when its parent closes the pool or is killed."""
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
