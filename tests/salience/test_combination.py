"""Combinations of methods: scaled sums, rank sums and means with a prior for the position."""

from __future__ import annotations

import itertools
import math
import warnings

import numpy as np
import pytest
from hypothesis import given
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
from tests.evaluation.oracles import mean_ranks

STORY = Narrative.from_sentences(
    ["Once there was a goat.", "It rained.", "A wolf came.", "The wolf ate the goat."], notes=["a note"]
)


finite = st.floats(allow_nan=False, allow_infinity=False)


grid = st.integers(-1000, 1000).map(lambda n: n / 8)  # far enough apart for any sensible scaling


scores = st.lists(grid, min_size=1, max_size=20)


class Fixed(Method):
    """Scores that were settled beforehand, and whatever else a profile may carry."""

    name = "fixed"

    def __init__(self, scores, *, reports=(), model_name=None, **extra):
        self._scores = tuple(scores)
        self._reports = reports
        self._model_name = model_name
        self._extra = extra

    @property
    def model_name(self):
        return self._model_name

    def score(self, narrative, *, progress=silent):
        for done, total in self._reports:
            progress(done, total)
        return Profile(narrative, self._scores, method=self.name, model=self._model_name, **self._extra)


def a_story(length):
    return Narrative.from_sentences(["It rained."] * length)


def combine(*columns):
    return Combination(*map(Fixed, columns)).score(a_story(len(columns[0]))).scores


@given(scores)
def test_scaling_is_that_of_scikit_learn(column):
    expected = MinMaxScaler().fit_transform(np.array(column)[:, None])[:, 0]
    assert scale_to_unit(column) == pytest.approx(expected, abs=1e-12)


@given(st.lists(finite, min_size=1))
def test_scaling_stays_between_0_and_1_whatever_comes(column):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scaled = scale_to_unit(column)
    assert np.all((scaled >= 0) & (scaled <= 1))
    if scaled.any():
        assert (scaled[np.argmin(column)], scaled[np.argmax(column)]) == (0, 1)
        assert np.all(np.diff(scaled[np.argsort(column)]) >= 0)


@pytest.mark.parametrize("column", [[3.0], [-1.0, -1.0], [0.1 + 0.2, 0.3], [1e300, 1e300], [0.0, 1e-17]])
def test_scores_that_do_not_differ_say_nothing(column):
    assert not scale_to_unit(column).any()


@given(st.lists(st.tuples(grid, grid), min_size=1, max_size=20))
def test_it_is_the_sum_of_the_scaled_parts(rows):
    first, second = zip(*rows, strict=True)
    expected = MinMaxScaler().fit_transform(np.array(rows)).sum(axis=1)
    assert combine(first, second) == pytest.approx(expected, abs=1e-12)


@given(
    st.lists(st.tuples(grid, grid), min_size=1, max_size=20),
    st.floats(1e-3, 1e6),
    st.floats(-1e3, 1e3),
)
def test_the_scale_of_a_part_does_not_matter(rows, factor, offset):
    first, second = zip(*rows, strict=True)
    stretched = [factor * score + offset for score in first]
    assert combine(stretched, second) == pytest.approx(combine(first, second), abs=1e-6)


@given(st.lists(st.tuples(finite, finite, finite), min_size=1, max_size=20))
def test_the_order_of_the_parts_does_not_matter_and_no_score_is_undefined(rows):
    columns = list(zip(*rows, strict=True))
    total = combine(*columns)
    assert not any(map(math.isnan, total))
    assert all(0 <= score <= 3 for score in total)
    for order in itertools.permutations(columns):
        assert combine(*order) == pytest.approx(total, abs=1e-12)


def test_combinations_are_taken_apart():
    nested = Length() + (Position() + TfIdf())
    flat = Combination(Length(), Position(), TfIdf())
    assert nested.name == flat.name == "length+position+tfidf"
    assert nested.score(STORY) == flat.score(STORY)
    assert [part.name for part in ((Length() + Position()) + (TfIdf() + Length())).methods] == [
        "length",
        "position",
        "tfidf",
        "length",
    ]


