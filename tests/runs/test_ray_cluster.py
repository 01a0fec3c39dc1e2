from __future__ import annotations

import importlib.util
import os
import signal
import socket
import time
from dataclasses import replace

import pytest

from barthes.errors import ModelError
from barthes.runs.ray_cluster import RayCluster, WorkerResources, check_ray
from barthes.runs.ray_run import run_on_ray
from tests.runs.counting_runs import PARTS, load

ray_only = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None, reason="the extra `ray` is not installed"
)


def test_workers_fit_as_often_as_their_scarcest_resource():
    resources = WorkerResources(cpus=2, gpus=0.5, memory=10**9)
    assert resources.count({"CPU": 16, "GPU": 2, "memory": 3e9}) == 3
    assert resources.count({"CPU": 16, "memory": 3e9}) == 0
    assert str(resources) == "2 cores, 0.5 graphics cards, 1.0 GB of memory"


@ray_only
def test_an_address_where_nobody_answers():
    told = []
    with socket.socket() as found:  # a port that nobody has
        found.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{found.getsockname()[1]}"
    with RayCluster(address, notify=told.append) as cluster, pytest.raises(ModelError) as caught:
        cluster.connect()
    assert str(caught.value).startswith(f"{address}: the cluster cannot be joined (nobody answers there).")
    assert told == [f"joining the Ray cluster at {address} …"]


@ray_only
def test_a_start_that_takes_too_long_is_tried_again(monkeypatch):
    told = []

    def take_too_long(**options):
        raise RuntimeError("The current node timed out during startup.")

    monkeypatch.setattr("ray.init", take_too_long)
    with RayCluster(notify=told.append) as cluster, pytest.raises(ModelError, match="cannot be started here"):
        cluster.connect()
    assert told[0].startswith("starting Ray")
    assert [line.partition(";")[0] for line in told[-3:]] == ["Ray has not started in its time"] * 3


@ray_only
def test_a_head_that_is_lost_while_a_device_is_chosen(tmp_path, monkeypatch):
    def lose(self, resources):
        raise ConnectionError("Ray client has already been disconnected")

    monkeypatch.setattr(RayCluster, "connect", lambda self: None)  # as with ray://, which the tests have not
    monkeypatch.setattr(RayCluster, "count", lose)
    settings = replace(PARTS, device="auto")
    with pytest.raises(ModelError, match="ray://x:1: the cluster is gone"):
        run_on_ray([], tmp_path / "run", settings, address="ray://x:1", load=load)


def test_without_ray_it_says_how_to_have_it(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "ray" else find(name))
    with pytest.raises(ModelError, match=r"pip install 'barthes\[ray\]'"):
        check_ray()


@ray_only
@pytest.mark.parametrize(
    ("device", "gpus", "problem"),
    [("cuda:1", None, "one card of one machine"), ("cuda", 0, "without a graphics card")],
)
def test_devices_and_cards_that_contradict_each_other(tmp_path, device, gpus, problem):
    with pytest.raises(ModelError, match=problem):
        run_on_ray([], tmp_path / "run", replace(PARTS, device=device), gpus=gpus, load=load)


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
