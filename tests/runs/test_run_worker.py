from __future__ import annotations

from dataclasses import replace

import pytest

import barthes
from barthes.errors import ModelError
from barthes.runs.engine import RunJob
from barthes.runs.inputs import find_inputs, hash_text
from barthes.runs.run_settings import find_versions
from barthes.runs.run_worker import RunWorker, find_differences
from tests.runs.counting_runs import SETTINGS, TALE, load, load_nothing, make_job, make_setup

JOB = make_job("tale")
STORY = barthes.read_text(TALE, sentences=True, title="tale")


def work(job, **changes):
    return RunWorker(make_setup(replace(SETTINGS, **changes))).run(job)


@pytest.mark.parametrize("window", [None, 30])
def test_profiles_are_those_of_score(window):
    names = ("sd", "sd+tfidf", "length", "va+position", "preview", "pmi", "fast", "best", "placed:sd")
    result = work(JOB, methods=names, window=window)
    assert result.kind == "done"
    assert result.content["profiles"] == [
        barthes.score(STORY, method=name, model=load("cpu"), window=window).to_dict() for name in names
    ]


def test_events_too():
    result = work(JOB, methods=("va", "paa"), unit="event")
    assert result.content["profiles"] == [
        barthes.EventSalience(load("cpu"), method=name).score(STORY).to_dict() for name in ("va", "paa")
    ]


@pytest.mark.parametrize("unit", ["sentence", "event"])
def test_a_long_text_is_divided_and_joined(unit):
    methods = ("va", "paa") if unit == "event" else ("sd", "sd+va", "pmi")
    job = make_job("tale", TALE * 6)
    settings = {"methods": methods, "unit": unit, "window": 40}
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
    with pytest.raises(ModelError):
        RunWorker(make_setup(replace(SETTINGS, window=30), cache=True, loading=load_nothing)).run(JOB)
    with pytest.raises(ModelError):
        RunWorker(make_setup(loading=load_nothing)).run(JOB)


def test_another_model_than_the_run_began_with_is_refused():
    setup = make_setup(loading=lambda device: barthes.CountingModel(["Another text."]))
    with pytest.raises(ModelError, match="not the model that the run began with"):
        RunWorker(setup).run(JOB)


def reason(worker, job):
    result = worker.run(job)
    assert result.kind == "failed"
    return result.content["reason"]


def test_what_is_wrong_with_a_text_is_a_result(tmp_path):
    worker = RunWorker(make_setup())
    assert "nothing in it" in reason(worker, make_job("empty", "  "))
    assert "has changed since the run began" in reason(worker, replace(JOB, text="Another tale."))
    path = tmp_path / "a.txt"
    path.write_bytes(b"%PDF-1.7 and no more")
    [found] = find_inputs([path])
    assert "a.txt" in reason(worker, RunJob(found))
    path.unlink()
    assert "no such file" in reason(worker, RunJob(found))


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (RuntimeError("a bug"), "tale: this should not happen: RuntimeError: a bug"),
        (MemoryError(), "tale: there is not enough memory for it."),
    ],
)
def test_what_goes_wrong_in_scoring_costs_the_text_only(error, told):
    class Buggy(barthes.CountingModel):
        def encode(self, pieces):
            raise error

    assert reason(RunWorker(make_setup(loading=lambda device: Buggy([TALE]))), JOB).startswith(told)


@pytest.mark.parametrize(
    "error", [RuntimeError("CUDA error: no device."), MemoryError(), KeyError("weights")]
)
def test_what_goes_wrong_in_loading_is_not_the_fault_of_the_text(error):
    def loading(device):
        raise error

    with pytest.raises(ModelError, match=rf"counting: cannot be loaded \({type(error).__name__}"):
        RunWorker(make_setup(loading=loading)).run(JOB)


def test_tokens_are_counted():
    counted = []
    RunWorker(make_setup(), on_tokens=counted.append).run(JOB)
    assert sum(counted) > 40


def test_a_text_of_the_same_name_is_read_again():
    worker = RunWorker(make_setup())
    first, other = worker.run(JOB), worker.run(make_job("tale", TALE * 2))
    assert len(other.content["profiles"][0]["sentences"]) == 2 * len(
        first.content["profiles"][0]["sentences"]
    )
    assert JOB.input.sha256 == hash_text(TALE)


def test_other_versions_are_found():
    versions = find_versions()
    assert find_differences({"versions": versions, "parser": None}) == []
    other = {"versions": versions | {"barthes": "0.0.0"}, "parser": "spacy 0.0.0"}
    found = find_differences(other)
    assert found[0] == f"barthes {versions['barthes']}"
    assert found[1].startswith("the parser spacy")
