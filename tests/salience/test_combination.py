"""Combinations of methods: scaled sums, rank sums and means with a prior for the position."""

from __future__ import annotations

import itertools
import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import MinMaxScaler

from barthes.baselines import Length, Position, TfIdf, Words
from barthes.errors import NarrativeError
from barthes.methods import parse_formula
from barthes.models.counting import CountingModel
from barthes.narrative import Narrative
from barthes.salience.combination import (
    SHORT,
    Combination,
    PlacedSum,
    RankSum,
    rank_from_lowest,
    scale_to_unit,
    weigh_places,
)
from barthes.salience.influence import Influence
from barthes.salience.method import Method, silent
from barthes.salience.profile import Profile
from barthes.salience.removal_method import SentenceDeletion
from tests.evaluation.metric_oracles import mean_ranks

STORY = Narrative.from_sentences(
    ["Once there was a goat.", "It rained.", "A wolf came.", "The wolf ate the goat."], notes=["a note"]
)
finite = st.floats(allow_nan=False, allow_infinity=False)
grid = st.integers(-1000, 1000).map(lambda n: n / 8)  # far enough apart for any sensible scaling
small = st.integers(-30, 30).map(float)
pairs = st.lists(st.tuples(grid, grid), min_size=1, max_size=20)
reports = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), max_size=6)
triples = st.lists(st.tuples(small, small, small), min_size=1, max_size=20)


class Fixed(Method):
    """Given scores, and whatever else a profile may carry."""

    name = "fixed"
    model_name = None

    def __init__(self, scores, *, reports=(), model_name=None, **extra):
        self._scores = tuple(scores)
        self._reports = reports
        self.model_name = model_name
        self._extra = extra

    def score(self, narrative, *, progress=silent):
        for done, total in self._reports:
            progress(done, total)
        return Profile(narrative, self._scores, method=self.name, model=self.model_name, **self._extra)


def a_story(length):
    return Narrative.from_sentences(["It rained."] * length)


def add_up(columns, kind=Combination):
    return kind(*map(Fixed, columns)).score(a_story(len(columns[0]))).scores


@given(st.lists(grid, min_size=1, max_size=20))
def test_scaling_is_that_of_scikit_learn(column):
    expected = MinMaxScaler().fit_transform(np.array(column)[:, None])[:, 0]
    assert scale_to_unit(column) == pytest.approx(expected, abs=1e-12)


@given(st.lists(finite, min_size=1))
def test_scaling_of_any_numbers_stays_between_0_and_1(column):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scaled = scale_to_unit(column)
    assert np.all((scaled >= 0) & (scaled <= 1))
    if scaled.any():
        assert (scaled[np.argmin(column)], scaled[np.argmax(column)]) == (0, 1)
        assert np.all(np.diff(scaled[np.argsort(column)]) >= 0)


@pytest.mark.parametrize("column", [[3.0], [-1.0, -1.0], [0.1 + 0.2, 0.3], [1e300, 1e300], [0.0, 1e-17]])
def test_scores_that_do_not_differ_are_scaled_to_0(column):
    assert not scale_to_unit(column).any()


@settings(max_examples=50)
@given(pairs, st.floats(1e-3, 1e6), st.floats(-1e3, 1e3))
def test_a_sum_adds_up_the_scaled_parts_for_any_scale(rows, factor, offset):
    first, second = zip(*rows, strict=True)
    expected = MinMaxScaler().fit_transform(np.array(rows)).sum(axis=1)
    assert add_up([first, second]) == pytest.approx(expected, abs=1e-12)
    stretched = [factor * score + offset for score in first]
    assert add_up([stretched, second]) == pytest.approx(expected, abs=1e-6)


@settings(max_examples=30)
@given(st.lists(st.tuples(finite, finite, finite), min_size=1, max_size=20))
def test_the_order_of_the_parts_does_not_matter_and_no_score_is_undefined(rows):
    columns = list(zip(*rows, strict=True))
    total = add_up(columns)
    assert all(0 <= score <= 3 for score in total)
    for order in itertools.permutations(columns):
        assert add_up(order) == pytest.approx(total, abs=1e-12)


