from __future__ import annotations

import importlib.util
from dataclasses import replace

import pytest

from barthes.errors import ModelError
from barthes.runs.cluster import RayCluster, Share, check_ray
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
