"""The rules of all worker pools, tested with workers that are not processes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from barthes.salience.parts import Part

from barthes.errors import ModelError
from barthes.runs.engine import JobResult, PoolWorker, WorkerPool
from tests.runs.counting_runs import make_job, run_jobs


class Pool(WorkerPool):
    """Workers that crash on texts of some names, a given number of times."""

    def __init__(self, **crashes):
        super().__init__(2)
        self.left = crashes
        self.started = 0

    def _start(self):
        self.started += 1
        return PoolWorker()

    def _send(self, worker, job):
        pass

    def _wait(self, timeout):
        for worker in [worker for worker in self._workers if worker.job]:
            name = worker.job.input.id
            if self.left.get(name, 0) > 0:
                self.left[name] -= 1
                self._crash(worker, "a signal")
            else:
                self._receive(worker, JobResult(make_job("sent back"), "done", {}))


def run(pool, *names):
    return {name: result.kind for name, result in run_jobs(pool, map(make_job, names)).items()}


def test_no_more_workers_than_jobs_are_started():
    pool = Pool()
    assert run(pool, "a") == {"a": "done"}
    assert pool.started == 1
    assert len(run(pool, *"abcdefg")) == 7
    assert pool.started == 2


def test_a_text_fails_after_a_second_crash():
    assert run(Pool(a=1, b=2), *"abc") == {"a": "done", "b": "failed", "c": "done"}
    [result] = run_jobs(Pool(b=2), [make_job("b")]).values()
    assert "b: the process that scored it crashed twice (a signal)" in result.content["reason"]


def test_each_part_of_a_text_is_retried_once():
    pool = Pool(a=2)
    parts = [replace(make_job("a"), part=Part("sd", i, i + 1, 2)) for i in range(2)]
    for each in parts:
        pool.submit(each)
    assert {pool.collect(1).kind for _ in parts} == {"done"}


def test_the_run_stops_after_too_many_crashes_in_a_row():
    names = "abcdefghijkl"
    assert set(run(Pool(**dict.fromkeys(names, 1)), *"x".join(names))) >= set(names)
    with pytest.raises(ModelError, match=r"keep crashing on different texts \(a signal\)"):
        run(Pool(**dict.fromkeys(names, 2)), *names)
