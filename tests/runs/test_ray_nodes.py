"""Two nodes, each a `ray start` of its own, of which one is killed half-way, and later the other."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from barthes.runs.results import RunResults
from barthes.runs.run import run_corpus
from tests.cli.interrupts import hear_interrupts
from tests.runs.counting import PARTS, TALE, export, load_slow_reader, write_table
from tests.runs.ray_nodes import PATIENCE, ROOT, wait_for

pytest.importorskip("ray", reason="the extra `ray` is not installed")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Ray has clusters on Linux only")

TEXTS = [TALE * (1 + i % 4) for i in range(24)] + [TALE * 20]


@pytest.fixture
def table(tmp_path):
    return write_table(tmp_path / "t.jsonl", TEXTS)


def drive(nodes, table, run):
    command = [sys.executable, "-m", "tests.runs.ray_driver", table, run, nodes.address]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, cwd=ROOT, env=nodes.environment, **pipes)


def count_done(run):
    return RunResults(run).status().progress.done if (run / "manifest.jsonl").exists() else 0


def test_a_node_is_killed_half_way_and_the_result_is_the_same(nodes, table, tmp_path):
    run = tmp_path / "run"
    with drive(nodes, table, run) as driver:
        try:
            wait_for(lambda: (count_done(run) >= 6 and nodes.workers(1)) or driver.poll() is not None)
            assert (nodes.workers(0), nodes.workers(1)) == (1, 1)
            nodes.kill(1)
            left = len(TEXTS) - count_done(run)
            out, err = driver.communicate(timeout=PATIENCE)
        finally:
            driver.kill()
    assert driver.returncode == 0, out + err
    assert left > 0
    run_corpus([table], tmp_path / "alone", PARTS, workers=1, load=load_slow_reader, cache=False)
    assert export(run) == export(tmp_path / "alone")
    assert RunResults(run).failures == {}


def test_an_interrupt_keeps_what_is_finished(nodes, tmp_path):
    write_table(tmp_path / "t.jsonl", [TALE] * 3000)
    words = f"run t.jsonl -m length --sentences --out run --engine ray --address {nodes.address}"
    command = [sys.executable, "-m", "barthes", *words.split()]
    options = {"cwd": tmp_path, "env": nodes.environment, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, preexec_fn=hear_interrupts, **options) as process:
        try:
            wait_for(lambda: list(tmp_path.glob("run/results/*")) or process.poll() is not None)
            process.send_signal(signal.SIGTERM)
            _, err = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    done = count_done(tmp_path / "run")
    if process.returncode == 0:
        pytest.skip("it was faster than we")
    assert process.returncode == 130
    joining, interrupted = err.splitlines()
    assert joining == f"barthes: note: joining the Ray cluster at {nodes.address} …"
    assert interrupted.startswith("barthes: interrupted; what is finished is kept in run: the same command")
    assert 0 < done < 3000


def test_a_cluster_that_is_gone_is_told(nodes, table, tmp_path):
    run = tmp_path / "run"
    with drive(nodes, table, run) as driver:
        try:
            wait_for(lambda: count_done(run) >= 1 or driver.poll() is not None)
            nodes.kill(0)
            out, err = driver.communicate(timeout=PATIENCE)
        finally:
            driver.kill()
    assert driver.returncode == 1, out
    assert err.startswith(f"{nodes.address}: the cluster is gone: its head does not answer any more.")
    assert count_done(run) >= 1


def test_nothing_of_the_nodes_is_left(nodes):
    me = os.getpid()
    listing = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True).stdout
    left = [line for line in listing.splitlines() if nodes.folder in line and line.split()[0] != str(me)]
    assert left == []
