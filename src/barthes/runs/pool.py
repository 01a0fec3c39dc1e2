"""Pools of workers: texts go in, results come out in any order.

::

    texts ──▶ as many in progress as there are workers ──▶ results
       ▲                        │
       └── a text whose worker ─┘ died, once; the second time it has failed

Every worker has a process of its own, so its death affects one text. `ProcessPool` keeps its workers on this
machine, `RayPool` on a cluster.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from itertools import chain, islice
from typing import Protocol

from barthes.errors import BarthesError, ModelError
from barthes.runs.inputs import Text
from barthes.runs.manifest import Environment, compare
from barthes.runs.results import TextResult
from barthes.runs.worker import Answer

_DEATHS = 10  # in a row, and two per worker; then the texts are not the cause


class PoolWorker(Protocol):
    """A worker in a process of its own, which may die at any time."""

    def answer(self, text: Text | None) -> Future[Answer]:
        """Score a text; None only asks for the environment."""

    def stop(self) -> None:
        """End its process, also in the middle of a text."""


@dataclass(frozen=True, slots=True)
class _Task:
    """A text (None: only the environment) that is in progress."""

    text: Text | None
    worker: PoolWorker
    rank: int  # of the worker, from 0


class Pool(ABC):
    """Gives texts to workers, and tries those again whose worker died."""

    def __init__(self) -> None:
        self._environment: Environment | None = None
        self._idle: list[tuple[PoolWorker, int]] = []
        self._tasks: dict[Future[Answer], _Task] = {}
        self._again: list[Text | None] = []
        self._suspects: set[str] = set()  # texts whose worker has died once
        self._deaths = 0

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of workers that can be kept now."""

    @abstractmethod
    def _start_worker(self, rank: int) -> PoolWorker:
        """Start the worker with a rank that no other one has."""

    @abstractmethod
    def _explain_death(self, error: Exception) -> str | None:
        """Return why a worker died; None for other errors."""

    def start(self) -> Environment:
        """Start the first worker, and return the environment that it computes in.

        Raises:
            ModelError: It cannot be started, or the model cannot be loaded.
        """
        list(self.score([None]))
        assert self._environment is not None
        return self._environment

    def score(self, texts: Iterable[Text | None]) -> Iterator[TextResult]:
        """Yield a result for every text; None only asks a worker for its environment.

        Raises:
            ModelError: Workers cannot load the model, differ from each other, or keep dying.
        """
        left = iter(texts)
        while True:
            for text in islice(chain(self._take_again(), left), max(0, self.size - len(self._tasks))):
                self._give(text)
            if not self._tasks:
                return
            for future in wait(self._tasks, return_when=FIRST_COMPLETED).done:
                if (result := self._finish(future)) is not None:
                    yield result

    def close(self) -> None:
        """Stop all workers; unfinished texts are lost."""
        busy = [task.worker for task in self._tasks.values()]
        for worker in [*busy, *(worker for worker, _ in self._idle)]:
            worker.stop()
        self._idle.clear()
        self._tasks.clear()

    def _take_again(self) -> Iterator[Text | None]:
        while self._again:
            yield self._again.pop()

    def _give(self, text: Text | None) -> None:
        if self._idle:
            worker, rank = self._idle.pop()
        else:
            taken = {task.rank for task in self._tasks.values()}
            rank = min(set(range(len(taken) + 1)) - taken)
            worker = self._start_worker(rank)
        self._tasks[worker.answer(text)] = _Task(text, worker, rank)

    def _finish(self, future: Future[Answer]) -> TextResult | None:
        """Return the result of a text; None if it is tried again."""
        task = self._tasks.pop(future)
        try:
            answer = future.result()
        except Exception as error:
            task.worker.stop()
            if (cause := self._explain_death(error)) is None:
                raise
            return self._retry(task.text, cause)
        self._idle.append((task.worker, task.rank))
        self._deaths = 0
        return self._receive(answer)

    def _receive(self, answer: Answer) -> TextResult | None:
        if isinstance(answer, BarthesError):
            raise answer
        environment, result = answer
        self._environment = self._environment or environment
        if differences := "; ".join(compare(self._environment, environment)):
            remedy = "Install the same versions and the same model on every machine."
            raise ModelError(f"a worker differs from the first: {differences}.", remedy=remedy)
        return result

    def _retry(self, text: Text | None, cause: str) -> TextResult | None:
        """Score the text of a dead worker again; if it is its second one, return the failure."""
        self._deaths += 1
        name = "" if text is None else text.input.id
        is_first = name not in self._suspects
        if self._deaths >= _DEATHS + 2 * self.size or (text is None and not is_first):
            remedy = "Use fewer workers, or a smaller model or window."
            if text is None:
                remedy += ' A script of your own needs `if __name__ == "__main__":`.'
            raise ModelError(f"workers keep dying, whatever the text ({cause}).", remedy=remedy)
        if text is None or is_first:
            self._suspects.add(name)
            self._again.append(text)
            return None
        remedy = "Lack of memory is the most likely cause: use fewer workers and retry the failed texts."
        return TextResult(name, reason=f"{name}: its worker died twice ({cause}). {remedy}")
