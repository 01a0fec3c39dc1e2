"""Tasks in the worker: in this process behind a pipe, and in a process of its own."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from contextlib import contextmanager, suppress

import pytest

from barthes.errors import BarthesError
from barthes.jobs.offer import Limits
from barthes.jobs.runner import Runner, WorkerLostError
from barthes.jobs.story import StorySource
from barthes.jobs.worker import Ended, TaskCancelled, TaskProgress, Worker
from barthes.models.counting import CountingModel

STORY = "A wolf came.\nThe wolf ate a sheep.\nIt rained."


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("BARTHES_CACHE", str(tmp_path / "cache"))


@contextmanager
def working():
    """The server's end of the pipe to a worker in a thread."""
    ours, theirs = multiprocessing.Pipe()

    def run():
        with suppress(SystemExit):  # how it ends
            Worker(theirs).run()

    thread = threading.Thread(target=run)
    thread.start()
    yield ours
    ours.close()
    thread.join(10)
    assert not thread.is_alive()


def do(pipe, task):
    """Return the phases and the end of a task."""
    pipe.send(("run", task))
    phases = []
    while not isinstance(message := pipe.recv(), Ended):
        phases += [message.phase] if isinstance(message, TaskProgress) else []
    return list(dict.fromkeys(phases)), message


class Score:
    """A task that scores the story."""

    def __init__(self, model=None, method="sd", limits=None):
        self.model, self.method, self.limits = model, method, limits or Limits()

    def __call__(self, worker):
        source = StorySource(STORY, "the text", self.limits, {"sentences": True}, True, "story.txt")
        profile = worker.score(worker.read(source), method=self.method, unit="sentence", model=self.model)
        return profile.scores


@pytest.fixture
def loads(monkeypatch):
    """The names of models that were loaded."""
    names = []

    def load_model(name, **options):
        names.append(name)
        return CountingModel([STORY])

    monkeypatch.setattr("barthes.models.loading.load_model", load_model)
    monkeypatch.setattr("barthes.annotation.pipeline.load_english", lambda: None)
    return names


def test_the_last_model_stays_loaded(loads):
    with working() as pipe:
        pipe.send(("warm", "one"))
        phases = [do(pipe, Score(name))[0] for name in ("one", "two", "two")]
    assert phases == [["reading", "scoring"], ["reading", "loading", "scoring"], ["reading", "scoring"]]
    assert loads == ["one", "two"]


def test_errors_keep_their_option_and_the_worker_lives_on(monkeypatch, caplog):
    def fail(*arguments, **options):
        raise OSError("broken weights")

    monkeypatch.setattr("barthes.models.loading.load_model", fail)
    monkeypatch.setattr("barthes.annotation.pipeline.load_english", lambda: None)
    with working() as pipe:
        pipe.send(("warm", "one"))
        broken = do(pipe, Score("one"))[1].error
        long = do(pipe, Score(method="length", limits=Limits(sentences=2)))[1].error
        assert do(pipe, Score(method="length"))[1].result == (3.0, 5.0, 2.0)
    assert "one could not be loaded in advance: broken weights" in caplog.text
    assert "broken weights" in str(broken)
    assert (type(long).__name__, long.option) == ("NarrativeError", "chapter")
    assert "3 sentences; this server accepts up to 2" in str(long)


# Tasks for a worker in a process of its own.
def kill_itself(worker):
    os.kill(os.getpid(), signal.SIGKILL)


def report_forever(worker):
    worker.start_phase("scoring")
    while True:
        worker.report_progress(1, 2)
        time.sleep(0.01)


def sleep(worker):
    worker.start_phase("reading")
    time.sleep(600)


def identify(worker):
    return os.getpid()


@contextmanager
def running(**limits):
    runner = Runner(Limits(**limits))
    yield runner
    runner.close()


def run(runner, task, check=lambda: None, listen=lambda message: None):
    return runner.run(task, listen=listen, check=check)


def cancel(runner, task):
    """Cancel a task once it has begun."""
    began = threading.Event()

    def check():
        if began.is_set():
            raise TaskCancelled

    with pytest.raises(TaskCancelled):
        run(runner, task, check, lambda message: began.set())


def test_a_cancelled_task_keeps_the_worker_unless_it_does_not_stop():
    with running() as runner:
        process = run(runner, identify)
        cancel(runner, report_forever)
        assert run(runner, identify) == process
        cancel(runner, sleep)
        assert run(runner, identify) != process


def test_tasks_that_take_too_long_or_lose_the_worker_fail_alone():
    with running(seconds=0.2) as runner, pytest.raises(BarthesError, match="limit of this server"):
        run(runner, sleep)
    with running() as runner:
        with pytest.raises(WorkerLostError, match="ended unexpectedly"):
            run(runner, kill_itself)
        assert run(runner, identify) != os.getpid()


def test_too_many_waiting_tasks_are_refused():
    with running(waiting=0) as runner:
        refusals = []

        def listen(message):
            try:
                run(runner, identify)
            except BarthesError as error:
                refusals.append(str(error))
                raise TaskCancelled from error

        with pytest.raises(TaskCancelled):
            run(runner, report_forever, listen=listen)
    assert "already waiting" in refusals[0]
