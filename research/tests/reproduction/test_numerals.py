from __future__ import annotations

import math

import pytest

from barthes_research.reproduction.numerals import as_number, format_number


@pytest.mark.parametrize("value", [None, math.nan, math.inf, "0.1", True])
def test_what_is_no_number_is_a_dash(value):
    assert as_number(value) is None
    assert format_number(value) == "–"
