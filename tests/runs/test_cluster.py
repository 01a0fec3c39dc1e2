from __future__ import annotations

import importlib.util
import os
import signal
from dataclasses import replace

import pytest

from barthes.errors import ModelError
from barthes.runs.cluster import RayCluster, Share, check_ray
from barthes.runs.ray_processes import signals_kept
from barthes.runs.ray_run import run_on_ray
from tests.runs.counting import PARTS, load
from tests.runs.ray_nodes import free_port


def test_a_share_fits_as_often_as_its_scarcest_part():
    share = Share(cpus=2, gpus=0.5, memory=10**9)
    assert share.count({"CPU": 16, "GPU": 2, "memory": 3e9}) == 3
    assert share.count({"CPU": 16, "memory": 3e9}) == 0
    assert str(share) == "2 cores, 0.5 graphics cards, 1.0 GB of memory"


def test_where_nobody_answers():
    pytest.importorskip("ray", reason="the extra `ray` is not installed")
    address = f"127.0.0.1:{free_port()}"
    with RayCluster(address) as cluster, pytest.raises(ModelError, match="nobody answers there") as caught:
        cluster.connect()
    assert caught.value.where == address


def test_what_it_waits_for_is_told():
    pytest.importorskip("ray", reason="the extra `ray` is not installed")
    told = []
    address = f"127.0.0.1:{free_port()}"
    with RayCluster(address, tell=told.append) as cluster, pytest.raises(ModelError):
        cluster.connect()
    assert told == [f"joining the Ray cluster at {address} …"]


def test_a_start_that_takes_too_long_is_tried_again_and_told(monkeypatch):
    ray = pytest.importorskip("ray", reason="the extra `ray` is not installed")
    told = []

    def take_too_long(**options):
        raise RuntimeError("The current node timed out during startup.")

    monkeypatch.setattr(ray, "init", take_too_long)
    with RayCluster(tell=told.append) as cluster, pytest.raises(ModelError, match="cannot be started here"):
        cluster.connect()
    assert [line.partition(",")[0].partition(";")[0] for line in told] == [
        "starting Ray",
        *["Ray has not started in its time"] * 3,
    ]
    assert cluster._folder is None


def test_a_head_that_is_lost_while_a_device_is_chosen(tmp_path, monkeypatch):
    pytest.importorskip("ray", reason="the extra `ray` is not installed")

    def lose(self, share):
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


@pytest.mark.parametrize(
    ("device", "gpus", "problem"),
    [("cuda:1", None, "one card of one machine"), ("cuda", 0, "without a graphics card")],
)
def test_devices_and_shares_that_contradict_each_other(tmp_path, device, gpus, problem):
    pytest.importorskip("ray", reason="the extra `ray` is not installed")
    with pytest.raises(ModelError, match=problem):
        run_on_ray([], tmp_path / "run", replace(PARTS, device=device), gpus=gpus, load=load)


@pytest.mark.parametrize(
    ("number", "times", "reached"), [(signal.SIGTERM, 1, True), (signal.SIGINT, 2, False)]
)
def test_signals_wait_until_ray_has_started(number, times, reached):
    pytest.importorskip("ray", reason="the extra `ray` is not installed")
    done = []

    def start():
        with signals_kept():
            for _ in range(times):
                os.kill(os.getpid(), number)
            done.append("started")

    with pytest.raises(KeyboardInterrupt):
        start()
    assert bool(done) == reached
