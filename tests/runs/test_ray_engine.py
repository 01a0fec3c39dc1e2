"""Actors of a real cluster: some end well, some are killed."""

from __future__ import annotations

import socket
import sys
import time
from dataclasses import replace

import pytest

from barthes.errors import ModelError
from barthes.runs.cluster import RayCluster, Share
from barthes.runs.engine import Item
from barthes.runs.export import export_run
from barthes.runs.inputs import Input, hash_text
from barthes.runs.ray_engine import RayEngine
from barthes.runs.ray_run import _identify, run_on_ray
from barthes.runs.results import RunResults
from barthes.runs.run import run_corpus
from tests.runs.counting import (
    PARTS,
    TALE,
    load,
    load_badly,
    load_fatal,
    load_late,
    load_nothing,
    workplace,
    write_table,
)
from tests.runs.ray_nodes import wait_for
from tests.runs.test_local import do, item

pytest.importorskip("ray", reason="the extra `ray` is not installed")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Ray has clusters on Linux only")


@pytest.fixture(scope="module")
def cluster(nodes):
    with pytest.MonkeyPatch.context() as patch:
        for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN"):
            patch.setenv(name, nodes.environment[name])
        from ray._raylet import Config

        Config.initialize("")  # Ray may have been imported before, and looks at these when it is
        with RayCluster(nodes.address) as joined:
            joined.connect()
            wait_for(lambda: joined.count(Share()) == 2)
            yield joined


@pytest.fixture
def engines(cluster):
    made = []

    def make(loading=load, workers=2, **options):
        made.append(RayEngine(workplace(loading=loading), cluster, workers=workers, **options))
        return made[-1]

    yield make
    for engine in made:
        engine.close()


def test_a_worker_that_dies_is_replaced_and_a_text_that_kills_twice_has_failed(engines, tmp_path):
    engine = engines(load_fatal)
    once = TALE + f"Once {tmp_path / 'mark'}\n"
    found = do(engine, [item("a"), item("once", once), item("bad", "Kill.\n" + TALE), item("b")])
    kinds = {name: each.kind for name, each in found.items()}
    assert kinds == {"a": "done", "once": "done", "bad": "failed", "b": "done"}
    assert "ended twice (its process died)" in found["bad"].content["reason"]
    assert engine.tokens > 0


def test_files_are_sent_along(engines, tmp_path):
    path = tmp_path / "tale.txt"
    path.write_text(TALE, encoding="utf-8")
    found = Item(Input("tale.txt", str(path), hash_text(TALE), len(TALE), 1))
    engine = engines(workers=1)
    do(engine, [item("a")])  # a worker is up
    engine.submit(found)
    path.unlink()
    ends = time.monotonic() + 60
    while (outcome := engine.collect(1)) is None and time.monotonic() < ends:
        pass
    assert outcome.kind == "done"
    assert outcome.item is found
    lost = do(engine, [replace(found, input=replace(found.input, id="lost"))])["lost"]
    assert (lost.kind, "there is no such file" in lost.content["reason"]) == ("failed", True)


def test_a_model_that_cannot_be_had_stops_everything(engines):
    engine = engines(load_nothing, workers=1)
    with pytest.raises(ModelError, match=rf"counting \(on {socket.gethostname()}\): there is no model here"):
        do(engine, [item("a")])


def test_other_versions_stop_everything(cluster):
    place = workplace()
    place = replace(place, identity={**place.identity, "versions": {"barthes": "0.0.0"}})
    engine = RayEngine(place, cluster, workers=1)
    try:
        with pytest.raises(ModelError, match="has other versions"):
            do(engine, [item("a")])
    finally:
        engine.close()


def test_another_parser_stops_everything(cluster):
    place = workplace()
    place = replace(place, identity={**place.identity, "parser": "spacy 0.0.0, en_core_web_sm 0.0.0"})
    engine = RayEngine(place, cluster, workers=1)
    try:
        with pytest.raises(ModelError, match=r"has other versions .*: the parser spacy"):
            do(engine, [item("a")])
    finally:
        engine.close()


def test_a_cluster_that_grows_may_lose_more_workers(engines, cluster, monkeypatch):
    engine = engines(workers=None)
    assert engine._casualties.limit == 10 + 2 * 2
    monkeypatch.setattr(cluster, "count", lambda share: 40)
    engine._looked = 0.0
    engine._look_around()
    assert (engine.capacity, engine._casualties.limit) == (40, 10 + 2 * 40)


def test_a_connection_that_is_lost_is_a_cluster_that_is_gone(engines, cluster, monkeypatch):
    def lose(share):
        raise ConnectionError("Ray client has already been disconnected")

    engine = engines(workers=1)
    engine.submit(item("a"))
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
        (load_badly, 60.0, "has failed .*nobody has thought of this"),
        (load_late, 0.5, "has told anything of the model"),
    ],
)
def test_a_machine_that_does_not_describe_the_model(cluster, monkeypatch, loading, patience, problem):
    """Only a machine with a graphics card is asked for a description; here, one without is."""
    monkeypatch.setattr("barthes.runs.ray_run.NO_TURN", patience)
    monkeypatch.setattr("barthes.runs.ray_run.device_kind", {"cuda": "cuda", "auto": "cpu"}.get)
    with pytest.raises(ModelError, match=problem):
        _identify(cluster, Share(), loading, "cuda")


def test_what_the_cluster_has_not_is_told(engines, monkeypatch):
    monkeypatch.setattr("barthes.runs.ray_engine._NO_ROOM", 1.0)
    engine = engines(share=Share(gpus=1))
    with pytest.raises(ModelError, match="no machine of the cluster has room for a worker") as caught:
        do(engine, [item("a")])
    assert "(1 core, 1 graphics card)" in str(caught.value)


def test_collect_waits_no_longer_than_it_may(engines):
    engine = engines(workers=1)
    engine.submit(item("a"))
    began = time.monotonic()
    assert engine.collect(0.01) is None
    assert time.monotonic() - began < 5


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
    inline, processes, ray = (_tell(tmp_path / name) for name in ("inline", "processes", "ray"))
    assert inline == processes == ray
    assert list(RunResults(tmp_path / "ray").failures) == ["t12", "bad.txt"]
    assert cluster.count(Share()) == 2  # a cluster that was joined before is not left


def _tell(run):
    results, out = RunResults(run), run.with_suffix(".x")
    told = [results.failures]
    for name in ("csv", "jsonl", "parquet"):
        export_run(results, out, format=name)
        told.append(out.read_bytes())
    return told
