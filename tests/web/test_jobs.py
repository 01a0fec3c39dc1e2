"""The queue with its real worker process, without HTTP."""

from __future__ import annotations

import os
import shutil
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from barthes.web.jobs import Jobs, QueueFullError
from barthes.web.limits import Limits
from barthes.web.results import Results
from tests.web.running import PATIENCE
from tests.web.test_results import accept, make_job


@pytest.fixture
def queue(tmp_path):
    made = []

    def make(**limits):
        jobs = Jobs(Results(tmp_path), limits=Limits(**limits))
        jobs.start()
        made.append(jobs)
        return jobs

    yield make
    for jobs in made:
        jobs.stop()


SLOW = b"A wolf came. " * 60_000  # to be split by spaCy


def submit(jobs, key, story=b"A wolf came.\nIt rained.", **changes):
    job = make_job(key * 16, lines=story is not SLOW, **changes)
    accept(jobs.results, job, story)
    jobs.add(job)
    return job


def wait(jobs, job, *states):
    until = time.monotonic() + PATIENCE
    while jobs.find(job.id).state not in (states or ("finished", "failed", "cancelled", "interrupted")):
        assert time.monotonic() < until
        time.sleep(0.02)
    return jobs.find(job.id)


def test_jobs_are_done_in_their_order_and_failures_fail_alone(queue):
    jobs = queue()
    submitted = [submit(jobs, "a"), submit(jobs, "b", story=b"\x00\xff\x00"), submit(jobs, "c")]
    ended = [wait(jobs, job) for job in submitted]
    assert [job.state for job in ended] == ["finished", "failed", "finished"]
    assert [job.ended for job in ended] == sorted(job.ended for job in ended)
    assert jobs.results.load_profile(ended[0]).scores == (3.0, 2.0)
    assert ended[0].sentences == 2
    assert ended[0].seconds is not None


def test_a_worker_that_dies_costs_one_job(queue):
    jobs = queue()
    slow = submit(jobs, "a", story=SLOW)
    wait(jobs, slow, "running")
    next_one = submit(jobs, "b")
    while jobs._hand._process is None:
        time.sleep(0.01)
    os.kill(jobs._hand._process.pid, signal.SIGKILL)
    lost = wait(jobs, slow)
    assert lost.state == "failed"
    assert "ended unexpectedly" in lost.problem
    assert wait(jobs, next_one).state == "finished"


def test_a_full_queue_takes_nothing_and_says_so(queue):
    jobs = queue(waiting=1)
    first = submit(jobs, "a", story=SLOW)
    wait(jobs, first, "running")
    submit(jobs, "b")
    with pytest.raises(QueueFullError, match="1 stories are waiting already"):
        submit(jobs, "c")
    jobs.cancel(first)


def test_what_was_under_way_is_interrupted_unless_its_result_was_written(tmp_path):
    results = Results(tmp_path)
    running, written = make_job("a" * 16), make_job("b" * 16)
    for job in (running, written):
        accept(results, job)
    results.profile(written).write_text("{}")
    jobs = Jobs(results, limits=Limits())
    assert [jobs.find(job.id).state for job in (running, written)] == ["interrupted", "finished"]
    assert [job.state for job in Results(tmp_path).load()] == ["interrupted", "finished"]


def test_stopping_interrupts_what_waits_and_runs(queue, tmp_path):
    jobs = queue()
    running = submit(jobs, "a", story=SLOW)
    submit(jobs, "b")
    wait(jobs, running, "running")
    jobs.stop()
    assert {job.state for job in Results(tmp_path).load()} == {"interrupted"}
    assert jobs._hand._process is None


def test_deleting_a_running_job(queue, tmp_path):
    jobs = queue()
    job = submit(jobs, "a", story=SLOW)
    wait(jobs, job, "running")
    jobs.delete(job)
    assert jobs.find(job.id) is None
    assert not (tmp_path / job.id).exists()


def test_a_job_that_vanishes_from_the_disk_does_not_stop_the_queue(queue, tmp_path):
    jobs = queue()
    job = submit(jobs, "a", story=SLOW)
    wait(jobs, job, "running")
    shutil.rmtree(tmp_path / job.id)
    jobs.cancel(job)
    assert not (tmp_path / job.id).exists()
    assert wait(jobs, submit(jobs, "b")).state == "finished"


def test_a_result_outlives_a_wish_to_do_it_again_that_is_refused(queue):
    jobs = queue(waiting=1)
    done = wait(jobs, submit(jobs, "a"))
    running = submit(jobs, "b", story=SLOW)
    wait(jobs, running, "running")
    submit(jobs, "c")
    with pytest.raises(QueueFullError):
        jobs.renew(done)
    assert jobs.find(done.id).state == "finished"
    assert jobs.results.load_profile(done).scores == (3.0, 2.0)
    jobs.cancel(running)


def test_a_job_is_done_again_once_however_many_ask_for_it(tmp_path):
    results = Results(tmp_path)
    job = make_job("a" * 16, state="cancelled")
    accept(results, job)
    jobs = Jobs(results, limits=Limits())  # nobody works: it stays in the queue
    with ThreadPoolExecutor(8) as threads:
        assert {found.state for found in threads.map(jobs.renew, [job] * 50)} == {"waiting"}
    assert list(jobs._waiting) == [job.id]


def test_who_comes_too_late_for_a_job_brings_nothing_back(tmp_path):
    results = Results(tmp_path)
    job = make_job("a" * 16, state="running")
    accept(results, job)
    jobs = Jobs(results, limits=Limits())
    jobs.delete(job)
    assert jobs.cancel(job) == jobs.renew(job) == job
    jobs.delete(job)
    assert jobs.list() == []


def test_a_result_that_was_written_while_the_server_stopped_is_not_lost(tmp_path):
    results = Results(tmp_path)
    job = make_job("a" * 16, state="interrupted")
    accept(results, job)
    results.profile(job).write_text("{}")
    assert Jobs(results, limits=Limits()).find(job.id).state == "finished"


def test_a_chapter_keeps_its_title_when_it_is_done_again(queue):
    jobs = queue()
    story = b"Chapter 1\n\nA wolf came.\n\nChapter 2\n\nIt rained."
    changes = {"chapter": 2, "title": "Vol. 2.txt", "name": "Vol. 2.txt", "titled": False}
    for _ in range(2):
        job = jobs.find("a" * 16)
        job = submit(jobs, "a", story=story, **changes) if job is None else jobs.renew(job)
        assert wait(jobs, job).title == "Vol. 2: Chapter 2"
