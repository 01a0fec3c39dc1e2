from __future__ import annotations

import io
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from barthes.errors import ModelError
from barthes.runs.corpus_run import run_corpus
from barthes.runs.ray_cluster import RayCluster, WorkerResources
from barthes.runs.ray_run import _identify, run_on_ray
from barthes.runs.run_results import EXPORT_FORMATS, RunResults
from tests.runs.counting_runs import (
    PARTS,
    TALE,
    export,
    load,
    load_badly,
    load_late,
    load_slow_reader,
    write_table,
)

pytest.importorskip("ray", reason="the extra `ray` is not installed")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Ray has clusters on Linux only")

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {
    "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),  # of this checkout
    "RAY_health_check_period_ms": "500",  # notices a lost node after seconds, not half a minute
    "RAY_health_check_failure_threshold": "10",
    "RAY_agent_register_timeout_ms": "120000",
}


@pytest.mark.parametrize(
    ("device", "gpus", "problem"),
    [("cuda:1", None, "one GPU of one machine"), ("cuda", 0, "without a GPU")],
)
def test_contradictory_devices_and_gpus_are_refused(tmp_path, device, gpus, problem):
    with pytest.raises(ModelError, match=problem):
        run_on_ray([], tmp_path / "run", replace(PARTS, device=device), gpus=gpus, load=load)


def test_a_cluster_that_is_lost_while_a_device_is_chosen_is_reported(tmp_path, monkeypatch):
    def lose(self, resources):
        raise ConnectionError("Ray client has already been disconnected")

    monkeypatch.setattr(RayCluster, "connect", lambda self: None)  # there is no ray:// server in tests
    monkeypatch.setattr(RayCluster, "count", lose)
    settings = replace(PARTS, device="auto")
    with pytest.raises(ModelError, match="ray://x:1: lost the connection"):
        run_on_ray([], tmp_path / "run", settings, address="ray://x:1", load=load)


def test_a_cluster_that_is_lost_during_a_run_is_reported(cluster, tmp_path, monkeypatch):
    count, calls = RayCluster.count, []

    def lose(self, resources):
        calls.append(resources)
        if len(calls) > 1:
            raise ConnectionError("Ray client has already been disconnected")
        return count(self, resources)

    monkeypatch.setattr(RayCluster, "count", lose)
    monkeypatch.setattr("barthes.runs.ray_engine._CHECK_INTERVAL", 0.0)
    table = write_table(tmp_path / "t.jsonl", [TALE])
    with pytest.raises(ModelError, match="lost the connection to the cluster's head node"):
        run_on_ray([table], tmp_path / "run", PARTS, workers=1, load=load)


@pytest.mark.parametrize(
    ("loading", "timeout", "problem"),
    [
        (load_badly, 60.0, "could load the model .*unforeseen"),
        (load_late, 0.5, "no machine of the cluster could load the model"),
    ],
)
def test_a_model_that_cannot_be_identified_is_reported(cluster, monkeypatch, loading, timeout, problem):
    """Only a machine with a GPU is asked; here, one without."""
    monkeypatch.setattr("barthes.runs.ray_run.ROOM_TIMEOUT", timeout)
    monkeypatch.setattr("barthes.runs.ray_run.device_kind", {"cuda": "cuda", "auto": "cpu"}.get)
    monkeypatch.setattr(cluster, "is_own", False)
    with pytest.raises(ModelError, match=problem):
        _identify(cluster, WorkerResources(), loading, "cuda")


def test_all_engines_give_the_same_bytes(cluster, tmp_path):
    table = write_table(tmp_path / "t.jsonl", [TALE * (1 + i % 4) for i in range(12)] + [" ", TALE * 12])
    folder = tmp_path / "tales"
    folder.mkdir()
    for i in range(3):
        (folder / f"{i}.txt").write_text(TALE * (i + 1), encoding="utf-8")
    (folder / "bad.txt").write_bytes(b"%PDF-1.4 no")
    settings = replace(PARTS, methods=("sd", "sd+tfidf"))
    options = {"load": load, "cache": False}
    run_corpus([table, folder], tmp_path / "inline", settings, workers=1, **options)
    run_corpus([folder, table], tmp_path / "processes", settings, workers=2, **options)
    run_corpus([table, folder], tmp_path / "processes", settings, workers=2, **options)  # now in this order
    run_on_ray([table, folder], tmp_path / "ray", settings, workers=2, **options)
    inline, processes, ray = (_read(tmp_path / name) for name in ("inline", "processes", "ray"))
    assert inline == processes == ray
    assert list(RunResults(tmp_path / "ray").failures) == ["t12", "bad.txt"]
    assert cluster.count(WorkerResources()) >= 2  # the run has not left the cluster that it found


def _read(run):
    results, found = RunResults(run), []
    for name in ("csv", "jsonl", "parquet"):
        stream = io.BytesIO()
        EXPORT_FORMATS[name](results, stream)
        found.append(stream.getvalue())
    return [results.failures, *found]


def run_and_kill(victim, tmp_path, texts):
    table = write_table(tmp_path / "t.jsonl", [TALE * (1 + i % 4) for i in range(texts)] + [TALE * 20])
    command = [sys.executable, "-m", "tests.runs.ray_driver", victim, table, tmp_path / "run"]
    options = {"cwd": ROOT, "env": os.environ | ENVIRONMENT, "capture_output": True, "text": True}
    return table, subprocess.run(command, **options, timeout=300)


def test_a_killed_node_changes_no_result(tmp_path):
    table, done = run_and_kill("other", tmp_path, 24)
    assert done.returncode == 0, done.stderr
    run_corpus([table], tmp_path / "alone", PARTS, workers=1, load=load_slow_reader, cache=False)
    assert export(tmp_path / "run") == export(tmp_path / "alone")
    assert RunResults(tmp_path / "run").failures == {}


def test_a_killed_head_is_reported_and_results_are_kept(tmp_path):
    _, done = run_and_kill("head", tmp_path, 2000)
    assert done.returncode == 1
    assert "lost the connection to the cluster's head node." in done.stderr
    assert RunResults(tmp_path / "run").progress.done >= 6
