"""The engine for clusters: Ray actors, each with a model that stays loaded.

Texts are sent with the jobs, so machines need no common disk. Jobs go only to actors that have started: if a
machine is lost and there is no room for a replacement, the other workers take its jobs. If machines join,
workers are started on them.
"""

from __future__ import annotations

import contextlib
import functools
import socket
import time
from dataclasses import dataclass, replace
from typing import Any

from barthes.annotation.pipeline import describe_parser
from barthes.errors import BarthesError, ModelError
from barthes.runs.engine import JobResult, PoolWorker, RunJob, WorkerPool, WorkerSetup, limit_threads
from barthes.runs.ray_cluster import RayCluster, WorkerResources
from barthes.runs.run_settings import find_versions
from barthes.runs.run_worker import RunWorker

ROOM_TIMEOUT = 600.0
"""Seconds to wait for a worker while others use the cluster."""

_CHECK_INTERVAL = 2.0  # seconds between two checks of the cluster
_MAX_UNANSWERED = 3  # checks in a row that the head has not answered
_JOIN_TIMEOUT = 30.0  # seconds for suitable machines to join a cluster that has none


class RayWorker:
    """The actor: a worker on some machine, which uses that machine's score cache."""

    def __init__(self, setup: WorkerSetup, device: str) -> None:
        limit_threads(setup)
        self._setup = setup
        self._worker = RunWorker(setup, device=device)

    def check(self) -> BarthesError | None:
        """Return an error if versions differ from those of the machine that started the run."""
        expected, parser = self._setup.identity.get("versions", {}), self._setup.identity.get("parser")
        found = find_versions() if expected else {}
        differences = [f"{name} {found[name]}" for name in found if found[name] != expected.get(name)]
        if parser is not None and parser != (own := describe_parser()):
            differences.append(f"the parser {own}")
        if not differences:
            return None
        return ModelError(
            f"its versions differ from those of the machine that started the run: {', '.join(differences)}.",
            where=_name_machine("Ray"),
            remedy="Install the same versions on every machine: others may round differently.",
        )

    def run(self, job: RunJob) -> JobResult | BarthesError:
        """Return the result of a job, without the job itself, or an error that stops the run."""
        try:
            return replace(self._worker.run(job), job=RunJob(job.input))
        except BarthesError as error:
            error.where = _name_machine(error.where or "Ray")
            return error


def _name_machine(where: str) -> str:
    return f"{where} (on {socket.gethostname()})"


@dataclass(kw_only=True)
class _Actor(PoolWorker):
    handle: Any
    answer: Any  # the reference to its next answer


class RayEngine(WorkerPool[_Actor]):
    """Actors on a Ray cluster.

    Args:
        setup: How texts are scored.
        cluster: The cluster, which is joined now.
        device: Where each model computes.
        workers: Their number; None for as many as there is room for.
        resources: What each worker needs of its machine.

    Raises:
        ModelError: The cluster cannot be joined, or has no suitable machine.
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
        self._cluster = cluster
        self._resources = resources
        self._requested = workers
        self._ray = cluster.connect(workers=workers or 1, resources=resources)
        actor = self._ray.remote(max_restarts=0, **resources.options)(RayWorker)
        self._new_actor = functools.partial(actor.remote, setup, device)
        self._checked_at, self._unanswered = 0.0, 0
        self._idle_since = time.monotonic()  # since when no worker has been ready
        self._check_cluster()

    def close(self) -> None:
        """Stop all workers."""
        for actor in self._workers if self._cluster.is_reachable() else ():
            self._kill(actor)
        self._workers.clear()

    def _start(self) -> _Actor:
        handle = self._new_actor()
        return _Actor(handle=handle, answer=handle.check.remote(), is_ready=False)

    def _send(self, worker: _Actor, job: RunJob) -> None:
        worker.answer = worker.handle.run.remote(_with_data(job))

    def _wait(self, timeout: float) -> None:
        self._check_cluster()
        waiting = {actor.answer: actor for actor in self._workers if actor.job or not actor.is_ready}
        ready, _ = self._ray.wait(list(waiting), num_returns=1, timeout=timeout)
        for answer in ready:
            try:
                found = self._ray.get(answer)
            except self._ray.exceptions.RayError as error:
                self._lose(waiting[answer], error)
            else:
                self._receive(waiting[answer], found)

    def _lose(self, actor: _Actor, error: Exception) -> None:
        """Remove an actor that is dead or cannot be reached."""
        self._kill(actor)
        is_task = isinstance(error, self._ray.exceptions.RayTaskError)
        if not actor.is_ready and (is_task or "creation task" in str(error)):
            raise ModelError(
                f"a worker cannot be started ({last_line(error)}).",
                where="Ray",
                remedy="Install the same version of Barthes, with its dependencies, on every machine.",
            )
        self._crash(actor, _explain(error))

    def _kill(self, actor: _Actor) -> None:
        with contextlib.suppress(self._ray.exceptions.RayError, ConnectionError):  # it has ended already
            self._ray.kill(actor.handle)

    def _check_cluster(self) -> None:
        """Check every few seconds whether the cluster is there, has grown, and has room for workers."""
        now = time.monotonic()
        if now - self._checked_at < _CHECK_INTERVAL:
            return
        self._checked_at = now
        self._unanswered = 0 if self._cluster.is_reachable() else self._unanswered + 1
        if self._unanswered >= _MAX_UNANSWERED:
            raise self._cluster.lose()
        if self._unanswered:
            return
        room = self._cluster.count(self._resources)
        self.capacity: int = max(1, self._requested or room)
        # Each worker may die once with its machine; a larger cluster may lose more of them.
        self.crash_limit: int = max(self.crash_limit, 10 + 2 * self.capacity)
        if any(actor.is_ready for actor in self._workers) or (room and not self._workers):
            self._idle_since = now
        waited = now - self._idle_since
        if not room and (self._cluster.is_own or waited >= _JOIN_TIMEOUT):
            raise no_room(self._cluster, self._resources)
        if waited >= ROOM_TIMEOUT:
            raise ModelError(
                f"there was no room for a worker for {ROOM_TIMEOUT / 60:.0f} minutes ({self._resources}).",
                where=self._cluster.name,
                remedy="Run the same command again when the cluster is less busy.",
            )


def no_room(cluster: RayCluster, resources: WorkerResources) -> ModelError:
    """Return the error for a cluster that has no machine with enough resources for a worker."""
    return ModelError(
        f"no machine of the cluster has room for a worker ({resources}).",
        where=cluster.name,
        remedy="Ask for fewer cores or GPUs per worker, or add such a machine.",
    )


def _with_data(job: RunJob) -> RunJob:
    """Return the job with the content of its file; if it cannot be read here, the worker reports why."""
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
    """Return the last line of a Ray error, which says what happened, without the traceback."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1].rstrip(".") if lines else type(error).__name__
