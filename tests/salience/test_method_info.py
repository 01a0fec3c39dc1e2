"""Descriptions of combinations and of methods that Barthes does not know."""

from __future__ import annotations

import pytest

from barthes.methods import describe_method
from barthes.narrative import SPAN_UNITS
from barthes.salience.method_info import MethodInfo

SD, PMI, TFIDF, VA = map(describe_method, ("sd", "pmi", "tfidf", "va"))


def test_a_combination_has_what_any_of_its_parts_has():
    both = MethodInfo.combine("sum", [VA, TFIDF])
    assert (both.name, both.kind, both.parts) == ("va+tfidf", "sum", (VA, TFIDF))
    assert (both.needs_model, both.looks_ahead, both.weighs_words, both.uses_annotation) == (True,) * 4
    plain = MethodInfo.combine("sum", [PMI, PMI])
    assert (plain.looks_ahead, plain.weighs_words, plain.uses_annotation) == (False,) * 3
    assert (plain.unit, plain.units) == ("", SPAN_UNITS)
    assert both.units == ("sentence",)


@pytest.mark.parametrize(
    ("parts", "reads"),
    [
        ([SD, PMI], "story"),
        ([PMI, TFIDF], "before"),
        ([TFIDF], "story"),
    ],
)
def test_the_widest_reading_counts(parts, reads):
    assert MethodInfo.combine("sum", parts).reads == reads
