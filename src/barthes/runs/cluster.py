"""A Ray cluster: one that is there, or one that is started for a run on this machine and ends with it.

The one that is started here listens to this machine alone, asks for a password that nobody else knows, shows
no web pages (Ray's process of the name dashboard runs, without them), sends no statistics and takes its files
away; if this process is killed, they stay.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import logging
import math
import os
import secrets
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from barthes.errors import ModelError
from barthes.runs.devices import count_cores
from barthes.runs.ray_processes import end_processes, kept_to_this_machine, remove_folder, signals_kept

__all__ = ["RayCluster", "Share", "Tell", "check_ray"]

_STORE = 200 << 20  # bytes for what travels: texts and scores
_LONGEST = 40  # characters of the path of a temporary folder: what Ray puts below it must fit into 107
_PATIENCE = 3.0  # seconds for an answer from the head of a cluster
_TRIES = 4  # Ray gives a machine half a minute to start it, and a busy one may need more
_SHUTDOWN = 10.0  # seconds to leave a cluster
_STARTING = "starting Ray, which takes some seconds, and minutes on a busy machine …"
_QUIET = {"RAY_USAGE_STATS_ENABLED": "0"}
# Milliseconds that a busy machine may take to start Ray's own helpers.
_SLOW = {"RAY_agent_register_timeout_ms": "120000"}
# Or Ray ends this process when the head has been gone for a minute.
_PATIENT = {"RAY_gcs_rpc_server_reconnect_timeout_s": "3600"}


Tell = Callable[[str], None]
"""Hears what somebody is waiting for."""


@dataclass(frozen=True)
class Share:
    """What each worker has of a machine.

    Attributes:
        cpus: Processor cores.
        gpus: Graphics cards; two workers with half of one each share it.
        memory: Bytes; 0 asks for none.
    """

    cpus: float = 1
    gpus: float = 0
    memory: int = 0

    def count(self, resources: Mapping[str, float]) -> int:
        """How many workers a machine has room for.

        >>> Share(cpus=2, gpus=1).count({"CPU": 16, "GPU": 4})
        4
        """
        asked = {"CPU": self.cpus, "GPU": self.gpus, "memory": float(self.memory)}
        return int(
            min((resources.get(name, 0) / amount for name, amount in asked.items() if amount), default=1)
        )

    def __str__(self) -> str:
        cores = f"{self.cpus:g} {'core' if self.cpus == 1 else 'cores'}"
        cards = f", {self.gpus:g} {'graphics card' if self.gpus == 1 else 'graphics cards'}"
        memory = f", {self.memory / 1e9:.1f} GB of memory"
        return cores + (cards if self.gpus else "") + (memory if self.memory else "")


class RayCluster:
    """A cluster, joined or started when it is first needed; or the one that this process has joined before.

    Args:
        address: ``auto``, ``host:port`` or ``ray://host:port``; None to start one here.
        tell: Hears what it is waiting for.
    """

    def __init__(self, address: str | None = None, *, tell: Tell = lambda what: None) -> None:
        ray = sys.modules.get("ray")
        self._is_lent = ray is not None and ray.is_initialized()
        self.address = address
        self._tell = tell
        self._ray: Any = ray if self._is_lent else None
        self._folder: str | None = None
        self._before: dict[str, str | None] = {}
        self._head: tuple[str, int] | None = None
        self._is_lost = False

    def __enter__(self) -> RayCluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def is_own(self) -> bool:
        """Whether it is one that is started here."""
        return self.address is None and not self._is_lent

    def connect(self, *, workers: int = 1, share: Share = Share()) -> Any:  # noqa: B008 - frozen
        """Ray, joined to the cluster.

        Args:
            workers: That a cluster started here must have room for.
            share: Of each.

        Raises:
            ModelError: There is no such cluster, or no Ray.
        """
        if self._ray is None:
            check_ray()
            self._tell(_STARTING if self.is_own else f"joining the Ray cluster at {self.address} …")
            self._ray = self._start(workers, share) if self.is_own else self._join()
        return self._ray

    def count(self, share: Share) -> int:
        """How many workers there is room for on all machines that are alive, if nobody else has any."""
        return sum(share.count(node["Resources"]) for node in self._ray.nodes() if node["Alive"])

    def is_there(self) -> bool:
        """Whether its head answers; Ray itself would wait for it for an hour."""
        if self._head is not None:
            self._is_lost = not _answers(*self._head)
        return not self._is_lost

    def tell_gone(self) -> ModelError:
        """What to say when its head does not answer any more; it is left without a goodbye."""
        self._is_lost = True
        return ModelError(
            "the cluster is gone: its head does not answer any more.",
            where=self.address or "Ray",
            remedy="What is finished is kept; start the cluster, and give the same command again.",
        )

    def close(self) -> None:
        """Leave it; one that was started here ends, even if its start was interrupted."""
        ray = sys.modules.get("ray") if self._ray is None and self._folder is not None else self._ray
        if ray is not None and not self._is_lent:
            # Without a head to say goodbye to, Ray would wait for one.
            leaving = threading.Thread(target=_leave, args=[ray], daemon=True)
            leaving.start()
            leaving.join(_PATIENCE if self._is_lost else _SHUTDOWN)
            ray._private.worker._worker_logs_enabled = True
            self._ray = None
        if self._folder is not None:
            end_processes(self._folder)
            remove_folder(self._folder)
            self._folder = None
        _set_environment(self._before)
        self._before = {}

    def _start(self, workers: int, share: Share) -> Any:
        self._set({**_QUIET, **_SLOW, "RAY_AUTH_MODE": None, "RAY_AUTH_TOKEN": _make_password()})
        self._folder = tempfile.mkdtemp(prefix="barthes-", dir=_short_folder())
        with kept_to_this_machine():
            return self._init(
                address="local",
                num_cpus=max(count_cores(), math.ceil(workers * share.cpus)),
                object_store_memory=_STORE,
                include_dashboard=False,
                _temp_dir=self._folder,
            )

    def _join(self) -> Any:
        self._set({**_QUIET, **_PATIENT})
        assert self.address is not None
        host, colon, port = self.address.rpartition(":")
        if colon and "/" not in self.address and port.isdecimal() and not _answers(host, int(port)):
            raise _unreachable(self.address, "nobody answers there")
        return self._init(address=self.address)

    def _init(self, **options: Any) -> Any:
        import ray

        logging.getLogger("ray").setLevel(logging.CRITICAL)
        for left in reversed(range(_TRIES)):
            try:
                with signals_kept():
                    ray.init(**options, log_to_driver=False, logging_level=logging.CRITICAL)
                break
            except Exception as error:  # of many kinds: versions, passwords, networks
                ray.shutdown()
                if not left or "timed out during startup" not in str(error):
                    raise _unreachable(self.address, str(error).strip().partition("\n")[0]) from error
                self._tell(f"Ray has not started in its time; trying again ({left} left) …")
        # Deaths of workers are told by us, if at all; Ray would print them to standard output.
        ray._private.worker._worker_logs_enabled = False
        if not options["address"].startswith("ray://"):
            host, _, port = ray.get_runtime_context().gcs_address.rpartition(":")
            self._head = (host.strip("[]"), int(port))
        return ray

    def _set(self, variables: Mapping[str, str | None]) -> None:
        self._before = {name: os.environ.get(name) for name in variables}
        _set_environment(variables)


def _leave(ray: Any) -> None:
    with contextlib.suppress(ConnectionError):  # Ray Client wants somebody to take leave of
        ray.shutdown()


def _set_environment(variables: Mapping[str, str | None]) -> None:
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


@functools.cache
def _make_password() -> str:
    """One for this process: Ray reads it once."""
    return secrets.token_hex(32)


def check_ray() -> None:
    """Say at once if there is no Ray.

    Raises:
        ModelError: It is not installed.
    """
    if importlib.util.find_spec("ray") is None:
        raise ModelError(
            "--engine ray needs Ray, which is not installed.", remedy="pip install 'barthes[ray]'"
        )


def _answers(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), timeout=_PATIENCE).close()
    except OSError:
        return False
    return True


def _short_folder() -> str | None:
    """Where temporary folders are, if that is not too far down for Ray's sockets."""
    usual = tempfile.gettempdir()
    return "/tmp" if len(usual) > _LONGEST and os.name != "nt" else usual


def _unreachable(address: str | None, cause: str) -> ModelError:
    if address is None:
        return ModelError(
            f"a cluster cannot be started here ({cause.rstrip('.')}).",
            where="Ray",
            remedy="Give the same command when the machine has less to do, or --engine local.",
        )
    return ModelError(
        f"the cluster cannot be joined ({cause.rstrip('.')}).",
        where=address,
        remedy="Check --address, and that this machine has the cluster's Python, Ray and password "
        "(RAY_AUTH_TOKEN); without --address a cluster is started here.",
    )
