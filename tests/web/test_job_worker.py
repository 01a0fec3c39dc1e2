"""The worker's side of the pipe."""

from __future__ import annotations

import multiprocessing
import os
import tempfile
import threading
from contextlib import contextmanager, suppress

import pytest

from barthes.models.counting import CountingModel
from barthes.web import job_worker
from barthes.web.job_worker import JobWorker, ScoringTask
from barthes.web.server import Limits
from barthes.web.worker import Worker, WorkerProcess
from tests.web.test_job_store import make_job

STORY = "A wolf came.\nThe wolf ate a sheep.\nIt rained."


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("BARTHES_CACHE", str(tmp_path / "cache"))


def run(connection):
    with suppress(SystemExit):  # how it ends
        JobWorker(connection).run()


@contextmanager
def working():
    """The server's end of the pipe to a worker in a thread."""
    ours, theirs = multiprocessing.Pipe()
    thread = threading.Thread(target=run, args=(theirs,))
    thread.start()
    yield ours
    ours.close()
    thread.join(10)
    assert not thread.is_alive()


def do(pipe, task):
    """What the worker says about a task."""
    pipe.send(("run", task))
    messages = [pipe.recv()]
    while messages[-1][0] != "ended":
        messages.append(pipe.recv())
    return messages


@pytest.fixture
def task(tmp_path):
    (tmp_path / "story").write_text(STORY)

    def make(**changes):
        job = make_job(lines=True, **changes)
        return ScoringTask(job, tmp_path / "story", tmp_path / "profile", Limits(sentences=9))

    return make


@pytest.fixture
def loads(monkeypatch):
    """The names of models that were loaded."""
    names = []

    def load_model(name, **options):
        names.append(name)
        return CountingModel([STORY])

    monkeypatch.setattr("barthes.models.loading.load_model", load_model)
    return names


def test_a_file_that_fails_in_the_work_is_not_taken_for_a_server_that_is_gone(task, monkeypatch):
    def fail(task):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(job_worker, "_read", fail)
    with working() as pipe:
        for _ in range(2):  # it lives on
            first, (kind, changes) = do(pipe, task())
            assert first == ("phase", "reading")
            assert (kind, changes["state"]) == ("ended", "failed")
            assert "No space left on device" in changes["problem"]


def test_the_last_model_stays_loaded_and_known_scores_are_not_computed_again(task, loads):
    with working() as pipe:
        messages = [do(pipe, task(method="sd", model=name)) for name in ("one", "one", "two")]
    phases = [[content for kind, *content in each if kind == "phase"] for each in messages]
    assert phases == [[["reading"], ["loading"], ["scoring"]], [["reading"], ["scoring"]], phases[0]]
    assert loads == ["one", "two"]
    scored = [[index for kind, index, *_ in each if kind == "scored"] for each in messages]
    assert scored == [[0, 1, 2], [], [0, 1, 2]]
    assert [each[-1] for each in messages] == [("ended", {"state": "finished", "notes": []})] * 3


def test_scores_of_events_are_not_sent_as_those_of_sentences(task, loads):
    with working() as pipe:
        messages = do(pipe, task(method="va", unit="event", model="one"))
    assert messages[-1][1]["state"] == "finished"
    assert "scored" not in {kind for kind, *_ in messages}


def test_a_failure_while_warming_up_is_logged_and_fails_the_job(task, monkeypatch, caplog):
    def fail(*arguments, **options):
        raise OSError("broken weights")

    monkeypatch.setattr("barthes.models.loading.load_model", fail)
    monkeypatch.setattr("barthes.annotation.pipeline.load_english", lambda: None)
    with working() as pipe:
        pipe.send(("warm", "one"))
        ended = do(pipe, task(method="sd", model="one"))[-1]
    assert "one could not be loaded in advance: broken weights" in caplog.text
    assert "broken weights" in ended[1]["problem"]


def test_warming_up_loads_the_model_of_the_first_job(task, loads, monkeypatch):
    monkeypatch.setattr("barthes.annotation.pipeline.load_english", lambda: None)
    with working() as pipe:
        pipe.send(("warm", "one"))
        messages = do(pipe, task(method="sd", model="one"))
    assert loads == ["one"]
    assert ("phase", "loading") not in messages


class StoreWorker(Worker):
    """Answers with the folder of the temporary store."""

    def answer(self, task):
        return os.environ["BARTHES_TEMPORARY_MODELS"]


def test_the_server_makes_the_temporary_store_of_its_workers(tmp_path, monkeypatch):
    (tmp_path / "cache").touch()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("BARTHES_TEMPORARY_MODELS", "")  # restored afterwards
    monkeypatch.delenv("BARTHES_TEMPORARY_MODELS")
    process = WorkerProcess(StoreWorker)
    [folder] = tmp_path.glob("barthes-models-*")
    for _ in range(2):
        process.send("run", None)
        assert process.receive(60) == ("ended", str(folder))
        process.end()
    assert folder.is_dir()
