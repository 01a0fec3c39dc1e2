"""The engine of clusters: Ray actors, each with a model that stays loaded.

Texts are sent along with the jobs, so that machines need no common disk. A job is given only to an actor
that is up: when a machine is lost and there is no room for as many workers as before, the others take its
jobs. When machines join, workers are started on them.
"""

from __future__ import annotations

import contextlib
import functools
import socket
import time
from dataclasses import dataclass, replace
from typing import Any

from barthes.errors import BarthesError, ModelError
from barthes.runs.engine import JobResult, PoolWorker, RunJob, WorkerPool, WorkerSetup, limit_threads
from barthes.runs.ray_cluster import RayCluster, WorkerResources
from barthes.runs.run_worker import RunWorker, find_differences

NO_TURN = 600.0
"""Seconds that others may take to make room for a worker."""

_LOOK = 2.0  # seconds between two looks at the cluster
_LOST = 3  # looks in a row at which the head has not answered
_NO_ROOM = 30.0  # seconds that machines may take to join a cluster that has none of the kind


class RayWorker:
    """The actor: a worker on some machine, which uses that machine's cache of scores."""

    def __init__(self, setup: WorkerSetup, device: str) -> None:
        limit_threads(setup)
        self._setup = setup
        self._tokens = 0
        self._worker = RunWorker(setup, device=device, on_tokens=self._count)

    def check(self) -> tuple[BarthesError | None, str]:
        """Return what is wrong with the machine, and its name."""
        problem = None
        if differences := find_differences(self._setup.identity):
            problem = ModelError(
                f"has other versions than the machine that began the run: {', '.join(differences)}.",
                where="Ray",
                remedy="Install the same ones on every machine: others may round differently.",
            )
        return problem, socket.gethostname()

    def run(self, job: RunJob) -> tuple[JobResult | BarthesError, int]:
        """Return the result of a job without the job itself, or what stops the run; and the tokens so far."""
        try:
            result = self._worker.run(job)
            return replace(result, job=RunJob(job.input)), self._tokens
        except BarthesError as error:
            return error, self._tokens

    def _count(self, tokens: int) -> None:
        self._tokens += tokens


@dataclass(kw_only=True)
class _Actor(PoolWorker):
    """An actor; `answer` refers to what it was asked last."""

    handle: Any
    answer: Any
    node: str = "an unknown machine"
    tokens: int = 0


