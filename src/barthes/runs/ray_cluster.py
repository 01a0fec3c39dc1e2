"""Connect to a Ray cluster, or start one on this machine for the duration of a run.

A cluster that is started here listens to this machine only, has a random password, no dashboard and no usage
statistics, and removes its files, unless this process is killed.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import logging
import math
import os
import secrets
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from barthes.errors import ModelError
from barthes.runs.devices import count_cores

_OBJECT_STORE = 200 << 20  # bytes for jobs and results in transit
_MAX_FOLDER = 36  # characters of a temporary folder: the paths of Ray's sockets in it may have 107
_HEAD_TIMEOUT = 3.0  # seconds for an answer from the head of a cluster
_TRIES = 4  # Ray gives up after half a minute, which a busy machine may exceed
_SHUTDOWN_TIMEOUT = 10.0  # seconds to leave a cluster
_NO_STATISTICS = {"RAY_USAGE_STATS_ENABLED": "0"}
_LOCAL = {
    **_NO_STATISTICS,
    "RAY_agent_register_timeout_ms": "120000",  # a busy machine may need that long to start Ray's agents
    # The name mentions Windows and macOS, but "0" makes Ray listen to 127.0.0.1 only on every system.
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    "RAY_AUTH_MODE": None,
}
_PASSWORD = secrets.token_hex(32)  # Ray reads it once per process
# Otherwise Ray ends this process a minute after it has lost the head.
_REMOTE = {**_NO_STATISTICS, "RAY_gcs_rpc_server_reconnect_timeout_s": "3600"}


@dataclass(frozen=True)
class WorkerResources:
    """What each worker needs of a machine."""

    cpus: float = 1
    gpus: float = 0  # 0.5 if two workers share one
    memory: int = 0  # bytes; 0 for any

    @property
    def options(self) -> dict[str, float]:
        """Ray's options for them."""
        memory = {"memory": self.memory} if self.memory else {}
        return {"num_cpus": self.cpus, "num_gpus": self.gpus, **memory}

    def count(self, resources: Mapping[str, float]) -> int:
        """Return how many workers fit on a machine.

        >>> WorkerResources(cpus=2, gpus=1).count({"CPU": 16, "GPU": 4})
        4
        """
        needs = {"CPU": self.cpus, "GPU": self.gpus, "memory": float(self.memory)}
        fits = [resources.get(name, 0) / amount for name, amount in needs.items() if amount]
        return int(min(fits, default=1))

    def __str__(self) -> str:
        cpus = f"{self.cpus:g} {'core' if self.cpus == 1 else 'cores'}"
        gpus = f", {self.gpus:g} {'GPU' if self.gpus == 1 else 'GPUs'}"
        memory = f", {self.memory / 1e9:.1f} GB of memory"
        return cpus + (gpus if self.gpus else "") + (memory if self.memory else "")


