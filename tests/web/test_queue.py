"""The queue with its real worker process, without HTTP."""

from __future__ import annotations

import multiprocessing
import secrets
import shutil
import time

import pytest

from barthes.jobs.offer import Limits
from barthes.salience.profile import Profile
from barthes.web.job_store import JobStore
from barthes.web.queue import JobQueue, QueueFullError
from tests.web.running import PATIENCE, SLOW
from tests.web.test_job_store import accept, make_job


@pytest.fixture(scope="module")
def queue(tmp_path_factory):
    made = JobQueue(JobStore(tmp_path_factory.mktemp("results")), limits=Limits())
    made.start()
    yield made
    made.stop()


@pytest.fixture
def busy(queue):
    """A job that runs until the end of the test."""
    job = submit(queue, SLOW.encode(), lines=False)
    wait(queue, job, "running")
    yield job
    queue.delete(job)


def submit(queue, story=b"A wolf came.\nIt rained.", **changes):
    job = make_job(secrets.token_hex(8), **{"lines": True} | changes)
    accept(queue.store, job, story)
    queue.add(job)
    return job


def wait(queue, job, *states):
    until = time.monotonic() + PATIENCE
    while queue.find(job.id).state not in (states or ("finished", "failed", "cancelled", "interrupted")):
        assert time.monotonic() < until
        time.sleep(0.01)
    return queue.find(job.id)


def test_jobs_are_done_in_their_order_and_failures_fail_alone(queue):
    submitted = [submit(queue), submit(queue, b"\x00\xff\x00"), submit(queue)]
    ended = [wait(queue, job) for job in submitted]
    assert [job.state for job in ended] == ["finished", "failed", "finished"]
    assert [job.ended for job in ended] == sorted(job.ended for job in ended)
    assert Profile.load(queue.store.profile(ended[0])).scores == (3.0, 2.0)
    assert ended[0].sentences == 2
    assert ended[0].seconds is not None


def test_a_full_queue_refuses_jobs_and_keeps_results(queue, monkeypatch):
    done = wait(queue, submit(queue))
    monkeypatch.setattr(queue, "limits", Limits(waiting=1))
    running = submit(queue, SLOW.encode(), lines=False)
    wait(queue, running, "running")
    waiting = submit(queue)
    assert queue.count_before(waiting.id) == 1
    for refused in (lambda: submit(queue), lambda: queue.restart(done)):
        with pytest.raises(QueueFullError, match="1 stories are already waiting"):
            refused()
    assert queue.find(done.id).state == "finished"
    assert Profile.load(queue.store.profile(done)).scores == (3.0, 2.0)
    queue.cancel(waiting)
    queue.delete(running)


def test_a_running_job_is_deleted_and_one_that_vanishes_from_the_disk_does_not_stop_the_queue(queue, busy):
    queue.delete(busy)
    assert queue.find(busy.id) is None
    vanishing = submit(queue, SLOW.encode(), lines=False)
    wait(queue, vanishing, "running")
    shutil.rmtree(queue.store.folder / vanishing.id)
    queue.cancel(vanishing)
    assert not list(queue.store.folder.glob(f"*{vanishing.id}*"))
    assert not list(queue.store.folder.glob(f"*{busy.id}*"))
    assert wait(queue, submit(queue)).state == "finished"


def test_stopping_interrupts_waiting_and_running_jobs(tmp_path):
    others = set(multiprocessing.active_children())
    queue = JobQueue(JobStore(tmp_path), limits=Limits())
    queue.start()
    running = submit(queue, SLOW.encode(), lines=False)
    submit(queue)
    wait(queue, running, "running")
    queue.stop()
    assert {job.state for job in JobStore(tmp_path).load()} == {"interrupted"}
    assert set(multiprocessing.active_children()) == others


def test_active_jobs_become_interrupted_unless_their_result_was_written(tmp_path):
    results = JobStore(tmp_path)
    before = {"a": "running", "b": "waiting", "c": "interrupted"}
    jobs = [make_job(key * 16, state=state) for key, state in before.items()]
    for job in jobs:
        accept(results, job)
    for job in jobs[1:]:
        results.profile(job).write_text("{}")
    queue = JobQueue(results, limits=Limits())
    states = ["interrupted", "finished", "finished"]
    assert [queue.find(job.id).state for job in jobs] == states
    assert [job.state for job in JobStore(tmp_path).load()] == states


def test_late_requests_do_not_restore_a_deleted_job(tmp_path):
    results = JobStore(tmp_path)
    job = make_job(state="running")
    accept(results, job)
    queue = JobQueue(results, limits=Limits())
    queue.delete(job)
    assert queue.cancel(job) == queue.restart(job) == job
    queue.delete(job)
    assert queue.list() == []


def test_sentences_are_left_out_by_number_or_by_marks(queue):
    story = b"[[skip]]He told me this.[[/skip]] A wolf came. It rained."
    job = wait(queue, submit(queue, story, lines=False, skip="3"))
    profile = Profile.load(queue.store.profile(job))
    assert profile.ranks == (None, 1, None)
    assert "[[" not in profile.narrative.text
