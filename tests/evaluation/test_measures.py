"""The measures of a method on stories, and the agreement of annotators, against plain computations."""

from __future__ import annotations

import math
from statistics import fmean, stdev

import numpy as np
import pytest
from scipy.stats import spearmanr

from barthes.corpora import Hippocorpus, RocStoriesSalience
from barthes.corpora.corpus import LabelledNarrative
from barthes.errors import UnknownNameError
from barthes.evaluation.measures import (
    DIVISIONS,
    MEASURES,
    check_measures,
    compare,
    gain,
    measure_agreement,
    measure_method,
    measure_stories,
)
from barthes.evaluation.metrics import average_precision, precision_at, rank_correlation
from barthes.evaluation.significance import bootstrap_interval, permutation_test, wilcoxon
from barthes.hashing import hash_content
from barthes.narrative import Narrative
from tests.evaluation.labelled_tales import STORIES, tale

NAN = math.nan
DULL = tale("dull", ["Nothing came.", "Nothing went."], set())
RUNS = [
    {"wolf": [3, 2, 1, 0], "king": [1, 2, 3], "mill": [0, 1, 2, 2], "dull": [1, 2]},
    {"wolf": [0, 3, 2, 1], "king": [3, 2, 1], "mill": [1, 1, 0, 2], "dull": [2, 1]},
]


def test_each_story_has_the_mean_over_runs():
    found = measure_stories("map", RUNS, [*STORIES, DULL])
    assert math.isnan(found.pop("dull"))
    assert found == {
        story.name: pytest.approx(fmean(average_precision(story.labels, run[story.name]) for run in RUNS))
        for story in STORIES
    }


def test_a_constant_score_correlates_with_nothing_unless_the_labels_are_constant_too():
    runs = [{story.name: [1.0] * len(story.narrative) for story in [*STORIES, DULL]}]
    found = measure_stories("spearman", runs, [*STORIES, DULL])
    assert math.isnan(found.pop("dull"))
    assert set(found.values()) == {0.0}


def test_correlation_uses_the_grades():
    story = Narrative.from_sentences(["It rained.", "A wolf came.", "It ate."])
    graded = LabelledNarrative("votes", story, (False, True, True), (0.1, 0.5, 0.9))
    [found] = measure_stories("spearman", [{"votes": [1, 3, 2]}], [graded]).values()
    assert found == rank_correlation([0.1, 0.5, 0.9], [1, 3, 2]) == 0.5


@pytest.mark.parametrize(("policy", "divisor"), [("skip", 3), ("zero", 4)])
def test_figures_of_a_method(policy, divisor):
    stories = [*STORIES, DULL]
    result = measure_method(
        "ours",
        RUNS,
        stories,
        measures=["auc", "map"],
        baseline={"wolf": 0.1, "king": 0.2, "mill": 0.3, "dull": NAN},
        against={"ours": {}, "theirs": {"wolf": 0.5, "king": 0.5, "mill": 0.5, "dull": NAN}},
        undefined=policy,
    )
    each = measure_stories("map", RUNS, STORIES)
    auc = list(measure_stories("auc", RUNS, STORIES).values())
    assert result.map == pytest.approx(sum(each.values()) / divisor)
    assert result.per_story == {**each, "dull": None}
    padded = list(each.values()) + [0.0] * (divisor - 3)
    assert result.interval == bootstrap_interval(padded)
    assert list(result.figures) == ["auc", "map"]
    assert result.figures["auc"].value == result.auc == pytest.approx(fmean(auc)), "0 is not the worst AUC"
    assert result.figures["auc"].interval == bootstrap_interval(auc)
    assert result.p_vs_random == wilcoxon(auc, [0.1, 0.2, 0.3])
    tests = {"wilcoxon": wilcoxon(auc, [0.5] * 3), "permutation": permutation_test(auc, [0.5] * 3)}
    assert result.p_vs == {"ours": None, "theirs": tests}
    for k in (1, 3, 5):
        values = [precision_at(story.labels, run[story.name], k) for story in STORIES for run in RUNS]
        assert result.precision_at[k] == pytest.approx(sum(values) / len(RUNS) / divisor)
    maps = [sum(measure_stories("map", [run], STORIES).values()) / divisor for run in RUNS]
    assert result.seeds_sd == pytest.approx(stdev(maps))


def test_one_run_has_no_spread_and_one_story_no_interval():
    result = measure_method("ours", RUNS[:1], STORIES[:1])
    assert (result.seeds_sd, result.interval, result.p_vs_random, result.p_vs) == (None, None, None, {})


