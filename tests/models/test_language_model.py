"""Edits, plain readings, and what is said about a model's numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from barthes.errors import ModelError
from barthes.models.counting import CountingModel
from barthes.models.language_model import Edit, PlainReading, check_finite, find_notes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [((0, 1), "start"), ((3, 2), "start"), ((2, 4, (), 4), "nothing to score"), ((2, 4, (), 3), "nothing")],
)
def test_impossible_edits_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Edit(*arguments)


def test_a_plain_reading_scores_every_edit_from_the_start():
    """Each call to the model is context and continuation; the numbers are the lengths of both."""

    class Recorder:
        def continuation_log_probabilities(self, context, continuation):
            return np.array([len(context), *continuation], dtype=float)

    reading = PlainReading(Recorder(), [0, 1, 2, 3, 4, 5])
    assert reading.log_probabilities.tolist() == [1, 1, 2, 3, 4, 5]
    edits = [Edit(2, 4), Edit(1, 1, (9, 9)), Edit(1, 3, (9,), until=5), Edit(5, 6)]
    found = [scores.tolist() for scores in reading.rescore(edits)]
    assert found == [[2, 4, 5], [3, 1, 2, 3, 4, 5], [2, 3, 4], [5]]


@pytest.mark.parametrize("values", [math.nan, -math.inf, np.array([-1.0, np.nan])])
def test_values_that_are_not_numbers_are_refused_with_the_model_and_a_remedy(values):
    with pytest.raises(ModelError, match=r"counting.*not numbers.*try float32"):
        check_finite(values, CountingModel(["a"]))


def test_numbers_pass():
    check_finite(np.array([-1.0, 0.0]), CountingModel(["a"]))
    check_finite(-3.5, CountingModel(["a"]))


def test_notes_are_optional():
    class Slow(CountingModel):
        notes = ("it is slow",)

    assert find_notes(CountingModel(["a"])) == ()
    assert find_notes(Slow(["a"])) == ("it is slow",)
