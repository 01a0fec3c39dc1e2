"""The engines of one machine: this process alone, or a process for each device or core.

Each process loads the model once, when it is first needed. One that dies is replaced, and its item done
again once; a text on which a process has died twice is recorded as failed. Processes are started as items
come, so that two texts do not load eight models.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any

from barthes.errors import BarthesError
from barthes.runs.casualties import Casualties
from barthes.runs.engine import THREADS, Item, Outcome, Workplace
from barthes.runs.scorer import Scorer

__all__ = ["InlineEngine", "ProcessEngine"]

_OFTEN = 0.5  # seconds between a worker's reports
_GOODBYE = 2.0  # seconds that a worker has to end by itself


class InlineEngine:
    """Computes in this process, one item at a time.

    Args:
        workplace: How texts are scored.
        device: Where the model computes.
    """

    capacity = 1

    def __init__(self, workplace: Workplace, *, device: str = "auto") -> None:
        self.tokens = 0
        self._scorer = Scorer(workplace, device=device, tell=self._count)
        self._items: deque[Item] = deque()

    def submit(self, item: Item) -> None:
        """Take an item; it is done when its outcome is asked for."""
        self._items.append(item)

    def collect(self, timeout: float) -> Outcome | None:
        """Do the next item, however long that takes."""
        return self._scorer.work(self._items.popleft()) if self._items else None

    def close(self) -> None:
        """Let go of the cache; the model goes with the engine."""
        self._scorer.close()

    def _count(self, tokens: int) -> None:
        self.tokens += tokens


@dataclass
class _Worker:
    """A process, as seen from here."""

    process: Any
    line: Connection
    device: str
    item: Item | None = None


@dataclass
class ProcessEngine:
    """A process for each device; several may have the same one.

    Attributes:
        workplace: How texts are scored.
        devices: One a worker.
        tokens: That have gone through the models so far.
    """

    workplace: Workplace
    devices: Sequence[str]
    tokens: int = 0
    _workers: list[_Worker] = field(default_factory=list)
    _outcomes: deque[Outcome] = field(default_factory=deque)
    _casualties: Casualties = field(default_factory=Casualties)

    @property
    def capacity(self) -> int:
        """One item a worker."""
        return len(self.devices)

    @property
    def pids(self) -> list[int]:
        """The processes that are alive."""
        return [worker.process.pid for worker in self._workers if worker.process.is_alive()]

    def submit(self, item: Item) -> None:
        """Give an item to a worker without one, or to a new one."""
        idle = next((worker for worker in self._workers if worker.item is None), None)
        worker = idle or self._hire(self._free_device())
        self._give(worker, item)

    def collect(self, timeout: float) -> Outcome | None:
        """The next outcome, whichever it is; None if there is none within so many seconds."""
        ends = time.monotonic() + timeout
        while not self._outcomes and any(worker.item for worker in self._workers):
            left = ends - time.monotonic()
            if left <= 0:
                break
            ready = wait([worker.line for worker in self._workers], timeout=left)
            for worker in [worker for worker in self._workers if worker.line in ready]:
                self._listen(worker)
        return self._outcomes.popleft() if self._outcomes else None

    def close(self) -> None:
        """End all workers, whatever they are doing."""
        for worker in self._workers:
            worker.line.close()
            if worker.item is not None:
                worker.process.terminate()
        for worker in self._workers:
            worker.process.join(_GOODBYE)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
        self._workers.clear()

    def _free_device(self) -> str:
        taken = [worker.device for worker in self._workers]
        free = list(self.devices)
        for device in taken:
            free.remove(device)
        return free[0]

    def _hire(self, device: str) -> _Worker:
        # Not by a fork: of a process with threads, that is asking for trouble.
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs, self.workplace, device), daemon=True)
        with _threads_in_environment(self.workplace.settings.threads):
            process.start()
        theirs.close()
        worker = _Worker(process, ours, device)
        self._workers.append(worker)
        return worker

    def _give(self, worker: _Worker, item: Item) -> None:
        worker.item = item
        with contextlib.suppress(OSError):  # it is dead; listening to it will tell
            worker.line.send(item)

    def _listen(self, worker: _Worker) -> None:
        try:
            kind, content = worker.line.recv()
        except (EOFError, OSError):
            self._replace(worker)
            return
        if kind == "tokens":
            self.tokens += content
        elif kind == "broken":
            raise content
        else:
            worker.item = None
            self._casualties.forget()
            self._outcomes.append(content)

    def _replace(self, worker: _Worker) -> None:
        """Bury a worker, and have its item done again once by another."""
        worker.process.join(_GOODBYE)
        worker.line.close()
        self._workers.remove(worker)
        item, code = worker.item, worker.process.exitcode
        outcome = self._casualties.bury(item, _explain(code))
        if outcome is not None:
            self._outcomes.append(outcome)
        elif item is not None:
            self._give(self._hire(worker.device), item)


def _explain(code: int | None) -> str:
    if code is not None and code < 0:
        with contextlib.suppress(ValueError):
            return f"killed by {signal.Signals(-code).name}"
    return f"exit code {code}"


@contextlib.contextmanager
def _threads_in_environment(threads: int) -> Any:
    """Libraries read the number of their threads when they are loaded."""
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, str(threads)))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _work(line: Connection, workplace: Workplace, device: str) -> None:
    """A worker's life: items come, outcomes go, until the other end hangs up or dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started us
    report = _Report(line)
    scorer = Scorer(workplace, device=device, tell=report)
    with contextlib.suppress(EOFError, OSError):
        while True:
            item = line.recv()
            try:
                outcome = scorer.work(item)
            except BarthesError as error:
                line.send(("broken", error))
                return
            report.send()
            line.send(("outcome", outcome))


class _Report:
    """Tells the other end of tokens now and then; if there is no other end any more, nobody needs us."""

    def __init__(self, line: Connection) -> None:
        self._line = line
        self._tokens = 0
        self._told = time.monotonic()

    def __call__(self, tokens: int) -> None:
        self._tokens += tokens
        if time.monotonic() - self._told >= _OFTEN:
            self.send()

    def send(self) -> None:
        try:
            if self._tokens:
                self._line.send(("tokens", self._tokens))
        except OSError:
            sys.exit(0)
        self._tokens, self._told = 0, time.monotonic()
