"""Workers on a Ray cluster: actors that keep their model loaded.

Texts and results travel through the process that started the run, so machines need no common disk. There are
as many actors as fit on the machines that are alive: more when machines join, fewer when some are lost.
"""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import math
import socket
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

from barthes.errors import ModelError
from barthes.runs.inputs import Text
from barthes.runs.manifest import RunSettings
from barthes.runs.pool import Pool
from barthes.runs.process_pool import worker_memory
from barthes.runs.worker import Answer, Load, RunWorker, load_by_name

_ANSWER_TIMEOUT = 5.0  # seconds


class RayPool(Pool):
    """Actors on a Ray cluster, which this process joins if it has not.

    Args:
        settings: How texts are scored. The device ``auto`` is a GPU if the cluster has any.
        address: Of the cluster: ``auto``, ``host:port`` or ``ray://host:port``.
        workers: The number of actors; None for as many as fit.
        threads: Processor cores of each.
        gpus: GPUs of each; by default 1 if the device is ``cuda``, otherwise none.
        load: Loads the model; it must work on every machine.

    Raises:
        ModelError: Ray is not installed, or the cluster cannot be joined or has no room for a worker.
    """

    def __init__(
        self,
        settings: RunSettings,
        address: str = "auto",
        *,
        workers: int | None = None,
        threads: int = 1,
        gpus: float | None = None,
        load: Load = load_by_name,
    ) -> None:
        super().__init__()
        self._ray, self._has_joined = _join(address)
        has_gpus = self._ray.cluster_resources().get("GPU", 0) > 0
        device = settings.device
        if device == "auto":
            device = "cuda" if settings.needs_model and has_gpus and gpus != 0 else "cpu"
        gpus = float(device == "cuda") if gpus is None else gpus
        self._needs = {"CPU": threads, "GPU": gpus, "memory": worker_memory(settings)}
        self._workers = workers
        options = {"num_cpus": threads, "num_gpus": gpus, "memory": self._needs["memory"]}
        self._actor = self._ray.remote(**options)(RunWorker)
        self._job = (settings, load, device)
        if not self.size:
            raise ModelError(
                f"no machine of the cluster has room for a worker ({threads} cores, {gpus:g} GPUs, "
                f"{self._needs['memory'] / 1e9:.1f} GB of memory).",
                where=address,
                remedy="Ask for fewer cores or GPUs per worker, or add such a machine.",
            )

    @property
    def size(self) -> int:
        """How many actors fit on the machines that are alive."""
        machines = [node["Resources"] for node in self._ray.nodes() if node["Alive"]]
        room = sum(count_workers(self._needs, machine) for machine in machines)
        return room if self._workers is None else min(room, self._workers)

    def _start_worker(self, rank: int) -> _Actor:
        return _Actor(self._ray, self._actor.remote(*self._job, rank))

    def _explain_death(self, error: Exception) -> str | None:
        if not isinstance(error, self._ray.exceptions.RayError):
            return None
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        return lines[-1].rstrip(".") if lines else type(error).__name__

    def close(self) -> None:
        """Stop all actors, and leave the cluster if this pool has joined it."""
        super().close()
        if self._has_joined:
            with contextlib.suppress(self._ray.exceptions.RayError, ConnectionError):
                self._ray.shutdown()


class _Actor:
    """A worker in an actor."""

    def __init__(self, ray: Any, actor: Any) -> None:
        self._ray = ray
        self._actor = actor

    def answer(self, text: Text | None) -> Future[Answer]:
        """Score a text; None only asks for the environment."""
        future: Future[Answer] = self._actor.answer.remote(text).future()
        return future

    def stop(self) -> None:
        """End the actor, unless it is dead."""
        with contextlib.suppress(self._ray.exceptions.RayError, ConnectionError):
            self._ray.kill(self._actor)


def count_workers(needs: Mapping[str, float], machine: Mapping[str, float]) -> int:
    """Return how many workers fit on a machine, if it is not used otherwise.

    >>> count_workers({"CPU": 2, "GPU": 0.5, "memory": 10**9}, {"CPU": 16, "GPU": 2, "memory": 3e9})
    3
    """
    return math.floor(min(machine.get(name, 0) / amount for name, amount in needs.items() if amount))


def _join(address: str) -> tuple[Any, bool]:
    """Return the module `ray`, and whether this call has joined the cluster."""
    if importlib.util.find_spec("ray") is None:
        problem = "running on a Ray cluster needs Ray, which is not installed."
        raise ModelError(problem, remedy="Install it with: pip install ray")
    import ray

    if ray.is_initialized():
        return ray, False
    try:
        host, _, port = address.rpartition(":")
        if port.isdecimal() and "/" not in host:  # Ray itself would try for minutes
            socket.create_connection((host, int(port)), timeout=_ANSWER_TIMEOUT).close()
        ray.init(address=address, log_to_driver=False, logging_level=logging.CRITICAL)
    except Exception as error:  # of many kinds: versions, passwords, networks
        cause = str(error).strip().partition("\n")[0].rstrip(".")
        raise ModelError(
            f"the cluster cannot be joined ({cause}).",
            where=address,
            remedy="Start one with `ray start --head`; check the address, and that this machine has the "
            "cluster's versions of Python and Ray.",
        ) from error
    return ray, True
