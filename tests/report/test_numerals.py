from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.evaluation.significance import SIGNIFICANT
from barthes.report.numerals import MISSING, as_number, format_p


@given(st.floats(0, 1) | st.floats(0.049, 0.051))
def test_no_p_is_rounded_across_the_line(p):
    shown = format_p(p)
    below = shown.startswith("<") or float(shown) < SIGNIFICANT
    assert below == (p < SIGNIFICANT)


@pytest.mark.parametrize("value", [None, math.nan, math.inf, "0.1", True])
def test_what_is_no_number_is_a_dash(value):
    assert as_number(value) is None
    assert format_p(value) == MISSING
