"""Actors of a real cluster, some of which are killed."""

from __future__ import annotations

import socket
import sys
from dataclasses import replace

import pytest

from barthes.errors import ModelError
from barthes.runs.engine import RunJob
from barthes.runs.inputs import Input, hash_text
from barthes.runs.ray_cluster import WorkerResources
from barthes.runs.ray_engine import RayEngine
from tests.runs.counting_runs import TALE, load, load_fatal, load_nothing, make_job, make_setup, run_jobs

pytest.importorskip("ray", reason="the extra `ray` is not installed")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Ray has clusters on Linux only")


@pytest.fixture
def engines(cluster):
    made = []

    def make(loading=load, workers=2, identity=None, **options):
        setup = make_setup(loading=loading)
        setup = replace(setup, identity={**setup.identity, **(identity or {})})
        made.append(RayEngine(setup, cluster, workers=workers, **options))
        return made[-1]

    yield make
    for engine in made:
        engine.close()


def test_a_text_fails_if_it_kills_two_workers(engines, tmp_path):
    engine = engines(load_fatal)
    texts = {"a": TALE, "once": TALE + f"Once {tmp_path / 'mark'}\n", "bad": "Kill.\n" + TALE, "b": TALE}
    found = run_jobs(engine, [make_job(name, text) for name, text in texts.items()])
    kinds = {name: result.kind for name, result in found.items()}
    assert kinds == {"a": "done", "once": "done", "bad": "failed", "b": "done"}
    assert "crashed twice (its process died)" in found["bad"].content["reason"]
    assert found["a"].tokens > 0


def test_files_are_sent_with_jobs(engines, tmp_path):
    path = tmp_path / "tale.txt"
    path.write_text(TALE, encoding="utf-8")
    job = RunJob(Input("tale.txt", str(path), hash_text(TALE), len(TALE), 1))
    engine = engines(workers=1)
    run_jobs(engine, [make_job("a")])  # starts a worker
    engine.submit(job)
    path.unlink()
    found = engine.collect(60)
    assert (found.kind, found.job) == ("done", job)
    [lost] = run_jobs(engine, [replace(job, input=replace(job.input, id="lost"))]).values()
    assert (lost.kind, "there is no such file" in lost.content["reason"]) == ("failed", True)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"loading": load_nothing}, rf"counting \(on {socket.gethostname()}\): no model here"),
        ({"identity": {"versions": {"barthes": "0.0.0"}}}, r"versions differ .*: barthes \d"),
        ({"identity": {"parser": "spacy 0.0.0"}}, r"versions differ .*: the parser spacy"),
        (
            {"resources": WorkerResources(gpus=1)},
            r"no machine of the cluster has room for a worker \(1 core, 1 GPU\)",
        ),
    ],
)
def test_problems_of_all_workers_stop_the_run(engines, options, problem):
    with pytest.raises(ModelError, match=problem):
        run_jobs(engines(workers=1, **options), [make_job("a")])


def test_capacity_and_crash_limit_grow_with_the_cluster(engines, cluster, monkeypatch):
    engine = engines(workers=None)
    room = engine.capacity
    assert engine.crash_limit == 10 + 2 * room
    monkeypatch.setattr(cluster, "count", lambda resources: room + 40)
    engine._checked_at = 0.0
    engine._check_cluster()
    assert (engine.capacity, engine.crash_limit) == (room + 40, 10 + 2 * (room + 40))
