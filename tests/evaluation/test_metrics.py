"""Metrics against slow oracles, and identities of ranking metrics."""

from __future__ import annotations

import math
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.errors import BarthesError
from barthes.evaluation.metrics import (
    agreement_within,
    area_under_curve,
    average_precision,
    mean_over_stories,
    precision_at,
    r_precision,
    rank_correlation,
)
from tests.evaluation import metric_oracles as oracles

NAN = math.nan

# Few distinct values make many ties; the others are negative, tiny and huge.
numbers = st.one_of(
    st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), st.floats(allow_nan=False, allow_infinity=False)
)


def precision_at_two(labels, scores):
    return precision_at(labels, scores, 2)


PLACELESS = [average_precision, r_precision, precision_at_two, area_under_curve, rank_correlation]
METRICS = [*PLACELESS, agreement_within]
each_metric = pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.__name__)


def same(one, other):
    return one == other or (math.isnan(one) and math.isnan(other))


@st.composite
def stories(draw, max_size=30, scores=numbers):
    pairs = draw(st.lists(st.tuples(st.booleans(), scores), min_size=1, max_size=max_size))
    return [label for label, _ in pairs], [score for _, score in pairs]


@pytest.mark.parametrize("metric", PLACELESS, ids=lambda metric: metric.__name__)
@given(story=stories(), data=st.data())
def test_order_of_sentences_changes_nothing(metric, story, data):
    labels, scores = story
    shuffled = data.draw(st.permutations(range(len(labels))))
    again = metric([labels[n] for n in shuffled], [scores[n] for n in shuffled])
    assert same(metric(labels, scores), again)


@each_metric
@given(story=stories(scores=st.integers(-40, 40).map(float)))
def test_monotone_transforms_change_nothing(metric, story):
    labels, scores = story
    figure = metric(labels, scores)
    for transform in (math.exp, math.atan, lambda x: 3 * x - 7, lambda x: x**3):
        assert same(figure, metric(labels, [transform(score) for score in scores]))


@each_metric
@given(story=stories())
def test_figures_are_shares_or_undefined(metric, story):
    figure = metric(*story)
    low = -1 if metric is rank_correlation else 0
    assert math.isnan(figure) or low - 1e-12 <= figure <= 1 + 1e-12


@each_metric
def test_no_sentence_and_no_positive_have_no_figure(metric):
    assert math.isnan(metric([], []))
    assert math.isnan(metric([False] * 3, [1, -2, 3]))


@each_metric
def test_bad_input_is_refused(metric):
    with pytest.raises(ValueError, match=r"2 .* for 3 scores"):
        metric([True, False], [1, 2, 3])
    for labels, scores in (([[True], [False]], [1, 2]), ([True, False], [[1], [2]])):
        with pytest.raises(ValueError, match="one per sentence"):
            metric(labels, scores)
    with pytest.raises(BarthesError, match="1 of 2 scores are not numbers"):
        metric([True, False], [1, NAN])


@each_metric
def test_infinite_scores_have_a_place(metric):
    labels = [True, False, True, False]
    assert metric(labels, [math.inf, 2, 1, -math.inf]) == metric(labels, [4, 3, 2, 1])


@pytest.mark.parametrize(
    "metric", [average_precision, r_precision, precision_at_two, area_under_curve, agreement_within]
)
def test_grades_are_not_labels(metric):
    with pytest.raises(ValueError, match="rank_correlation"):
        metric([0.3, 1.0], [1, 2])


@given(stories(max_size=8), st.integers(0, 3))
def test_agreement_is_the_mean_over_all_choices(story, distance):
    labels, scores = story
    if any(labels):
        expected = oracles.agreement_within(labels, scores, distance)
        assert agreement_within(labels, scores, distance=distance) == pytest.approx(expected)


@given(stories())
def test_agreement_within_nothing_is_r_precision_and_grows_with_the_distance(story):
    figures = [agreement_within(*story, distance=distance) for distance in range(4)]
    if any(story[0]):
        assert figures[0] == pytest.approx(r_precision(*story))
        assert all(a <= b + 1e-12 for a, b in pairwise(figures))


def test_agreement_needs_a_distance():
    with pytest.raises(ValueError, match="at least 0"):
        agreement_within([True], [1], distance=-1)


@given(stories())
def test_average_precision_is_its_definition(story):
    labels, scores = story
    figure = average_precision(labels, scores)
    if any(labels):
        assert figure == pytest.approx(oracles.average_precision(labels, scores), abs=1e-12)


@given(stories(max_size=6))
def test_precisions_are_expectations_over_the_tied(story):
    labels, scores = story
    if not any(labels):
        return
    for k in range(1, len(labels) + 1):
        assert precision_at(labels, scores, k) == pytest.approx(oracles.precision_at(labels, scores, k))
    expected = oracles.precision_at(labels, scores, sum(labels))
    assert r_precision(labels, scores) == pytest.approx(expected)


@given(stories())
def test_area_under_curve_counts_pairs(story):
    labels, scores = story
    if len(set(labels)) == 2:
        assert area_under_curve(labels, scores) == pytest.approx(oracles.area_under_curve(labels, scores))
    else:
        assert math.isnan(area_under_curve(labels, scores))


@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=30))
def test_rank_correlation_is_pearson_of_ranks(pairs):
    grades, scores = zip(*pairs, strict=True)
    if min(len(set(grades)), len(set(scores))) > 1:
        figure = rank_correlation(grades, scores)
        assert figure == pytest.approx(oracles.spearman(grades, scores), abs=1e-12)
        assert figure == rank_correlation(scores, grades)
    else:
        assert math.isnan(rank_correlation(grades, scores))


def test_libraries_agree():
    from scipy.stats import spearmanr
    from sklearn.metrics import average_precision_score, roc_auc_score

    generator = np.random.default_rng(4)
    for _ in range(20):
        labels = generator.random(60) < 0.2
        labels[0], labels[1] = True, False
        scores = generator.normal(size=60).round(1)
        assert average_precision(labels, scores) == average_precision_score(labels, scores)
        assert area_under_curve(labels, scores) == roc_auc_score(labels, scores)
        assert rank_correlation(labels, scores) == pytest.approx(spearmanr(labels, scores).statistic)


def test_all_tied_is_the_share_of_positives():
    labels, scores = [True, False, False, True, False], [-0.2] * 5
    assert average_precision(labels, scores) == r_precision(labels, scores) == pytest.approx(0.4)
    assert precision_at(labels, scores, 1) == pytest.approx(0.4)
    assert area_under_curve(labels, scores) == 0.5


def test_precision_is_of_k_even_in_a_short_story():
    assert precision_at([True, True, False], [3, 2, 1], 10) == pytest.approx(0.2)
    with pytest.raises(ValueError, match="at least 1"):
        precision_at([True], [1.0], 0)


def test_a_mean_leaves_out_what_is_undefined():
    assert mean_over_stories([0.5, NAN, 0.1]) == pytest.approx(0.3)
    assert math.isnan(mean_over_stories([]))
    assert math.isnan(mean_over_stories([NAN, NAN]))


@given(st.lists(st.floats(0, 1), min_size=1), st.randoms())
def test_order_of_stories_changes_nothing(values, random):
    shuffled = random.sample(values, len(values))
    assert mean_over_stories(values) == mean_over_stories(shuffled)


def test_statistics_libraries_wait_until_needed():
    script = "import sys, barthes.evaluation.significance; print({'scipy', 'sklearn'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
