from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.reproduction.page.numerals import (
    as_number,
    format_difference,
    format_interval,
    format_number,
    format_p,
    format_share,
)


@pytest.mark.parametrize("value", [None, math.nan, math.inf, "0.3", True])
def test_what_is_no_number_is_a_dash_and_never_a_zero(value):
    assert as_number(value) is None
    assert format_number(value) == format_share(value) == format_p(value) == "–"
    assert format_difference(value, 0.3) == format_difference(0.3, value) == "–"
    assert format_interval([0.1, value]) == "–"


@given(st.floats(0, 1, exclude_max=True))
def test_a_share_below_one_is_never_said_to_be_100_percent(share):
    assert format_share(share) != "100.0 %"


@given(st.floats(0, 1, exclude_min=True))
def test_a_share_above_zero_is_never_said_to_be_0_percent(share):
    assert format_share(share) != "0.0 %"
    assert format_share(0.0) == "0.0 %"


@given(st.floats(0, 1))
def test_a_p_value_is_on_the_right_side_of_the_dagger(p):
    shown = format_p(p)
    if shown.startswith("<"):
        assert p < float(shown[1:])
    else:
        assert (float(shown) < 0.05) == (p < 0.05)


@given(st.floats(-10, 10), st.floats(-10, 10))
def test_a_difference_agrees_with_the_figures_beside_it(ours, paper):
    def read(shown):
        return float(shown.replace("−", "-"))

    expected = read(format_number(ours)) - read(format_number(paper))
    assert read(format_difference(ours, paper)) == pytest.approx(expected, abs=1e-9)