def test_nothing_cannot_be_combined():
    with pytest.raises(ValueError, match="at least one method"):
        Combination()


def test_one_method_alone_is_normalised():
    assert Combination(Position()).score(STORY).scores == pytest.approx((0, 1 / 3, 2 / 3, 1))


def test_what_the_parts_know_is_kept():
    influence = Influence((np.zeros(3), np.zeros(2), np.zeros(1), np.zeros(0)))
    plain = Fixed([1, 2, 3, 4], notes=("a", "b"))
    rich = Fixed([1, 2, 3, 4], model_name="m", window=64, influences=influence, notes=("b", "c"))
    method = plain + rich
    profile = method.score(STORY)
    assert method.model_name == profile.model == "m"
    assert profile.window == 64
    assert profile.influences is influence
    assert profile.notes == ("a", "b", "c")
    assert profile.method == "fixed+fixed"


def test_sentence_deletion_and_tfidf_add_up():
    model = CountingModel([STORY.text])
    deletion, tfidf = SentenceDeletion(model), TfIdf()
    profile = (deletion + tfidf).score(STORY)
    alone = deletion.score(STORY)
    expected = scale_to_unit(alone.scores) + scale_to_unit(tfidf.score(STORY).scores)
    assert profile.scores == pytest.approx(tuple(expected))
    assert (profile.method, profile.model) == ("sd+tfidf", model.name)
    assert profile.notes.count("a note") == 1
    assert np.array_equal(profile.influence, alone.influence, equal_nan=True)


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
def test_a_score_that_is_no_number_is_named(wrong):
    story = Narrative.from_sentences(["It rained."] * 3, title="Rain")
    with pytest.raises(NarrativeError, match=r"Rain: the method 'fixed' gave sentence 2 the score"):
        (Position() + Fixed([0, wrong, 1])).score(story)


def collect(method):
    reports = []
    method.score(a_story(2), progress=lambda done, total: reports.append((done, total)))
    return reports


def test_one_model_reports_as_if_it_were_alone():
    slow = Fixed([1, 2], model_name="m", reports=[(0, 90), (45, 90), (90, 90)])
    assert collect(Position() + slow + TfIdf()) == [(0, 90), (45, 90), (90, 90)]


def test_two_models_share_one_bar():
    first = Fixed([1, 2], model_name="m", reports=[(50, 100), (100, 100)])
    second = Fixed([1, 2], model_name="m", reports=[(0, 30), (15, 30), (30, 30)])
    assert collect(first + Position() + second) == [(50, 200), (100, 200), (100, 200), (150, 200), (200, 200)]


def test_without_a_model_every_part_reports():
    assert collect(Position() + Length()) == [(2, 4), (4, 4)]


reports = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), max_size=6)


@given(st.lists(reports, min_size=1, max_size=3))
def test_progress_never_goes_back(parts):
    methods = [Fixed([1, 2], model_name="m", reports=part) for part in parts]
    seen = collect(Combination(*methods))
    assert all(a <= b for a, b in itertools.pairwise(done for done, _ in seen))
    assert len({total for _, total in seen}) <= 1
    assert all(done <= total for done, total in seen)


small = st.integers(-30, 30).map(float)


ranked_rows = st.lists(st.tuples(small, small, small), min_size=1, max_size=20)


def add_ranked(*columns):
    story = Narrative.from_sentences(["It rained."] * len(columns[0]))
    return RankSum(*map(Fixed, columns)).score(story).scores


@given(ranked_rows)
def test_it_is_the_sum_of_mean_ranks(ranked_rows):
    columns = list(zip(*ranked_rows, strict=True))
    expected = np.sum([mean_ranks(column) for column in columns], axis=0) / len(ranked_rows)
    assert add_ranked(*columns) == tuple(expected), "exactly: rounding must not break ties"


