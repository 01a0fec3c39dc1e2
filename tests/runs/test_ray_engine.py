"""Actors of a real cluster: some end well, some are killed."""

from __future__ import annotations

import io
import socket
import sys
from dataclasses import replace

import pytest

from barthes.errors import ModelError
from barthes.runs.corpus_run import run_corpus
from barthes.runs.engine import RunJob
from barthes.runs.inputs import Input, hash_text
from barthes.runs.ray_cluster import RayCluster, WorkerResources
from barthes.runs.ray_engine import RayEngine
from barthes.runs.ray_run import _identify, run_on_ray
from barthes.runs.run_results import RunResults, export_to_stream
from tests.runs.counting_runs import (
    PARTS,
    TALE,
    load,
    load_badly,
    load_fatal,
    load_late,
    load_nothing,
    make_job,
    make_setup,
    run_jobs,
    write_table,
)

pytest.importorskip("ray", reason="the extra `ray` is not installed")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Ray has clusters on Linux only")


@pytest.fixture(scope="module")
def cluster():
    """A cluster of this machine with room for two workers."""
    with RayCluster() as started:
        started.connect(workers=2)
        yield started


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


def test_killed_workers_cost_texts_only_if_it_happens_again(engines, tmp_path):
    engine = engines(load_fatal)
    texts = {"a": TALE, "once": TALE + f"Once {tmp_path / 'mark'}\n", "bad": "Kill.\n" + TALE, "b": TALE}
    found = run_jobs(engine, [make_job(name, text) for name, text in texts.items()])
    kinds = {name: result.kind for name, result in found.items()}
    assert kinds == {"a": "done", "once": "done", "bad": "failed", "b": "done"}
    assert "ended twice (its process died)" in found["bad"].content["reason"]
    assert engine.tokens > 0


def test_files_are_sent_along(engines, tmp_path):
    path = tmp_path / "tale.txt"
    path.write_text(TALE, encoding="utf-8")
    job = RunJob(Input("tale.txt", str(path), hash_text(TALE), len(TALE), 1))
    engine = engines(workers=1)
    run_jobs(engine, [make_job("a")])  # a worker is up
    engine.submit(job)
    path.unlink()
    found = engine.collect(60)
    assert (found.kind, found.job) == ("done", job)
    [lost] = run_jobs(engine, [replace(job, input=replace(job.input, id="lost"))]).values()
    assert (lost.kind, "there is no such file" in lost.content["reason"]) == ("failed", True)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"loading": load_nothing}, rf"counting \(on {socket.gethostname()}\): there is no model here"),
        ({"identity": {"versions": {"barthes": "0.0.0"}}}, "has other versions"),
        ({"identity": {"parser": "spacy 0.0.0"}}, r"has other versions .*: the parser spacy"),
        (
            {"resources": WorkerResources(gpus=1)},
            r"no machine of the cluster has room for a worker \(1 core, 1 graphics card\)",
        ),
    ],
)
def test_what_no_worker_could_do_stops_everything(engines, options, problem):
    with pytest.raises(ModelError, match=problem):
        run_jobs(engines(workers=1, **options), [make_job("a")])


def test_a_cluster_that_grows_may_lose_more_workers(engines, cluster, monkeypatch):
    engine = engines(workers=None)
    room = engine.capacity
    assert engine.crash_limit == 10 + 2 * room
    monkeypatch.setattr(cluster, "count", lambda resources: room + 40)
    engine._looked = 0.0
    engine._look_at_cluster()
    assert (engine.capacity, engine.crash_limit) == (room + 40, 10 + 2 * (room + 40))


def test_a_connection_that_is_lost_is_a_cluster_that_is_gone(engines, cluster, monkeypatch):
    def lose(resources):
        raise ConnectionError("Ray client has already been disconnected")

    engine = engines(workers=1)
    engine.submit(make_job("a"))
    monkeypatch.setattr(cluster, "_is_lost", False)
    monkeypatch.setattr(cluster, "count", lose)  # as with ray://, which the tests have not
    engine._looked = 0.0
    with pytest.raises(ModelError, match="the cluster is gone: its head does not answer any more"):
        engine.collect(5)
    with pytest.raises(ModelError, match="the cluster is gone"):
        engines(workers=1)


@pytest.mark.parametrize(
    ("loading", "patience", "problem"),
    [
        (load_badly, 60.0, "described the model .*nobody has thought of this"),
        (load_late, 0.5, "no machine of the cluster has described the model"),
    ],
)
def test_a_machine_that_does_not_describe_the_model(cluster, monkeypatch, loading, patience, problem):
    """Only a machine with a graphics card is asked for a description; here, one without is."""
    monkeypatch.setattr("barthes.runs.ray_run.NO_TURN", patience)
    monkeypatch.setattr("barthes.runs.ray_run.device_kind", {"cuda": "cuda", "auto": "cpu"}.get)
    monkeypatch.setattr(cluster, "is_own", False)
    with pytest.raises(ModelError, match=problem):
        _identify(cluster, WorkerResources(), loading, "cuda")


def test_the_same_bytes_from_every_engine(cluster, tmp_path):
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
    assert cluster.count(WorkerResources()) >= 2  # a cluster that was joined before is not left


def _read(run):
    results, found = RunResults(run), []
    for name in ("csv", "jsonl", "parquet"):
        stream = io.BytesIO()
        export_to_stream(results, stream, format=name)
        found.append(stream.getvalue())
    return [results.failures, *found]
