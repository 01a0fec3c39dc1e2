from __future__ import annotations

import os
import signal
import threading
import time
from functools import partial

import pytest
import torch

from barthes.models.side_by_side import count_readers, side_by_side


def test_jobs_run_concurrently(two_threads):
    meeting = threading.Barrier(2, timeout=60)
    assert len(list(side_by_side([meeting.wait, meeting.wait], at_once=2))) == 2


def test_jobs_share_the_threads_and_the_caller_keeps_its_setting(two_threads):
    assert list(side_by_side([torch.get_num_threads] * 3, at_once=2)) == [1, 1, 1]
    torch.set_num_threads(4)
    assert list(side_by_side([torch.get_num_threads] * 3, at_once=2)) == [2, 2, 2]
    torch.set_num_threads(2)
    assert torch.get_num_threads() == 2


def test_a_single_job_runs_in_the_calling_thread():
    assert list(side_by_side([threading.current_thread], at_once=1)) == [threading.current_thread()]


def test_after_a_failing_job_no_more_are_started(two_threads):
    done = []
    jobs = [partial(done.append, 1), partial(int, "x"), *[partial(done.append, n) for n in range(100)]]
    with pytest.raises(ValueError, match="invalid literal"):
        list(side_by_side(jobs, at_once=2))
    assert len(done) < 10
    assert torch.get_num_threads() == 2


def test_after_the_consumer_stops_no_more_jobs_are_started(two_threads):
    done = []
    results = side_by_side([partial(done.append, n) for n in range(100)], at_once=2)
    next(results)
    results.close()
    assert len(done) < 10


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_after_an_interruption_no_more_jobs_are_started(two_threads):
    done = []

    def interrupt():
        time.sleep(0.2)  # meanwhile the third job is submitted and the first awaited
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        time.sleep(0.3)

    jobs = [interrupt, partial(time.sleep, 0.6), partial(done.append, 3)]
    with pytest.raises(KeyboardInterrupt):
        list(side_by_side(jobs, at_once=2))
    assert done == []


def test_the_cpu_has_as_many_readers_as_threads(two_threads):
    assert count_readers("cpu") == 2
    assert count_readers("mps") == 1
