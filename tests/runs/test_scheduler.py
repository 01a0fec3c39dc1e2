from __future__ import annotations

from dataclasses import replace

import pytest
from barthes.salience.parts import Part

from barthes.runs.engine import JobResult
from barthes.runs.scheduler import RunProgress
from tests.runs.counting_runs import PARTS, TALE, export, load, write_table


class FakeEngine:
    """Answer each job by a function."""

    capacity = 2

    def __init__(self, answer):
        self.answer = answer
        self.jobs, self.done, self.closed = [], [], False

    def submit(self, job):
        self.jobs.append(job)
        assert len(self.jobs) <= self.capacity

    def collect(self, timeout):
        self.done.append(self.jobs.pop(0))
        return self.answer(self.done[-1])

    def close(self):
        self.closed = True


def fail(job):
    return JobResult(job, "failed", {"reason": f"{job.input.id}: no"}, tokens=100)


def test_progress_is_reported(run, monkeypatch):
    monkeypatch.setattr("barthes.runs.scheduler._REPORT", 0.0)
    engine, reported = FakeEngine(fail), []
    summary = run(progress=reported.append, make_engine=lambda *_: engine)
    assert engine.closed
    assert summary.failures == {f"t{i}": f"t{i}: no" for i in range(20)}
    assert [each.failed for each in reported] == [*range(1, 21), 20]
    assert reported[-1] == RunProgress(20, 0, 20)
    assert reported[0].tokens_per_second > 0
    left = [each.seconds_left for each in reported[:-1]]
    assert min(left) == left[-1] == 0


def test_after_a_failure_the_other_parts_of_the_text_are_skipped(run, tmp_path):
    parts = tuple(Part("sd", i, i + 1, 5) for i in range(5))

    def answer(job):
        if job.part is None:
            return JobResult(job, "divided", {}, parts)
        return fail(job) if job.part == parts[1] else JobResult(job, "part", {"scores": [0.0]})

    engine = FakeEngine(answer)
    table = write_table(tmp_path / "long.jsonl", {"long": TALE})
    assert run(paths=[table], make_engine=lambda *_: engine).failures == {"long": "long: no"}
    assert [job.part for job in engine.done] == [None, *parts[:3]]


def test_an_interrupted_run_continues(run, tmp_path, status, monkeypatch, write_at_once):
    def stop(progress):
        if progress.done >= 5:
            raise KeyboardInterrupt

    monkeypatch.setattr("barthes.runs.scheduler._REPORT", 0.0)
    with pytest.raises(KeyboardInterrupt):
        run(progress=stop, cache=False)
    done = status().progress.done
    assert 5 <= done < 20
    assert run(cache=False).scored == 20 - done
    run("whole", cache=False)
    assert export(tmp_path / "run") == export(tmp_path / "whole")


def test_finished_parts_of_an_interrupted_text_are_reused(run, tmp_path, status, write_at_once):
    read, stop_at = [], 10**9

    class Counted(type(load("cpu"))):
        def read(self, tokens):
            read.append(len(tokens))
            if len(read) == stop_at:
                raise KeyboardInterrupt
            return super().read(tokens)

    def start(name):
        read.clear()
        settings = replace(PARTS, part_tokens=60)
        return run(name, [long], settings, lambda device: Counted([TALE]), cache=False)

    long = write_table(tmp_path / "long.jsonl", {"long": TALE * 10})
    start("whole")
    total = len(read)
    stop_at = total // 2
    with pytest.raises(KeyboardInterrupt):
        start("run")
    assert status().begun == 1
    stop_at = 10**9
    assert start("run").scored == 1
    assert total // 2 + len(read) <= total + 5
    assert export(tmp_path / "run") == export(tmp_path / "whole")
