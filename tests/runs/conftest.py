from __future__ import annotations

import pytest

from barthes.runs.corpus_run import run_corpus
from barthes.runs.ray_cluster import RayCluster
from barthes.runs.run_results import RunResults
from tests.runs.counting_runs import SETTINGS, TALE, load, write_table


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    """Give each test an empty score cache."""
    monkeypatch.setenv("BARTHES_CACHE", str(tmp_path / "barthes-cache"))


@pytest.fixture
def table(tmp_path):
    """Return a table of twenty texts."""
    return write_table(tmp_path / "t.jsonl", [TALE * (1 + i % 4) for i in range(20)])


@pytest.fixture
def run(tmp_path, table):
    """Return a function that starts or continues a run."""

    def start(name="run", paths=(table,), settings=SETTINGS, loading=load, workers=1, **options):
        return run_corpus(paths, tmp_path / name, settings, load=loading, workers=workers, **options)

    return start


@pytest.fixture
def status(tmp_path):
    """Return a function that reads the results of `run`."""
    return lambda: RunResults(tmp_path / "run")


@pytest.fixture
def write_at_once(monkeypatch):
    """Write a file for every text."""
    monkeypatch.setattr("barthes.runs.result_files._MAX_PAUSE", 0.0)


@pytest.fixture(scope="module")
def cluster():
    """Return a Ray cluster on this machine with room for two workers."""
    with RayCluster() as started:
        started.connect(workers=2)
        yield started
