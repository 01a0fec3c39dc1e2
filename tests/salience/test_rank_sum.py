import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.baselines import Length, Position, TfIdf, Words
from barthes.errors import NarrativeError
from barthes.methods import parse_formula
from barthes.narrative import Narrative
from barthes.salience.combination import Combination, RankSum, add_ranks, rank_from_lowest
from barthes.salience.method import Method, silent
from barthes.salience.profile import Profile
from tests.evaluation.oracles import mean_ranks

STORY = Narrative.from_sentences(
    ["Once there was a goat.", "It rained.", "A wolf came.", "The wolf ate the goat."]
)
grid = st.integers(-30, 30).map(float)
rows = st.lists(st.tuples(grid, grid, grid), min_size=1, max_size=20)


class Fixed(Method):
    name = "fixed"

    def __init__(self, scores):
        self._scores = tuple(scores)

    def score(self, narrative, *, progress=silent):
        return Profile(narrative, self._scores, method=self.name)


def add(*columns):
    story = Narrative.from_sentences(["It rained."] * len(columns[0]))
    return RankSum(*map(Fixed, columns)).score(story).scores


@given(rows)
def test_it_is_the_sum_of_mean_ranks(rows):
    columns = list(zip(*rows, strict=True))
    expected = np.sum([mean_ranks(column) for column in columns], axis=0) / len(rows)
    assert add(*columns) == tuple(expected), "exactly: rounding must not break ties"


@given(rows)
def test_increasing_transforms_of_the_parts_change_nothing(rows):
    first, second, third = zip(*rows, strict=True)
    stretched = add([math.exp(x) for x in first], [3 * x - 7 for x in second], [math.atan(x) for x in third])
    assert stretched == add(first, second, third)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_ranks_go_from_1_to_their_number(column):
    ranks = rank_from_lowest(column)
    assert np.all((ranks >= 1) & (ranks <= len(column)))
    assert ranks.sum() == len(column) * (len(column) + 1) / 2
    sums = add_ranks([column, column])
    assert np.all((sums > 0) & (sums <= 2))


def test_equal_sums_of_ranks_are_equal():
    """1/n + 4/n is not always 2/n + 3/n; (1 + 4)/n is (2 + 3)/n."""
    for size in range(2, 60):
        assert set(add(range(size), range(size, 0, -1))) == {(size + 1) / size}


def test_one_far_away_does_not_push_the_rest_together():
    far, order = [0.0, 1.0, 2.0, 1000.0], [3.0, 2.0, 1.0, 0.0]
    assert add(far, order) == pytest.approx((1.25, 1.25, 1.25, 1.25))


def test_names():
    assert RankSum(Words(), Position()).name == "ranks:words+position"
    assert RankSum(Words(), Position()).name == str(parse_formula("ranks:words+position"))
    assert RankSum(RankSum(Words(), Position()), Length()).name == "ranks:words+position+length"
    assert (RankSum(Words(), Position()) + Length()).name == "(ranks:words+position)+length"
    assert RankSum(TfIdf() + Length(), Position()).name == "ranks:(tfidf+length)+position"


def test_sums_of_another_kind_stay_whole():
    ranked, scaled = RankSum(Words(), Position()), TfIdf() + Length()
    expected = add_ranks([scaled.score(STORY).scores, Position().score(STORY).scores])
    assert RankSum(scaled, Position()).score(STORY).scores == pytest.approx(tuple(expected))
    both = Combination(ranked, Length())
    assert [part.name for part in both.methods] == ["ranks:words+position", "length"]


@pytest.mark.parametrize("methods", [(), (Position(),)])
def test_one_method_alone_has_no_rank_sum(methods):
    with pytest.raises(ValueError, match="at least"):
        RankSum(*methods)


def test_a_score_that_is_no_number_is_named():
    with pytest.raises(NarrativeError, match="'fixed' gave sentence 2"):
        RankSum(Position(), Fixed([0, math.nan, 1, 2])).score(STORY)
