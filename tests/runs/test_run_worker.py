from __future__ import annotations

from dataclasses import replace

import pytest

import barthes
from barthes.errors import ModelError
from barthes.runs.engine import RunJob
from barthes.runs.inputs import find_inputs
from barthes.runs.run_worker import RunWorker
from tests.runs.counting_runs import SETTINGS, TALE, load, load_nothing, make_job, make_setup

JOB = make_job("tale")
STORY = barthes.read_text(TALE, sentences=True, title="tale")


def work(job, **changes):
    return RunWorker(make_setup(replace(SETTINGS, **changes))).run(job)


@pytest.mark.parametrize("window", [None, 30])
def test_profiles_are_those_of_score(window):
    names = (
        "sd-t",
        "sd",
        "sd+tfidf",
        "sd-sentence+position",
        "length",
        "va+position",
        "preview",
        "pmi",
        "fast",
        "placed:centroid+similarity+embedding",
        "placed:sd",
    )
    result = work(JOB, methods=names, window=window)
    assert result.kind == "done"
    assert result.tokens > 40
    assert result.content["profiles"] == [
        barthes.score(STORY, method=name, model=load("cpu"), window=window).to_dict() for name in names
    ]


def test_profiles_of_events():
    result = work(JOB, methods=("sd", "va", "paa"), unit="event")
    assert result.content["profiles"] == [
        barthes.EventSalience(load("cpu"), method=name).score(STORY).to_dict() for name in ("sd", "va", "paa")
    ]


@pytest.mark.parametrize(
    ("unit", "methods"),
    [
        ("sentence", ("sd", "sd+va", "sd-t", "pmi")),
        ("event", ("sd", "paa")),
        ("paragraph", ("sd", "sd+length", "pmi")),
        ("scene", ("sd", "sd-sentence")),
    ],
)
def test_a_long_text_is_divided_and_joined(unit, methods):
    gap = {"paragraph": "\n\n", "scene": "\n***\n"}.get(unit, "")
    job = make_job("tale", gap.join([TALE] * 6))
    settings = {"methods": methods, "unit": unit, "window": 40, "sentences": not gap}
    whole = work(job, **settings)
    divided = work(job, **settings, part_tokens=60)
    assert divided.kind == "divided"
    known = {}
    for part in divided.parts:
        found = work(replace(job, part=part), **settings)
        assert found.kind == "part"
        known.setdefault(part.method, []).append(found.content)
    assert work(replace(job, known=known), **settings, part_tokens=60).content == whole.content


def test_a_cached_text_needs_no_model():
    first = RunWorker(make_setup(cache=True)).run(JOB)
    again = RunWorker(make_setup(cache=True, loading=load_nothing)).run(JOB)
    assert again.content == first.content
    assert again.tokens == 0
    with pytest.raises(ModelError):
        RunWorker(make_setup(replace(SETTINGS, window=30), cache=True, loading=load_nothing)).run(JOB)
    with pytest.raises(ModelError):
        RunWorker(make_setup(loading=load_nothing)).run(JOB)


class ProcessorModel(barthes.CountingModel):
    """A model that says where it computes."""

    hardware = "cpu"


def test_the_key_is_the_same_before_and_after_loading():
    setup = make_setup(cache=True, loading=lambda device: ProcessorModel([TALE]))
    setup = replace(setup, identity={**setup.identity, "device": "cpu"})
    first = RunWorker(setup).run(JOB)
    again = RunWorker(replace(setup, load=load_nothing)).run(JOB)
    assert (again.kind, again.content) == ("done", first.content)


def test_another_model_than_that_of_the_run_is_refused():
    setup = make_setup(loading=lambda device: barthes.CountingModel(["Another text."]))
    with pytest.raises(ModelError, match="not the model that the run started with"):
        RunWorker(setup).run(JOB)


def reason(worker, job):
    result = worker.run(job)
    assert result.kind == "failed"
    return result.content["reason"]


def test_problems_of_a_text_are_results(tmp_path):
    worker = RunWorker(make_setup())
    assert "nothing in it" in reason(worker, make_job("empty", "  "))
    assert "has changed since the run started" in reason(worker, replace(JOB, text="Another tale."))
    path = tmp_path / "a.txt"
    path.write_bytes(b"%PDF-1.7 and no more")
    [found] = find_inputs([path])
    assert "a.txt" in reason(worker, RunJob(found))
    path.unlink()
    assert "no such file" in reason(worker, RunJob(found))


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (RuntimeError("a bug"), "tale: unexpected error: RuntimeError: a bug"),
        (MemoryError(), "tale: out of memory."),
    ],
)
def test_an_error_in_scoring_affects_one_text(error, problem):
    class Buggy(barthes.CountingModel):
        def encode(self, pieces):
            raise error

    assert reason(RunWorker(make_setup(loading=lambda device: Buggy([TALE]))), JOB).startswith(problem)


@pytest.mark.parametrize(
    "error", [RuntimeError("CUDA error: no device."), MemoryError(), KeyError("weights")]
)
def test_an_error_in_loading_stops_the_run(error):
    def loading(device):
        raise error

    with pytest.raises(ModelError, match=rf"counting: cannot be loaded \({type(error).__name__}"):
        RunWorker(make_setup(loading=loading)).run(JOB)


def test_another_text_with_the_same_id_is_read():
    worker = RunWorker(make_setup())
    counts = [
        len(worker.run(job).content["profiles"][0]["sentences"]) for job in (JOB, make_job("tale", TALE * 2))
    ]
    assert counts == [5, 10]