def test_combinations_are_flattened():
    nested = Length() + (Position() + TfIdf())
    flat = Combination(Length(), Position(), TfIdf())
    assert nested.name == flat.name == "length+position+tfidf"
    assert nested.score(STORY) == flat.score(STORY)
    four = (Length() + Position()) + (TfIdf() + Length())
    assert [part.name for part in four.methods] == ["length", "position", "tfidf", "length"]


def test_invalid_combinations_are_refused():
    for kind, methods in ((Combination, ()), (RankSum, ()), (RankSum, (Position(),)), (PlacedSum, ())):
        with pytest.raises(ValueError, match="at least"):
            kind(*methods)
    scenes = Length().score(replace(STORY, spans=(STORY.spans[0], STORY.spans[-1]), unit="scene"))
    with pytest.raises(ValueError, match="only scores of the same sentences"):
        Combination(Length(), Length()).combine([Length().score(STORY), scenes])
    assert Combination(Length()).combine([scenes]).unit == "scene"


def test_one_method_alone_is_normalised():
    assert Combination(Position()).score(STORY).scores == pytest.approx((0, 1 / 3, 2 / 3, 1))


def test_a_combination_keeps_the_fields_of_its_parts():
    influence = Influence((np.zeros(3), np.zeros(2), np.zeros(1), np.zeros(0)))
    about = {"window": 64, "precision": "float32", "influences": influence}
    plain = Fixed([1, 2, 3, 4], notes=("a", "b"))
    method = plain + Fixed([1, 2, 3, 4], model_name="m", notes=("b", "c"), **about)
    profile = method.score(STORY)
    assert method.model_name == profile.model == "m"
    assert (profile.window, profile.precision, profile.influences) == (64, "float32", influence)
    assert (profile.notes, profile.method) == (("a", "b", "c"), "fixed+fixed")


def test_sentence_deletion_and_tfidf_add_up():
    model = CountingModel([STORY.text])
    deletion, tfidf = SentenceDeletion(model), TfIdf()
    profile = (deletion + tfidf).score(STORY)
    alone = deletion.score(STORY)
    expected = scale_to_unit(alone.scores) + scale_to_unit(tfidf.score(STORY).scores)
    assert profile.scores == pytest.approx(tuple(expected))
    assert (profile.method, profile.model) == ("sd+tfidf", model.name)
    assert profile.notes.count("a note") == 1
    assert profile.influences == alone.influences


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
def test_a_score_that_is_not_a_number_is_named(wrong):
    story = Narrative.from_sentences(["It rained."] * 3, title="Rain")
    with pytest.raises(NarrativeError, match=r"Rain: the method 'fixed' gave sentence 2 the score"):
        (Position() + Fixed([0, wrong, 1])).score(story)


def collect(method):
    reports = []
    method.score(a_story(2), progress=lambda done, total: reports.append((done, total)))
    return reports


def test_progress_is_shared_by_the_methods_that_take_time():
    slow = Fixed([1, 2], model_name="m", reports=[(0, 90), (45, 90), (90, 90)])
    assert collect(Position() + slow + TfIdf()) == [(0, 90), (45, 90), (90, 90)], "as if it were alone"
    first = Fixed([1, 2], model_name="m", reports=[(50, 100), (100, 100)])
    second = Fixed([1, 2], model_name="m", reports=[(0, 30), (15, 30), (30, 30)])
    both = [(50, 200), (100, 200), (100, 200), (150, 200), (200, 200)]
    assert collect(first + Position() + second) == both
    assert collect(Position() + Length()) == [(2, 4), (4, 4)], "all of them, without a model"


