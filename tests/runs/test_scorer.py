from __future__ import annotations

from dataclasses import replace

import pytest

import barthes
from barthes.errors import ModelError
from barthes.runs.engine import Item
from barthes.runs.inputs import Input, find_inputs, hash_text
from barthes.runs.scorer import Scorer
from tests.runs.counting import SETTINGS, TALE, load, load_nothing, workplace

INPUT = Input("tale", "t.jsonl", hash_text(TALE), len(TALE))
ITEM = Item(INPUT, TALE)


@pytest.mark.parametrize("window", [None, 30])
def test_scores_are_those_of_the_methods(window):
    names = ("sd", "sd+tfidf", "length", "va+position", "preview", "pmi", "fast", "best", "placed:sd")
    outcome = Scorer(workplace(replace(SETTINGS, methods=names, window=window))).work(ITEM)
    assert outcome.kind == "done"
    assert len(outcome.content["profiles"]) == len(names)
    story = barthes.read_text(TALE, sentences=True, title="tale")
    for profile in outcome.content["profiles"]:
        expected = barthes.score(story, method=profile["method"], model=load("cpu"), window=window)
        assert tuple(profile["scores"]) == expected.scores
        about = (expected.model, expected.precision, expected.window)
        assert (profile["model"], profile["precision"], profile["window"]) == about
        assert profile["notes"] == list(expected.notes)


def test_events_too():
    settings = replace(SETTINGS, methods=("va", "paa"), unit="event")
    outcome = Scorer(workplace(settings)).work(ITEM)
    story = barthes.read_text(TALE, sentences=True, title="tale")
    for profile in outcome.content["profiles"]:
        expected = barthes.EventSalience(load("cpu"), method=profile["method"]).score(story)
        assert profile["events"] == expected.to_dict()["events"]


@pytest.mark.parametrize("unit", ["sentence", "event"])
def test_a_long_text_is_divided_and_joined(unit):
    methods = ("va", "paa") if unit == "event" else ("sd", "sd+va")
    text = TALE * 6
    settings = replace(SETTINGS, methods=methods, unit=unit, window=40)
    item = Item(replace(INPUT, sha256=hash_text(text)), text)
    whole = Scorer(workplace(settings)).work(item)
    scorer = Scorer(workplace(replace(settings, part_tokens=60)))
    planned = scorer.work(item)
    assert planned.kind == "planned"
    known = {}
    for part in planned.parts:
        found = Scorer(workplace(settings)).work(replace(item, part=part))
        assert found.kind == "part"
        joined = known.setdefault(part.method, {**found.content, "scores": []})
        joined["scores"] = joined["scores"] + found.content["scores"]
    assert scorer.work(replace(item, known=known)).content == whole.content


def test_a_cached_text_needs_no_model(tmp_path):
    cache = tmp_path / "s.sqlite3"
    first = Scorer(workplace(cache=cache)).work(ITEM)
    again = Scorer(workplace(cache=cache, loading=load_nothing)).work(ITEM)
    assert again.content == first.content
    other = replace(SETTINGS, window=30)
    with pytest.raises(ModelError):
        Scorer(workplace(other, cache=cache, loading=load_nothing)).work(ITEM)


def test_another_model_than_the_run_began_with_is_refused():
    def load_other(device):
        return barthes.CountingModel(["Another text."])

    with pytest.raises(ModelError, match="not the model that the run began with"):
        Scorer(workplace(loading=load_other)).work(ITEM)


def test_what_is_wrong_with_a_text_is_an_outcome(tmp_path):
    scorer = Scorer(workplace())
    assert "nothing in it" in reason(scorer, Item(replace(INPUT, sha256=hash_text("  ")), "  "))
    assert "has changed since the run began" in reason(scorer, replace(ITEM, text="Another tale."))
    path = tmp_path / "a.txt"
    path.write_bytes(b"%PDF-1.7 and no more")
    [found] = find_inputs([path])
    assert "a.txt" in reason(scorer, Item(found))
    path.unlink()
    assert "no such file" in reason(scorer, Item(found))


def reason(scorer, item):
    outcome = scorer.work(item)
    assert outcome.kind == "failed"
    return outcome.content["reason"]


def test_a_bug_costs_the_text_only():
    class Buggy(barthes.CountingModel):
        def encode(self, pieces):
            raise RuntimeError("a bug")

    outcome = Scorer(workplace(loading=lambda device: Buggy([TALE]))).work(ITEM)
    assert outcome.content["reason"] == "tale: this should not happen: RuntimeError: a bug"


def test_tokens_are_told():
    told = []
    Scorer(workplace(), tell=told.append).work(ITEM)
    assert sum(told) > 40


@pytest.mark.parametrize(
    "error", [RuntimeError("CUDA error: no device."), MemoryError(), KeyError("weights")]
)
def test_what_is_wrong_with_loading_is_no_fault_of_the_text(error):
    def loading(device):
        raise error

    with pytest.raises(ModelError, match=rf"counting: cannot be loaded \({type(error).__name__}"):
        Scorer(workplace(loading=loading)).work(ITEM)
