"""A Ray cluster: one that exists, or one that is started for a run on this machine and ends with it.

A cluster that is started here listens to this machine alone, asks for a password that nobody else knows,
shows no web pages, sends no statistics and removes its files; if this process is killed, they stay.
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
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from barthes.errors import ModelError
from barthes.runs.devices import count_cores

_OBJECT_STORE = 200 << 20  # bytes for jobs and results on their way
_LONGEST = 40  # characters of the path of a temporary folder: Ray's sockets below it may have 107
_PATIENCE = 3.0  # seconds for an answer from the head of a cluster
_TRIES = 4  # Ray gives a machine half a minute to start it, and a busy one may need more
_SHUTDOWN = 10.0  # seconds to leave a cluster
_STARTING = "starting Ray, which takes some seconds, and minutes on a busy machine …"
_REACHABLE = "Ray was loaded before, so that other machines can reach it, if they know its password."
_QUIET = {"RAY_USAGE_STATS_ENABLED": "0"}
# By its name it is for Windows and macOS, but everywhere "0" makes Ray listen to 127.0.0.1 alone.
_PRIVATE = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
_SLOW = {"RAY_agent_register_timeout_ms": "120000"}  # a busy machine may take as long to start Ray's helpers
_PATIENT = {"RAY_gcs_rpc_server_reconnect_timeout_s": "3600"}  # or Ray ends us a minute after losing the head


@dataclass(frozen=True)
class WorkerResources:
    """What each worker has of a machine.

    Attributes:
        cpus: Processor cores.
        gpus: Graphics cards; two workers with half of one each share it.
        memory: Bytes; 0 asks for none.
    """

    cpus: float = 1
    gpus: float = 0
    memory: int = 0

    @property
    def options(self) -> dict[str, float]:
        """The options of Ray that ask for them."""
        memory = {"memory": self.memory} if self.memory else {}
        return {"num_cpus": self.cpus, "num_gpus": self.gpus, **memory}

    def count(self, resources: Mapping[str, float]) -> int:
        """Return how many workers a machine has room for.

        >>> WorkerResources(cpus=2, gpus=1).count({"CPU": 16, "GPU": 4})
        4
        """
        asked = {"CPU": self.cpus, "GPU": self.gpus, "memory": float(self.memory)}
        rooms = [resources.get(name, 0) / amount for name, amount in asked.items() if amount]
        return int(min(rooms, default=1))

    def __str__(self) -> str:
        cores = f"{self.cpus:g} {'core' if self.cpus == 1 else 'cores'}"
        cards = f", {self.gpus:g} {'graphics card' if self.gpus == 1 else 'graphics cards'}"
        memory = f", {self.memory / 1e9:.1f} GB of memory"
        return cores + (cards if self.gpus else "") + (memory if self.memory else "")


class RayCluster:
    """A cluster, joined or started when it is first needed; or the one that this process has joined before.

    Ray decides when it is loaded whether other machines can reach it. So a cluster started here is for this
    machine alone if Ray was not loaded before, and a process that has started one cannot join others later.

    Args:
        address: ``auto``, ``host:port`` or ``ray://host:port``; None to start one here.
        notify: Called with what it is waiting for.
    """

    def __init__(
        self, address: str | None = None, *, notify: Callable[[str], None] = lambda what: None
    ) -> None:
        ray = sys.modules.get("ray")
        is_joined = ray is not None and ray.is_initialized()
        self.name = address or "Ray"
        self.is_own = address is None and not is_joined
        self._notify = notify
        self._ray: Any = ray if is_joined else None
        self._thread: ThreadPoolExecutor | None = None
        self._cleanup = contextlib.ExitStack()
        self._head: tuple[str, int] | None = None
        self._is_lost = False

    def __enter__(self) -> RayCluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def connect(self, *, workers: int = 1, resources: WorkerResources = WorkerResources()) -> Any:  # noqa: B008
        """Return Ray, joined to the cluster.

        Args:
            workers: That a cluster started here must have room for.
            resources: Of each.

        Raises:
            ModelError: There is no such cluster, or Ray is not installed.
        """
        if self._ray is None:
            check_ray()
            self._notify(_STARTING if self.is_own else f"joining the Ray cluster at {self.name} …")
            self._ray = self._start(workers, resources) if self.is_own else self._join()
        return self._ray

    def count(self, resources: WorkerResources) -> int:
        """Return how many workers there is room for on all machines, if nobody else uses them."""
        return sum(resources.count(node["Resources"]) for node in self._ray.nodes() if node["Alive"])

    def is_reachable(self) -> bool:
        """Return whether its head answers; Ray itself would wait for it for an hour."""
        if self._head is not None:
            self._is_lost = not _answers(*self._head)
        return not self._is_lost

    @contextlib.contextmanager
    def checked(self) -> Iterator[None]:
        """Raise a `ModelError` where Ray Client (``ray://``) finds that the head is gone."""
        try:
            yield
        except ConnectionError as error:
            raise self.lose() from error

    def lose(self) -> ModelError:
        """Give the cluster up, because its head does not answer any more; return the error to raise."""
        self._is_lost = True
        return ModelError(
            "the cluster is gone: its head does not answer any more.",
            where=self.name,
            remedy="What is finished is kept; start the cluster, and give the same command again.",
        )

    def close(self) -> None:
        """Leave it; one that was started here ends, even if its start was interrupted."""
        try:
            if self._thread is not None:
                self._thread.submit(int).result()  # waits for the end of a start that was interrupted
                leaving = threading.Thread(target=_leave, daemon=True)  # it hangs if the head is lost
                leaving.start()
                leaving.join(_PATIENCE if self._is_lost else _SHUTDOWN)
        finally:
            if self._thread is not None:
                self._thread.shutdown(wait=False)
                self._thread = self._ray = None
            self._cleanup.close()

    def _start(self, workers: int, resources: WorkerResources) -> Any:
        if "ray" in sys.modules:
            self._notify(_REACHABLE)
        password = {"RAY_AUTH_MODE": None, "RAY_AUTH_TOKEN": _make_password()}
        self._set_environment({**_QUIET, **_SLOW, **_PRIVATE, **password})
        usual = tempfile.gettempdir()
        is_long = len(usual) > _LONGEST and os.name != "nt"
        folder = tempfile.mkdtemp(prefix="barthes-", dir="/tmp" if is_long else usual)
        self._cleanup.callback(_remove_folder, folder)
        return self._init(
            address="local",
            num_cpus=max(count_cores(), math.ceil(workers * resources.cpus)),
            object_store_memory=_OBJECT_STORE,
            include_dashboard=False,
            _temp_dir=folder,
        )

    def _join(self) -> Any:
        self._set_environment({**_QUIET, **_PATIENT})
        host, colon, port = self.name.rpartition(":")
        if colon and "/" not in self.name and port.isdecimal() and not _answers(host, int(port)):
            raise self._unreachable("nobody answers there")
        return self._init(address=self.name)

    def _init(self, **options: Any) -> Any:
        """Initialize Ray in a thread of its own.

        There Ray leaves signal handlers alone, and an interrupt cannot hit it in the middle of its start. On
        Linux the processes that Ray has started end with the thread, so it stays until `close`.
        """
        import ray

        logging.getLogger("ray").setLevel(logging.CRITICAL)
        init = functools.partial(ray.init, **options, log_to_driver=False, logging_level=logging.CRITICAL)
        for left in reversed(range(_TRIES)):
            self._thread = ThreadPoolExecutor(1)
            self._thread.submit(int).result()  # the thread is up: an interrupt cannot hit its start
            try:
                self._thread.submit(init).result()
                break
            except Exception as error:  # of many kinds: versions, passwords, networks
                self._thread.shutdown(wait=False)
                self._thread = None
                if not left or "timed out during startup" not in str(error):
                    raise self._unreachable(str(error).strip().partition("\n")[0]) from error
                self._notify(f"Ray has not started in its time; trying again ({left} left) …")
        if threading.current_thread() is threading.main_thread():
            # Ray's own handler, below that of Python, would print a stack trace.
            signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGTERM))
        if not options["address"].startswith("ray://"):
            host, _, port = ray.get_runtime_context().gcs_address.rpartition(":")
            self._head = (host.strip("[]"), int(port))
        return ray

    def _set_environment(self, variables: Mapping[str, str | None]) -> None:
        self._cleanup.callback(_update_environment, {name: os.environ.get(name) for name in variables})
        _update_environment(variables)

    def _unreachable(self, cause: str) -> ModelError:
        problem, remedy = (
            "joined",
            (
                "Check its address, and that this machine has the cluster's Python, Ray and password "
                "(RAY_AUTH_TOKEN); without an address a cluster is started here."
            ),
        )
        if self.is_own:
            problem, remedy = (
                "started here",
                "Try again when the machine is less busy, or use local processes.",
            )
        return ModelError(
            f"the cluster cannot be {problem} ({cause.rstrip('.')}).", where=self.name, remedy=remedy
        )


def check_ray() -> None:
    """Raise a `ModelError` if Ray is not installed."""
    if importlib.util.find_spec("ray") is None:
        problem = "running on a Ray cluster needs Ray, which is not installed."
        raise ModelError(problem, remedy="pip install 'barthes[ray]'")


@functools.cache
def _make_password() -> str:
    """Return a password for this process: Ray reads it once."""
    return secrets.token_hex(32)


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
        socket.create_connection((host, port), timeout=_PATIENCE).close()
    except OSError:
        return False
    return True


def _remove_folder(folder: str) -> None:
    """Remove Ray's folder; processes that are about to end may write to it once more."""
    for _ in range(10):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.exists(folder):  # noqa: PTH110
            return
        time.sleep(0.3)