@given(st.lists(reports, min_size=1, max_size=3))
def test_progress_never_goes_back(parts):
    seen = collect(Combination(*(Fixed([1, 2], model_name="m", reports=part) for part in parts)))
    assert all(a <= b for a, b in itertools.pairwise(done for done, _ in seen))
    assert len({total for _, total in seen}) <= 1
    assert all(done <= total for done, total in seen)


@given(triples)
def test_a_rank_sum_is_the_sum_of_mean_ranks(rows):
    first, second, third = columns = list(zip(*rows, strict=True))
    expected = np.sum([mean_ranks(column) for column in columns], axis=0) / len(rows)
    assert add_up(columns, RankSum) == tuple(expected), "exactly: rounding must not break ties"
    stretched = [[math.exp(x) for x in first], [3 * x - 7 for x in second], [math.atan(x) for x in third]]
    assert add_up(stretched, RankSum) == tuple(expected), "any increasing transform gives the same"


@given(st.lists(finite, min_size=1))
def test_ranks_go_from_1_to_their_number(column):
    ranks = rank_from_lowest(column)
    assert np.all((ranks >= 1) & (ranks <= len(column)))
    assert ranks.sum() == len(column) * (len(column) + 1) / 2


def test_equal_sums_of_ranks_are_equal():
    """1/n + 4/n is not always 2/n + 3/n; (1 + 4)/n is (2 + 3)/n."""
    for size in range(2, 60):
        assert set(add_up([range(size), range(size, 0, -1)], RankSum)) == {(size + 1) / size}
    far, order = [0.0, 1.0, 2.0, 1000.0], [3.0, 2.0, 1.0, 0.0]
    assert add_up([far, order], RankSum) == (1.25,) * 4, "one outlier does not push the rest together"


@pytest.mark.parametrize(
    ("method", "name"),
    [
        (RankSum(Words(), Position()), "ranks:words+position"),
        (RankSum(RankSum(Words(), Position()), Length()), "ranks:words+position+length"),
        (PlacedSum(Length(), TfIdf()), "placed:length+tfidf"),
        (PlacedSum(PlacedSum(Length()), TfIdf()), "placed:length+tfidf"),
    ],
)
def test_names(method, name):
    assert method.name == method.info.name == name
    assert str(parse_formula(name)) == name


@pytest.mark.parametrize("kind", [Combination, RankSum, PlacedSum])
def test_sums_of_another_kind_are_no_parts(kind):
    for part in {Combination, RankSum, PlacedSum} - {kind}:
        with pytest.raises(ValueError, match="another kind"):
            kind(part(Words(), Position()), Length())


@settings(max_examples=50)
@given(st.lists(st.tuples(small, small), min_size=1, max_size=40))
def test_a_placed_sum_is_the_mean_of_the_scaled_scores_and_the_place(rows):
    columns = list(zip(*rows, strict=True))
    n = len(rows)
    for k, found in enumerate(add_up(columns, PlacedSum)):
        cues = [(c[k] - min(c)) / (max(c) - min(c)) if max(c) > min(c) else 0.0 for c in columns]
        place = min(1, SHORT / n) * k / (n - 1) if n > 1 else 0.0
        assert found == pytest.approx(sum(cues) / 2 + place)


@given(st.integers(1, 300))
def test_the_place_counts_less_in_longer_stories(sentences):
    places, more = weigh_places(sentences), weigh_places(sentences + 1)
    assert places[0] == 0.0
    assert np.all(np.diff(places) > 0)
    if sentences > 1:
        assert more.max() <= places.max() <= 1.0


def test_draws_of_a_placed_sum_are_around_its_scores():
    profile = PlacedSum(Length(), TfIdf()).score(STORY)
    bounds = zip(profile.stability.low, profile.scores, profile.stability.high, strict=True)
    assert all(low - 1e-9 <= score <= high + 1e-9 for low, score, high in bounds)
    assert profile.stability.draws.mean(axis=0) == pytest.approx(profile.scores, abs=0.05)