def test_comparing_methods_with_undefined_figures():
    ours, theirs = {"a": 0.5, "b": NAN, "c": 0.7}, {"a": 0.25, "b": 0.5, "c": 0.5}
    assert gain(ours, theirs).value == pytest.approx(0.225)
    assert math.isnan(gain(ours, theirs).per_story["b"])
    assert gain(ours, theirs).interval == bootstrap_interval([0.25, 0.7 - 0.5])
    assert gain(ours, theirs, undefined="zero").value == pytest.approx((0.25 - 0.5 + 0.2) / 3)
    assert compare(ours, theirs) == compare({"a": 0.5, "c": 0.7}, {"a": 0.25, "c": 0.5})
    assert compare(ours, theirs, undefined="zero")["wilcoxon"] == wilcoxon([0.5, 0, 0.7], [0.25, 0.5, 0.5])
    assert compare({"a": NAN}, {"a": 0.5}) == {"wilcoxon": None, "permutation": None}


def test_names_of_measures():
    assert check_measures(["auc", "map", "auc"]) == ("auc", "map")
    with pytest.raises(ValueError, match="at least one measure"):
        check_measures([])
    with pytest.raises(UnknownNameError, match="Did you mean 'spearman'"):
        check_measures(["sperman"])
    assert {name for name, measure in MEASURES.items() if measure.policy("zero") == "skip"} == {
        "auc",
        "spearman",
    }


def voted(name, *votes):
    narrative = Narrative.from_sentences([f"Sentence {k}." for k in range(len(votes))])
    chosen = tuple(tuple(map(bool, each)) for each in votes)
    return LabelledNarrative(name, narrative, (True,) * len(votes), votes=chosen)


def divide(stories, seed=0):
    """The slow way, with SciPy."""
    means = {}
    for story in stories:
        generator = np.random.default_rng([seed, int(hash_content(story.narrative.text)[:16], 16)])
        votes = np.array(story.votes)
        found = []
        for _ in range(DIVISIONS):
            order = generator.permutation(votes.shape[1])
            half = len(order) // 2
            one, other = votes[:, order[:half]].mean(axis=1), votes[:, order[half:]].mean(axis=1)
            if one.std() and other.std():
                found.append(spearmanr(one, other).statistic)
        means[story.name] = np.mean(found)
    return means


def test_agreement_equals_a_slow_computation():
    stories = [
        voted("a", [1, 1, 0, 1, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 1]),
        voted("b", [0, 1, 0, 1], [1, 1, 0, 0], [0, 0, 1, 1], [1, 1, 1, 0]),
    ]
    found = measure_agreement(stories)
    assert found.per_story == pytest.approx(divide(stories))
    assert found.value == pytest.approx(np.mean(list(found.per_story.values())))
    assert found == measure_agreement(stories)
    assert measure_agreement(stories, seed=1) != found


def test_annotators_who_all_agree():
    agreed = voted("a", [1, 1, 1, 1], [0, 0, 0, 0])
    assert measure_agreement([agreed]).value == pytest.approx(1)
    missing = voted("a", [1, 1, 1, 1], [0, 0, 0])  # the fourth did not see the second sentence
    assert measure_agreement([missing]).value == pytest.approx(1)


def test_stories_that_say_nothing_about_agreement():
    alone, same = voted("alone", [1], [0]), voted("same", [1, 1], [1, 1])
    found = measure_agreement([alone, same, voted("a", [1, 1], [0, 0])])
    assert (found.value, found.interval) == (pytest.approx(1), None)
    assert math.isnan(found.per_story["alone"])
    assert math.isnan(found.per_story["same"])
    assert measure_agreement([alone, same]) is None
    assert measure_agreement(STORIES) is None


@pytest.mark.parametrize(
    ("reader", "path", "expected"),
    [
        (RocStoriesSalience, "rocstories_salience/val.json", 0.458),
        (Hippocorpus, "hippocorpus/events_dev.csv", 0.453),
    ],
)
def test_agreement_on_development_stories(shared, reader, path, expected):
    assert measure_agreement(list(reader(shared(f"data/{path}")))).value == pytest.approx(expected, abs=5e-4)


def test_the_order_of_stories_does_not_matter():
    stories = [
        LabelledNarrative(
            f"story {k}",
            Narrative.from_sentences([f"Sentence {j} of {k}." for j in range(5)]),
            (True, False, True, False, False),
            votes=tuple(tuple((j * k + a) % 3 == 0 for a in range(6)) for j in range(5)),
        )
        for k in range(1, 5)
    ]
    one, other = measure_agreement(stories), measure_agreement(stories[::-1])
    assert one.value == pytest.approx(other.value)
    assert dict(one.per_story) == dict(other.per_story)
