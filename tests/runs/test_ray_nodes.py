"""Two nodes, of which one is killed half-way: another one, or the head."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from barthes.runs.corpus_run import run_corpus
from barthes.runs.run_results import RunResults
from tests.runs.counting_runs import PARTS, TALE, export, load_slow_reader, write_table

pytest.importorskip("ray", reason="the extra `ray` is not installed")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Ray has clusters on Linux only")

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {
    "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),  # wherever it is installed
    "RAY_health_check_period_ms": "500",  # a lost node is noticed after seconds, not half a minute
    "RAY_health_check_failure_threshold": "10",
    "RAY_agent_register_timeout_ms": "120000",
}


def drive(victim, tmp_path, texts):
    table = write_table(tmp_path / "t.jsonl", [TALE * (1 + i % 4) for i in range(texts)] + [TALE * 20])
    command = [sys.executable, "-m", "tests.runs.ray_driver", victim, table, tmp_path / "run"]
    options = {"cwd": ROOT, "env": os.environ | ENVIRONMENT, "capture_output": True, "text": True}
    return table, subprocess.run(command, **options, timeout=300)


def test_a_node_is_killed_half_way_and_the_result_is_the_same(tmp_path):
    table, done = drive("other", tmp_path, 24)
    assert done.returncode == 0, done.stderr
    run_corpus([table], tmp_path / "alone", PARTS, workers=1, load=load_slow_reader, cache=False)
    assert export(tmp_path / "run") == export(tmp_path / "alone")
    assert RunResults(tmp_path / "run").failures == {}


def test_a_cluster_that_is_gone_is_reported_and_results_are_kept(tmp_path):
    _, done = drive("head", tmp_path, 2000)
    assert done.returncode == 1
    assert "the cluster is gone: its head does not answer any more." in done.stderr
    assert RunResults(tmp_path / "run").progress.done >= 6