class RayCluster:
    """A cluster that is joined or started when it is first needed; or the one that this process has joined.

    Ray decides when it is imported whether other machines can reach it. So a cluster that is started here is
    private only if Ray was not imported before, and a process that has started one cannot join others later.

    Args:
        address: ``auto``, ``host:port`` or ``ray://host:port``; None to start a cluster here.
        notify: Called with messages about what takes time.
    """

    def __init__(
        self, address: str | None = None, *, notify: Callable[[str], None] = lambda message: None
    ) -> None:
        ray = sys.modules.get("ray")
        is_joined = ray is not None and ray.is_initialized()
        self.name: str = address or "Ray"
        self.is_own: bool = address is None and not is_joined
        self._notify = notify
        self._ray: Any = ray if is_joined else None
        self._thread: ThreadPoolExecutor | None = None
        self._cleanup = contextlib.ExitStack()
        self._head: tuple[str, int] | None = None
        self._is_lost = False

    def __enter__(self) -> RayCluster:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        lost = self.lose() if isinstance(error, ConnectionError) else None  # by Ray Client (``ray://``)
        self.close()
        if lost is not None:
            raise lost

    def connect(self, *, workers: int = 1, resources: WorkerResources = WorkerResources()) -> Any:  # noqa: B008
        """Return the module `ray`, connected to the cluster.

        A cluster that is started here gets room for `workers` workers.

        Raises:
            ModelError: The cluster cannot be reached or started, or Ray is not installed.
        """
        if self._ray is None:
            check_ray()
            self._ray = self._start(workers, resources) if self.is_own else self._join()
        return self._ray

    def count(self, resources: WorkerResources) -> int:
        """Return how many workers fit on all machines, if they are not used otherwise."""
        return sum(resources.count(node["Resources"]) for node in self._ray.nodes() if node["Alive"])

    def is_reachable(self) -> bool:
        """Return whether the head answers; Ray itself would wait for an hour."""
        if self._head is not None:
            self._is_lost = not _answers(*self._head)
        return not self._is_lost

    def lose(self) -> ModelError:
        """Give up the cluster, because its head does not answer any more; return the error to raise."""
        self._is_lost = True
        return ModelError(
            "lost the connection to the cluster's head node.",
            where=self.name,
            remedy="Finished results are kept. Start the cluster, then run the same command again.",
        )

    def close(self) -> None:
        """Leave the cluster; one that was started here ends, even if its start was interrupted."""
        try:
            if self._thread is not None:
                self._thread.submit(int).result()  # waits for an interrupted start to end
                leaving = threading.Thread(target=_leave, daemon=True)  # hangs if the head is lost
                leaving.start()
                leaving.join(_HEAD_TIMEOUT if self._is_lost else _SHUTDOWN_TIMEOUT)
        finally:
            if self._thread is not None:
                self._thread.shutdown(wait=False)
                self._thread = self._ray = None
            self._cleanup.close()

    def _start(self, workers: int, resources: WorkerResources) -> Any:
        self._notify("starting Ray, which takes some seconds, or minutes on a busy machine …")
        if "ray" in sys.modules:
            self._notify("Ray was imported before, so other machines can reach it if they know its password.")
        default = tempfile.gettempdir()
        is_long = len(default) > _MAX_FOLDER and os.name != "nt"
        folder = tempfile.mkdtemp(prefix="barthes-", dir="/tmp" if is_long else default)
        self._cleanup.callback(_remove_folder, Path(folder))
        self._set_environment({**_LOCAL, "RAY_AUTH_TOKEN": _PASSWORD, "RAY_TMPDIR": folder})
        return self._init(
            address="local",
            num_cpus=max(count_cores(), math.ceil(workers * resources.cpus)),
            object_store_memory=_OBJECT_STORE,
            include_dashboard=False,
        )

    def _join(self) -> Any:
        self._notify(f"joining the Ray cluster at {self.name} …")
        self._set_environment(_REMOTE)
        host, colon, port = self.name.rpartition(":")
        if colon and "/" not in self.name and port.isdecimal() and not _answers(host, int(port)):
            raise self._unreachable("there is no answer")
        return self._init(address=self.name)

    def _init(self, **options: Any) -> Any:
        """Initialize Ray in a thread of its own.

        There Ray leaves signal handlers alone, and Ctrl-C cannot interrupt its start half-way. On Linux the
        processes that Ray has started end with the thread, so it stays until `close`.
        """
        import ray

        logging.getLogger("ray").setLevel(logging.CRITICAL)
        init = functools.partial(ray.init, **options, log_to_driver=False, logging_level=logging.CRITICAL)
        for left in reversed(range(_TRIES)):
            self._thread = ThreadPoolExecutor(1)
            self._thread.submit(int).result()  # starts the thread before Ctrl-C can hit its start
            try:
                self._thread.submit(init).result()
                break
            except Exception as error:  # of many kinds: versions, passwords, networks
                self._thread.shutdown(wait=False)
                self._thread = None
                if not left or "timed out during startup" not in str(error):
                    raise self._unreachable(str(error).strip().partition("\n")[0]) from error
                self._notify(f"Ray did not start in time; trying again ({left} left) …")
        if threading.current_thread() is threading.main_thread():
            # Replaces Ray's low-level handler, which would print a stack trace.
            signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGTERM))
        if not options["address"].startswith("ray://"):
            host, _, port = ray.get_runtime_context().gcs_address.rpartition(":")
            self._head = (host.strip("[]"), int(port))
        return ray

    def _set_environment(self, variables: Mapping[str, str | None]) -> None:
        self._cleanup.callback(_update_environment, {name: os.environ.get(name) for name in variables})
        _update_environment(variables)

    def _unreachable(self, cause: str) -> ModelError:
        problem = f"the cluster cannot be {'started here' if self.is_own else 'joined'}"
        remedy = (
            "Try again when the machine is less busy, or use local processes."
            if self.is_own
            else "Check its address, and that this machine has the cluster's Python, Ray and password "
            "(RAY_AUTH_TOKEN). Without an address, a cluster is started here."
        )
        return ModelError(f"{problem} ({cause.rstrip('.')}).", where=self.name, remedy=remedy)


def check_ray() -> None:
    """Raise a `ModelError` if Ray is not installed."""
    if importlib.util.find_spec("ray") is None:
        problem = "running on a Ray cluster needs Ray, which is not installed."
        raise ModelError(problem, remedy="Install it with: pip install ray")


def _leave() -> None:
    import ray

    with contextlib.suppress(ConnectionError):  # Ray Client has lost its server
        ray.shutdown()


def _update_environment(variables: Mapping[str, str | None]) -> None:
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def _answers(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), timeout=_HEAD_TIMEOUT).close()
    except OSError:
        return False
    return True


def _remove_folder(folder: Path) -> None:
    """Remove Ray's folder; processes that are about to end may still write to it."""
    for _ in range(10):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(0.3)
