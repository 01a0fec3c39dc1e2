"""Edits, plain readings, checks and notes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from barthes.errors import ModelError
from barthes.models.counting import CountingModel
from barthes.models.language_model import Edit, PlainReading, check_finite


@pytest.mark.parametrize(
    ("arguments", "message"),
    [((0, 1), "start"), ((3, 2), "start"), ((2, 4, (), 4), "nothing to score"), ((2, 4, (), 3), "nothing")],
)
def test_invalid_edits_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Edit(*arguments)


def test_a_plain_reading_scores_every_edit_from_the_start():
    """The scores are the length of the context and the tokens of the continuation."""

    def score(context, continuation):
        return np.array([len(context), *continuation], dtype=float)

    reading = PlainReading(score, [0, 1, 2, 3, 4, 5])
    assert reading.log_probabilities.tolist() == [1, 1, 2, 3, 4, 5]
    edits = [Edit(2, 4), Edit(1, 1, (9, 9)), Edit(1, 3, (9,), until=5), Edit(5, 6)]
    found = [scores.tolist() for scores in reading.rescore(edits)]
    assert found == [[2, 4, 5], [3, 1, 2, 3, 4, 5], [2, 3, 4], [5]]


@pytest.mark.parametrize("values", [math.nan, -math.inf, np.array([-1.0, np.nan])])
def test_nan_and_infinity_are_errors_with_the_model_and_a_remedy(values):
    with pytest.raises(ModelError, match=r"counting.*not numbers.*try float32"):
        check_finite(values, CountingModel(["a"]))


@pytest.mark.parametrize("values", [np.array([-1.0, 0.0]), -3.5])
def test_finite_values_pass(values):
    check_finite(values, CountingModel(["a"]))
