"""Tasks are computed once, cached at once, and reported as one whole."""

import pytest

from barthes.evaluation.score_table import OverallProgress
from barthes_research.reproduction.experiment import (
    ExperimentTask,
    TaskResults,
    make_key,
)
from research.tests.reproduction.tales import AskedModel


def make(name, value, calls, tokens=10):
    def compute(progress):
        calls.append(name)
        progress(1, 2)
        if isinstance(value, BaseException):
            raise value
        return value

    return ExperimentTask({"story": name}, tokens, compute)


def test_each_task_is_computed_once_and_found_again(cache):
    calls = []
    tasks = [make("a", [1.0], calls), make("b", [2.0], calls), make("a", [1.0], calls)]
    results = TaskResults(cache)
    assert results.outstanding(tasks) == 20, "equal tasks count once"
    results.compute(tasks)
    results.compute(tasks)
    again = TaskResults(cache)
    assert again.outstanding(tasks) == 0
    again.compute(tasks)
    assert calls == ["a", "b"]
    assert [again[task] for task in tasks] == [[1.0], [2.0], [1.0]]


def test_what_is_finished_before_an_interruption_is_kept(cache):
    calls = []
    with pytest.raises(KeyboardInterrupt):
        TaskResults(cache).compute([make("a", [1.0], calls), make("b", KeyboardInterrupt(), calls)])
    TaskResults(cache).compute([make("a", [1.0], calls), make("b", [2.0], calls)])
    assert calls == ["a", "b", "b"]


def test_parts_make_one_whole():
    seen = []
    whole = OverallProgress(lambda done, total: seen.append((done, total)), [10, 0, 30])
    for place, steps in enumerate([[(0, 5), (5, 5)], [(0, 0)], [(1, 2), (0, 2), (2, 2)]]):
        report = whole.part(place)
        for step in steps:
            report(*step)
    assert seen == [(0, 40), (10, 40), (10, 40), (25, 40), (25, 40), (40, 40)]


def test_models_of_one_name_do_not_get_each_others_results():
    one, other = (make_key(AskedModel([text]), story="wolf") for text in ("a b .", "c d ."))
    assert one["model"] == other["model"]
    assert one != other
