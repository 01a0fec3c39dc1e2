from __future__ import annotations

import importlib.util
import os
import signal
import socket
import time

import pytest

from barthes.errors import ModelError
from barthes.runs.ray_cluster import RayCluster, WorkerResources, check_ray

ray_only = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None, reason="the extra `ray` is not installed"
)


def test_the_scarcest_resource_limits_the_number_of_workers():
    resources = WorkerResources(cpus=2, gpus=0.5, memory=10**9)
    assert resources.count({"CPU": 16, "GPU": 2, "memory": 3e9}) == 3
    assert resources.count({"CPU": 16, "memory": 3e9}) == 0
    assert str(resources) == "2 cores, 0.5 GPUs, 1.0 GB of memory"


def test_a_missing_ray_is_reported(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "ray" else find(name))
    with pytest.raises(ModelError, match="pip install ray"):
        check_ray()


@ray_only
def test_an_address_without_a_cluster_is_reported():
    messages = []
    with socket.socket() as found:  # a free port
        found.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{found.getsockname()[1]}"
    with RayCluster(address, notify=messages.append) as cluster, pytest.raises(ModelError) as caught:
        cluster.connect()
    assert str(caught.value).startswith(f"{address}: the cluster cannot be joined (there is no answer).")
    assert messages == [f"joining the Ray cluster at {address} …"]


@ray_only
def test_a_start_that_takes_too_long_is_repeated(monkeypatch):
    messages = []

    def take_too_long(**options):
        raise RuntimeError("The current node timed out during startup.")

    monkeypatch.setattr("ray.init", take_too_long)
    with RayCluster(notify=messages.append) as cluster, pytest.raises(ModelError, match="be started here"):
        cluster.connect()
    assert messages[0].startswith("starting Ray")
    assert [line.partition(";")[0] for line in messages[-3:]] == ["Ray did not start in time"] * 3


@ray_only
def test_an_interrupt_waits_until_ray_has_started(monkeypatch):
    done = []

    def start_slowly(**options):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.2)
        done.append("started")

    monkeypatch.setattr("ray.init", start_slowly)
    monkeypatch.setattr("ray.shutdown", lambda: done.append("left"))
    with RayCluster() as cluster, pytest.raises(KeyboardInterrupt):
        cluster.connect()
    assert done == ["started", "left"]


def test_a_lost_connection_is_reported_as_a_lost_cluster():
    with pytest.raises(ModelError, match="ray://x:1: lost the connection"), RayCluster("ray://x:1"):
        raise ConnectionError("Ray client has already been disconnected")
