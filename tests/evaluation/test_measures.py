"""The measures of a method on stories, against plain computations."""

from __future__ import annotations

import math
from statistics import fmean

import pytest

from barthes.evaluation.corpus import LabelledNarrative
from barthes.evaluation.measures import MEASURES, measure_stories
from barthes.evaluation.metrics import precision_at, rank_correlation
from barthes.evaluation.result import Figure
from barthes.evaluation.significance import bootstrap_interval
from barthes.narrative import Narrative
from tests.evaluation.labelled_tales import STORIES, tale

NAN = math.nan
DULL = tale("dull", ["Nothing came.", "Nothing went."], set())
RUNS = [
    {"wolf": [3, 2, 1, 0], "king": [1, 2, 3], "mill": [0, 1, 2, 2], "dull": [1, 2]},
    {"wolf": [0, 3, 2, 1], "king": [3, 2, 1], "mill": [1, 1, 0, 2], "dull": [2, 1]},
]


def test_a_constant_score_correlates_with_nothing_unless_the_labels_are_constant_too():
    runs = [{story.name: [1.0] * len(story.narrative) for story in [*STORIES, DULL]}]
    found = dict(measure_stories("spearman", runs, [*STORIES, DULL]).per_story)
    assert math.isnan(found.pop("dull"))
    assert set(found.values()) == {0.0}


def test_correlation_uses_the_grades():
    story = Narrative.from_sentences(["It rained.", "A wolf came.", "It ate."])
    graded = LabelledNarrative("votes", story, (False, True, True), (0.1, 0.5, 0.9))
    assert (
        measure_stories("spearman", [{"votes": [1, 3, 2]}], [graded]).value
        == rank_correlation([0.1, 0.5, 0.9], [1, 3, 2])
        == 0.5
    )


def test_a_measure_is_averaged_over_runs_story_by_story():
    stories = [*STORIES, DULL]
    found = measure_stories("precision_at_1", RUNS, stories)
    slow = {
        story.name: fmean(precision_at(story.labels, run[story.name], 1) for run in RUNS) for story in STORIES
    }
    assert math.isnan(found.per_story["dull"])
    assert found.value == pytest.approx(fmean(slow.values()))
    assert found.interval == bootstrap_interval(list(slow.values()))
    assert set(MEASURES) >= {"map", "r_precision", "agreement", "auc", "spearman"}


def test_comparing_methods_with_undefined_figures():
    ours, theirs = {"a": 0.5, "b": NAN, "c": 0.7}, Figure({"a": 0.25, "b": 0.5, "c": 0.5})
    known = Figure({"a": 0.5, "c": 0.7}).compare(Figure({"a": 0.25, "c": 0.5}))
    assert Figure(ours).compare(theirs) == known
    assert set(Figure({"a": NAN}).compare(Figure({"a": 0.5})).values()) == {None}
    gain = Figure(ours) - theirs
    assert gain.value == pytest.approx(0.225)
    assert gain.interval == bootstrap_interval([0.25, 0.7 - 0.5])
    assert math.isnan(gain.per_story["b"])


def test_a_difference_has_an_interval_of_its_own():
    ours, theirs = (Figure({f"s{i}": value + 0.08 * i for i in range(8)}) for value in (0.3, 0.2))
    found = ours.compare(theirs)  # stories differ much, the methods always by the same
    assert (found["difference"], found["low"], found["high"]) == pytest.approx((0.1, 0.1, 0.1))
    worse = theirs.compare(ours)
    assert worse["difference"] == pytest.approx(-0.1)
    assert worse["wilcoxon"] == found["wilcoxon"]
