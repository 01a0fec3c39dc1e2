"""A real cluster of two machines (on this one), one of which is killed."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from barthes.errors import ModelError
from barthes.runs.ray_pool import RayPool
from barthes.runs.results import RunResults
from tests.runs.counting_runs import SETTINGS, TALE, TEXTS, export, load_fatal, load_slow, write_table

ray_only = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None or sys.platform != "linux",
    reason="the extra `ray` is not installed, or this is not Linux",
)
ROOT = Path(__file__).parents[2]
ENVIRONMENT = {
    "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),  # of this checkout
    "RAY_health_check_period_ms": "500",  # notices a lost node after seconds, not half a minute
    "RAY_health_check_failure_threshold": "10",
    "RAY_agent_register_timeout_ms": "120000",
    "RAY_gcs_rpc_server_reconnect_timeout_s": "5",
}


def run_on_cluster(victim, tmp_path, texts):
    table = write_table(tmp_path / "t.jsonl", texts)
    command = [sys.executable, "-m", "tests.runs.ray_driver", victim, table, tmp_path / "run"]
    environment = os.environ | ENVIRONMENT | {"BARTHES_CACHE": str(tmp_path / "ray-cache")}
    options = {"cwd": ROOT, "env": environment, "capture_output": True, "text": True}
    return table, subprocess.run(command, **options, timeout=300)


@ray_only
def test_actors_give_the_results_of_other_workers(run, tmp_path):
    texts = dict(enumerate(TEXTS)) | {"bad": "Kill.\n" + TALE, "once": TALE + f"Once {tmp_path / 'mark'}\n"}
    table, done = run_on_cluster("none", tmp_path, {str(name): text for name, text in texts.items()})
    *_, first, second = done.stdout.splitlines()  # Ray writes, too
    assert first.startswith("2 RunProgress(total=14, done=13, failed=1, scored=14")
    assert second == "1"  # as many workers as asked for
    assert "no machine of the cluster has room for a worker (8 cores" in done.stderr
    assert "bad: its worker died twice" in RunResults(tmp_path / "run").failures["bad"]
    write_table(table, {name: text for name, text in texts.items() if name != "bad"})
    run("inline", loading=load_fatal)
    assert export(tmp_path / "run") == export(tmp_path / "inline")


@ray_only
def test_a_killed_machine_changes_no_result(run, tmp_path):
    _, done = run_on_cluster("other", tmp_path, TEXTS)
    assert "\n2 RunProgress(total=12, done=12, failed=0" in f"\n{done.stdout}", done.stderr
    run("inline", loading=load_slow)
    assert export(tmp_path / "run") == export(tmp_path / "inline")


@ray_only
def test_after_a_killed_head_results_are_kept(run, tmp_path):
    _, done = run_on_cluster("head", tmp_path, [TALE * 8] * 500)
    assert done.returncode != 0
    assert len(RunResults(tmp_path / "run").outcomes) >= 4


@ray_only
def test_an_address_without_a_cluster_is_reported():
    with pytest.raises(ModelError, match=r"127\.0\.0\.1:9: the cluster cannot be joined"):
        RayPool(SETTINGS, "127.0.0.1:9")


def test_a_missing_ray_is_reported(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "ray" else find(name))
    with pytest.raises(ModelError, match="pip install ray"):
        RayPool(SETTINGS)
