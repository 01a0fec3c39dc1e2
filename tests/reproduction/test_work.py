"""Work is done once, kept at once, and reported as one whole."""

from dataclasses import replace

import pytest

from barthes.errors import ModelError, SentenceTooLongError
from barthes.evaluation.identity import Identity
from barthes.evaluation.store import ScoreStore
from barthes.evaluation.whole_progress import WholeProgress
from barthes.reproduction.work import (
    Ledger,
    Work,
    estimate_tokens,
    settle,
    settle_each,
)


def identify(name, **more):
    return Identity("tales", name, "hash", "sd", model="counting", fingerprint="f", **more)


def make(name, value, calls, tokens=10):
    def compute(progress):
        calls.append(name)
        progress(1, 2)
        return [value]

    return Work((identify(name),), tokens, compute, lambda values: isinstance(values, list))


def test_each_piece_is_computed_once_and_found_again(store):
    calls = []
    works = [make("a", [1.0], calls), make("b", [2.0], calls)]
    ledger = Ledger(store)
    settle(works, ledger)
    settle(works, ledger)
    again = Ledger(ScoreStore(store.folder))
    settle(works, again)
    assert calls == ["a", "b"]
    assert [again.value(work.identities[0]) for work in works] == [[1.0], [2.0]]


def test_what_is_finished_before_an_interruption_is_kept(store):
    calls = []

    def interrupt(progress):
        raise KeyboardInterrupt

    works = [make("a", [1.0], calls), Work((identify("b"),), 1, interrupt, lambda values: True)]
    with pytest.raises(KeyboardInterrupt):
        settle(works, Ledger(store))
    settle([works[0], make("b", [2.0], calls)], Ledger(ScoreStore(store.folder)))
    assert calls == ["a", "b"]


def test_a_setting_that_fails_fails_alone(store):
    calls, seen = [], []

    def fail(progress):
        raise SentenceTooLongError("too long", where="story2")

    plans = {
        None: [make("a", [1.0], calls), Work((identify("b"),), 10, fail, bool), make("c", [1.0], calls)],
        "domain": [make("d", [1.0], calls)],
        "transductive": [Work((identify("e"),), 10, fail, bool)],
    }
    ledger = Ledger(store)
    failed = settle_each(plans, ledger, progress=lambda done, total: seen.append((done, total)))
    assert list(failed) == [None, "transductive"]
    assert "story2" in str(failed[None])
    assert calls == ["a", "d"]
    assert not ledger.lacks(plans["domain"][0])
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1] == (50, 50)


def test_a_model_that_cannot_be_used_costs_its_setting_alone(store):
    def fail(progress):
        raise ModelError("gave numbers that are not numbers.", where="tiny")

    calls = []
    plans = {None: [Work((identify("a"),), 10, fail, bool)], "domain": [make("b", [1.0], calls)]}
    failed = settle_each(plans, Ledger(store))
    assert list(failed) == [None]
    assert calls == ["b"]


def joined(calls, parts):
    def compute(progress, *found):
        calls.append("whole")
        return [[value for part in found for value in part]]

    return Work((identify("whole"),), 30, compute, lambda values: isinstance(values, list), tuple(parts))


def test_parts_are_kept_one_by_one_and_joined(store):
    calls, seen = [], []

    def interrupt(progress):
        raise KeyboardInterrupt

    broken = Work((identify("b"),), 20, interrupt, lambda values: True)
    with pytest.raises(KeyboardInterrupt):
        settle([joined(calls, [make("a", [1.0], calls), broken])], Ledger(store))
    whole = joined(calls, [make("a", [1.0], calls), make("b", [2.0], calls, tokens=20)])
    ledger = Ledger(ScoreStore(store.folder))
    assert ledger.outstanding([whole]) == 20
    settle([whole], ledger, progress=lambda done, total: seen.append((done, total)))
    assert calls == ["a", "b", "whole"]
    assert ledger.value(whole.identities[0]) == [1.0, 2.0]
    assert seen[0] == (0, 20)
    assert seen[-1] == (20, 20)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_parts_of_what_is_known_are_not_looked_for(store):
    store.keep(identify("whole"), [1.0])
    calls = []
    whole = joined(calls, [make("a", [1.0], calls)])
    ledger = Ledger(ScoreStore(store.folder))
    assert ledger.outstanding([whole]) == 0
    settle([whole], ledger)
    assert (calls, ledger.store.kept) == ([], 0)


def test_work_with_several_results_is_done_again_if_one_is_missing(store):
    both = (identify("a"), identify("b"))
    calls = []

    def compute(progress):
        calls.append(1)
        return [[1.0], [2.0]]

    store.keep(both[0], [9.0])
    ledger = Ledger(store)
    settle([Work(both, 1, compute, lambda values: True)], ledger)
    assert calls == [1]
    assert [ledger.value(identity) for identity in both] == [[1.0], [2.0]]


def test_a_result_that_cannot_be_one_is_computed_again(store):
    store.keep(identify("a"), "nonsense")
    calls = []
    settle([make("a", [1.0], calls)], Ledger(store))
    assert calls == ["a"]
    assert len(store.stale) == 1


def test_a_stale_result_is_told_once(store):
    store.keep(identify("a", version="0.0.0"), [0.0])
    calls = []
    works = [make("a", [1.0], calls)]
    ledger = Ledger(store)
    assert ledger.outstanding(works) == ledger.outstanding(works) == 10
    settle(works, ledger)
    assert len(store.stale) == 1
    assert "1 stored result" in store.stale[0]
    assert "another version" in store.stale[0]


def test_progress_goes_up_to_the_whole(store):
    seen = []
    calls = []
    store.keep(identify("a"), [1.0])
    works = [make(name, [1.0], calls, tokens=n) for name, n in [("a", 100), ("b", 10), ("c", 30)]]
    settle(works, Ledger(store), progress=lambda done, total: seen.append((done, total)))
    assert {total for _, total in seen} == {40}  # what is known already is not counted
    assert [done for done, _ in seen] == [0, 5, 10, 25, 40]


def test_work_that_stands_twice_counts_once(store):
    works = [make("a", [1.0], []), make("a", [1.0], [])]
    assert Ledger(store).outstanding(works) == 10


def test_parts_make_one_whole():
    seen = []
    whole = WholeProgress(lambda done, total: seen.append((done, total)), [10, 0, 30])
    for place, steps in enumerate([[(0, 5), (5, 5)], [(0, 0)], [(1, 2), (0, 2), (2, 2)]]):
        report = whole.part(place)
        for step in steps:
            report(*step)
    assert seen == [(0, 40), (10, 40), (10, 40), (25, 40), (25, 40), (40, 40)]


def test_estimates_need_no_tokenizer():
    assert estimate_tokens("") >= 1
    assert estimate_tokens("word " * 100) > estimate_tokens("word " * 50)


def test_models_of_one_name_do_not_get_each_others_results(tmp_path):
    ledger = Ledger(ScoreStore(tmp_path))
    one = Identity("tales", "wolf", "text", "sd", model="counting", fingerprint="a")
    other = replace(one, fingerprint="b")
    assert one.path == other.path
    ledger.keep(one, [1.0])
    ledger.keep(other, [2.0])
    assert (ledger.value(one), ledger.value(other)) == ([1.0], [2.0])
