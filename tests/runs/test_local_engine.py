"""Engines with real processes, some of which are killed."""

from __future__ import annotations

import os
import signal

import pytest

from barthes.errors import ModelError
from barthes.runs.local_engine import InlineEngine, ProcessEngine
from tests.runs.counting_runs import TALE, load_fatal, load_nothing, make_job, make_setup, run_jobs


@pytest.fixture
def engines():
    made = []
    yield lambda *args: made.append(ProcessEngine(*args)) or made[-1]
    for engine in made:
        engine.close()
        assert engine.pids == []


def test_two_workers_give_the_results_of_one(engines):
    jobs = [make_job(f"t{i}", TALE * (1 + i % 3)) for i in range(12)]
    alone = run_jobs(InlineEngine(make_setup()), jobs)
    assert alone["t0"].tokens > 0
    together = engines(make_setup(), ["cpu", "cpu"])
    assert run_jobs(together, jobs) == alone
    os.kill(together.pids[0], signal.SIGKILL)  # while it is idle
    assert run_jobs(together, jobs[:2])["t1"].kind == "done"


def test_a_text_fails_if_it_kills_two_workers(engines, tmp_path):
    engine = engines(make_setup(loading=load_fatal), ["cpu", "cpu"])
    texts = {"a": TALE, "once": TALE + f"Once {tmp_path / 'mark'}\n", "bad": TALE + "Kill me.\n", "b": TALE}
    found = run_jobs(engine, [make_job(name, text) for name, text in texts.items()])
    kinds = {name: result.kind for name, result in found.items()}
    assert kinds == {"a": "done", "once": "done", "bad": "failed", "b": "done"}
    assert "crashed twice (killed by SIGKILL)" in found["bad"].content["reason"]


def test_a_model_that_cannot_be_loaded_stops_the_run(engines):
    engine = engines(make_setup(loading=load_nothing), ["cpu", "cpu"])
    engine.submit(make_job("a"))
    assert engine.collect(0.01) is None
    with pytest.raises(ModelError, match="no model here"):
        run_jobs(engine, [make_job("b")])
