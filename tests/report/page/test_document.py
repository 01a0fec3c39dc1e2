from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.report.page.document import describe_influence, describe_profile
from barthes.report.scale import scale_of
from barthes.salience.influence import Influence
from tests.report.profiles import by_hand


def test_what_is_not_scored_yet_is_null_and_comes_last():
    document = describe_profile(by_hand(["A.", "B.", "C."], [math.nan, 0.5, math.nan]))
    assert document["data"]["scores"] == [None, 0.5, None]
    assert document["data"]["ranks"] == [None, 1, None]
    assert [row["unit"] for row in document["ranking"]] == [1, 0, 2]
    assert document["standfirst"].startswith("1 of 3 sentences scored so far")


def test_a_title_never_tells_folders():
    document = describe_profile(by_hand(["A."], [0.0], title="/home/ann/secret/old_wolf.txt"))
    assert document["title"] == "Old wolf"
    assert "ann" not in json.dumps(document)


def test_one_outlier_does_not_leave_the_others_pale():
    scores = [0.01 * k for k in range(100)] + [50.0]
    assert scale_of(scores, from_zero=True).high < 1
    assert scale_of([0.1, 0.2, None], from_zero=True).high == 0.2


@given(
    st.lists(
        st.one_of(st.none(), st.floats(-1e300, 1e300), st.just(math.nan), st.just(math.inf)), max_size=30
    ),
    st.booleans(),
)
def test_levels_are_hundredths_in_the_order_of_the_scores(scores, from_zero):
    scale = scale_of(scores, from_zero=from_zero)
    known = sorted(score for score in scores if score is not None and math.isfinite(score))
    levels = [scale.level(score) for score in known]
    assert levels == sorted(levels)
    assert all(0 <= level <= 100 for level in levels)
    assert scale.level(None) == 0
    assert 1 <= scale.digits <= 6


@given(st.lists(st.lists(st.floats(-5, 5), max_size=8), min_size=1, max_size=8), st.integers(1, 40))
def test_the_strongest_losses_are_kept(columns, most):
    influence = Influence(tuple(np.array(column) for column in columns))
    plain = describe_influence(influence, most=most)
    if sum(map(len, columns)) <= most:
        assert [len(column) for column in plain["columns"]] == list(map(len, columns))
        return
    for j, (column, pairs) in enumerate(zip(columns, plain["pairs"], strict=True)):
        later, losses = pairs[::2], pairs[1::2]
        assert later == sorted(set(later))
        assert len(later) == min(plain["kept"], len(column))
        assert all(
            loss == pytest.approx(column[i - j - 1], rel=1e-3) for i, loss in zip(later, losses, strict=True)
        )
        dropped = [abs(v) for i, v in enumerate(column) if j + 1 + i not in later]
        assert not dropped or max(dropped) <= min(abs(column[i - j - 1]) for i in later) + 1e-12


def test_a_title_that_is_given_as_the_heading_is_no_path():
    document = describe_profile(by_hand(["A."], [0.0], title="and/or"), title="and/or")
    assert document["title"] == "and/or"
    assert ("Story", "and/or") in document["settings"]
