"""Real Ray clusters of several nodes on this machine: each node is a `ray start` of its own."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[2]
PATIENCE = 120  # seconds, on a machine that has much else to do
TRIES = 4
HELPERS = ("dashboard-agent-grpc", "dashboard-agent-listen", "metrics-export", "runtime-env-agent")


class Nodes:
    """A head and another node with one core each; whatever happens, all their processes end."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="nodes-", dir="/tmp")
        self.port = free_port()
        self.address = f"127.0.0.1:{self.port}"
        self.environment = os.environ | {
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_agent_register_timeout_ms": "120000",
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": os.urandom(32).hex(),
            "RAY_health_check_period_ms": "500",  # a lost node is noticed after seconds, not half a minute
            "RAY_health_check_failure_threshold": "10",
            "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),  # wherever it is installed
            "OMP_NUM_THREADS": "1",
        }
        self._nodes = []
        self._logs = []

    def __enter__(self):
        options = [f"--port={self.port}", f"--temp-dir={self.folder}", "--include-dashboard=false"]
        try:
            self.add("--head", *options)
            self.add(f"--address={self.address}")
            return self
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        for number in reversed(range(len(self._nodes))):
            self.kill(number)
        for log in self._logs:
            log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def add(self, *options):
        """Start a node; Ray gives it half a minute, which may be too little here, so it is tried again."""
        command = [sys.executable, "-m", "ray.scripts.scripts", "start", *options, "--num-cpus=1", "--block"]
        command += ["--object-store-memory=80000000", "--node-ip-address=127.0.0.1", "--disable-usage-stats"]
        self._nodes.append(None)
        for _ in range(TRIES):
            ports = [f"--{name}-port={free_port()}" for name in HELPERS]  # else it waits for each of them
            path = Path(self.folder) / f"node{len(self._logs)}.log"
            self._logs.append(path.open("wb"))
            pipes = {"stdout": self._logs[-1], "stderr": self._logs[-1]}
            self._nodes[-1] = subprocess.Popen(
                [*command, *ports], env=self.environment, start_new_session=True, **pipes
            )
            if self._is_up(self._nodes[-1], path):
                return
            self.kill(len(self._nodes) - 1)
        raise AssertionError(self.log())

    def kill(self, number):
        """Kill a node with all its processes."""
        node = self._nodes[number]
        if node is None:
            return
        with contextlib.suppress(psutil.NoSuchProcess):
            process = psutil.Process(node.pid)
            victims = [process, *process.children(recursive=True)]
            for victim in victims:
                with contextlib.suppress(psutil.NoSuchProcess):
                    victim.kill()
            psutil.wait_procs(victims[1:], timeout=10)
        node.wait()

    def workers(self, number):
        """How many workers of a run are on a node."""
        children = psutil.Process(self._nodes[number].pid).children(recursive=True)
        return sum("RayWorker" in _name(child) for child in children)

    def log(self):
        """What the nodes have said."""
        return "".join(path.read_text(errors="replace") for path in Path(self.folder).glob("node*.log"))

    def _is_up(self, node, log):
        wait_for(lambda: node.poll() is not None or b"Ray runtime started" in log.read_bytes())
        return node.poll() is None


def wait_for(happens, seconds=PATIENCE):
    """Wait until something is so, but not for ever."""
    ends = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < ends, "it did not happen"
        time.sleep(0.1)


def free_port():
    """A port that nobody has."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def _name(process):
    with contextlib.suppress(psutil.NoSuchProcess):
        return " ".join(process.cmdline())
    return ""