class RayEngine(WorkerPool[_Actor]):
    """Actors on a Ray cluster.

    Args:
        setup: How texts are scored.
        cluster: Where; it is joined now.
        device: Where each model computes.
        workers: How many; None for as many as there is room for.
        resources: What each worker has of its machine.

    Raises:
        ModelError: The cluster cannot be joined, or has no machine of the kind.
    """

    def __init__(
        self,
        setup: WorkerSetup,
        cluster: RayCluster,
        *,
        device: str = "cpu",
        workers: int | None = None,
        resources: WorkerResources = WorkerResources(),  # noqa: B008 - frozen
    ) -> None:
        super().__init__()
        self.tokens = 0
        self._cluster = cluster
        self._resources = resources
        self._asked = workers
        self._ray = cluster.connect(workers=workers or 1, resources=resources)
        kind = self._ray.remote(max_restarts=0, **resources.options)(RayWorker)
        self._new = functools.partial(kind.remote, setup, device)
        self._looked, self._lost, self._room = 0.0, 0, 0
        self._alone = time.monotonic()  # since when no worker is up
        with cluster.checked():
            self._look_at_cluster()

    @property
    def capacity(self) -> int:
        """One job per worker; it grows with the cluster."""
        return max(1, self._asked or self._room)

    def submit(self, job: RunJob) -> None:
        """Take a job; it goes to the next worker that is up and idle."""
        with self._cluster.checked():
            super().submit(job)

    def collect(self, timeout: float) -> JobResult | None:
        """Return the next result, or None if there is none within `timeout` seconds."""
        with self._cluster.checked():
            return super().collect(timeout)

    def close(self) -> None:
        """End all workers, whatever they are doing."""
        for actor in self._workers if self._cluster.is_reachable() else ():
            self._end(actor)
        self._workers.clear()

    def _start(self) -> _Actor:
        handle = self._new()
        return _Actor(handle=handle, answer=handle.check.remote(), is_ready=False)

    def _send(self, worker: _Actor, job: RunJob) -> None:
        worker.answer = worker.handle.run.remote(_with_data(job))

    def _wait(self, timeout: float) -> None:
        from ray.exceptions import RayError

        self._look_at_cluster()
        asked = {actor.answer: actor for actor in self._workers if actor.job or not actor.is_ready}
        ready, _ = self._ray.wait(list(asked), num_returns=1, timeout=timeout)
        for answer in ready:
            try:
                found = self._ray.get(answer)
            except RayError as error:
                self._lose(asked[answer], error)
            else:
                self._receive(asked[answer], *found)

    def _receive(self, actor: _Actor, answer: Any, about: Any) -> None:
        """Take what `RayWorker.check` or `RayWorker.run` returned."""
        if not actor.is_ready:
            actor.is_ready, actor.node = True, about
        else:
            self.tokens += about - actor.tokens
            actor.tokens = about
        if isinstance(answer, BarthesError):
            answer.where = f"{answer.where or 'Ray'} (on {actor.node})"
            raise answer
        if answer is not None:
            self._finish(actor, answer)

    def _lose(self, actor: _Actor, error: Exception) -> None:
        """Forget an actor that is dead or out of reach."""
        from ray.exceptions import RayTaskError

        self._end(actor)
        if not actor.is_ready and (isinstance(error, RayTaskError) or "creation task" in str(error)):
            raise ModelError(
                f"a worker cannot be started ({last_line(error)}).",
                where="Ray",
                remedy="Install the same version of Barthes, with all it needs, on every machine.",
            )
        self._crash(actor, _explain(error))

    def _end(self, actor: _Actor) -> None:
        with contextlib.suppress(Exception):  # it has ended already
            self._ray.kill(actor.handle)

    def _look_at_cluster(self) -> None:
        """Check now and then whether the cluster is there, has grown, and has room for us at all."""
        now = time.monotonic()
        if now - self._looked < _LOOK:
            return
        self._looked = now
        self._lost = 0 if self._cluster.is_reachable() else self._lost + 1
        if self._lost >= _LOST:
            raise self._cluster.lose()
        if self._lost:
            return
        self._room = self._cluster.count(self._resources)
        # Each worker may die once with its machine; a cluster that has grown can lose more of them.
        self.crash_limit = max(self.crash_limit, 10 + 2 * self.capacity)
        if any(actor.is_ready for actor in self._workers) or (self._room and not self._workers):
            self._alone = now
        waited = now - self._alone
        if not self._room and waited >= (0.0 if self._cluster.is_own else _NO_ROOM):
            raise no_room(self._cluster, self._resources)
        if waited >= NO_TURN:
            raise ModelError(
                f"no worker has found room for {NO_TURN / 60:.0f} minutes ({self._resources}).",
                where=self._cluster.name,
                remedy="Give the same command when others have left it.",
            )


def no_room(cluster: RayCluster, resources: WorkerResources) -> ModelError:
    """Return the error for a cluster none of whose machines has what a worker needs."""
    return ModelError(
        f"no machine of the cluster has room for a worker ({resources}).",
        where=cluster.name,
        remedy="Ask for fewer cores or graphics cards for each worker, or add such a machine.",
    )


def _with_data(job: RunJob) -> RunJob:
    """Return the job with the bytes of its file; if they cannot be read here, the worker reports why."""
    from barthes.reading.source import read_bytes

    if job.text is None and job.data is None:
        with contextlib.suppress(BarthesError):
            return replace(job, data=read_bytes(job.input.source))
    return job


def _explain(error: Exception) -> str:
    from ray.exceptions import ActorUnavailableError, OutOfMemoryError, RayTaskError

    text = str(error)
    if isinstance(error, RayTaskError):
        return last_line(error)
    if isinstance(error, OutOfMemoryError) or "memory pressure" in text:
        return "there was not enough memory"
    if isinstance(error, ActorUnavailableError):
        return "it cannot be reached any more"
    if "node" in text and ("died" in text or "dead" in text) and "worker process" not in text:
        return "its machine is lost"
    return "its process died"


def last_line(error: Exception) -> str:
    """Return the last line of an error of Ray, which says what happened; the others are its traceback."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1].rstrip(".") if lines else type(error).__name__