@given(ranked_rows)
def test_increasing_transforms_of_the_parts_change_nothing(ranked_rows):
    first, second, third = zip(*ranked_rows, strict=True)
    stretched = add_ranked(
        [math.exp(x) for x in first], [3 * x - 7 for x in second], [math.atan(x) for x in third]
    )
    assert stretched == add_ranked(first, second, third)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_ranks_go_from_1_to_their_number(column):
    ranks = rank_from_lowest(column)
    assert np.all((ranks >= 1) & (ranks <= len(column)))
    assert ranks.sum() == len(column) * (len(column) + 1) / 2
    assert all(0 < total <= 2 for total in add_ranked(column, column))


def test_equal_sums_of_ranks_are_equal():
    """1/n + 4/n is not always 2/n + 3/n; (1 + 4)/n is (2 + 3)/n."""
    for size in range(2, 60):
        assert set(add_ranked(range(size), range(size, 0, -1))) == {(size + 1) / size}


def test_one_far_away_does_not_push_the_rest_together():
    far, order = [0.0, 1.0, 2.0, 1000.0], [3.0, 2.0, 1.0, 0.0]
    assert add_ranked(far, order) == pytest.approx((1.25, 1.25, 1.25, 1.25))


def test_names_of_rank_sums():
    assert RankSum(Words(), Position()).name == "ranks:words+position"
    assert RankSum(Words(), Position()).name == str(parse_formula("ranks:words+position"))
    assert RankSum(RankSum(Words(), Position()), Length()).name == "ranks:words+position+length"
    assert (RankSum(Words(), Position()) + Length()).name == "(ranks:words+position)+length"
    assert RankSum(TfIdf() + Length(), Position()).name == "ranks:(tfidf+length)+position"


def test_sums_of_another_kind_stay_whole():
    ranked, scaled = RankSum(Words(), Position()), TfIdf() + Length()
    expected = add_ranked(scaled.score(STORY).scores, Position().score(STORY).scores)
    assert RankSum(scaled, Position()).score(STORY).scores == pytest.approx(expected)
    both = Combination(ranked, Length())
    assert [part.name for part in both.methods] == ["ranks:words+position", "length"]


@pytest.mark.parametrize("methods", [(), (Position(),)])
def test_one_method_alone_has_no_rank_sum(methods):
    with pytest.raises(ValueError, match="at least"):
        RankSum(*methods)


placed_rows = st.lists(st.tuples(small, small), min_size=1, max_size=40)


@given(placed_rows)
def test_it_is_the_mean_of_the_scaled_scores_and_the_place(placed_rows):
    columns = list(zip(*placed_rows, strict=True))
    n = len(placed_rows)
    for k, found in enumerate(PlacedSum(*map(Fixed, columns)).score(a_story(n)).scores):
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


def test_names_of_placed_sums():
    assert PlacedSum(Length(), TfIdf()).name == str(parse_formula("placed:length+tfidf"))
    assert PlacedSum(PlacedSum(Length()), TfIdf()).name == "placed:length+tfidf"
    assert (PlacedSum(Length()) + Position()).name == "(placed:length)+position"


def test_a_story_of_one_sentence_has_no_place():
    story = Narrative.from_sentences(["It rained."])
    assert PlacedSum(Length()).score(story).scores == (0.0,)


def test_its_draws_are_around_its_scores():
    story = Narrative.from_sentences(
        ["A wolf came to the village.", "It rained.", "The wolf ate the goat of the old man.", "He wept."]
    )
    profile = PlacedSum(Length(), TfIdf()).score(story)
    assert profile.stability is not None
    bounds = zip(profile.stability.low, profile.scores, profile.stability.high, strict=True)
    assert all(low - 1e-9 <= score <= high + 1e-9 for low, score, high in bounds)
    assert profile.stability.draws.mean(axis=0) == pytest.approx(profile.scores, abs=0.05)
