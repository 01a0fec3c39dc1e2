from __future__ import annotations

import math

import numpy as np
import pytest

from barthes.errors import ModelError
from barthes.models.counting import CountingModel
from barthes.models.language_model import check_finite


@pytest.mark.parametrize("values", [math.nan, -math.inf, np.array([-1.0, np.nan])])
def test_what_is_no_number_is_refused_with_the_model_and_a_remedy(values):
    with pytest.raises(ModelError, match=r"counting.*not numbers.*try float32"):
        check_finite(values, CountingModel(["a"]))


def test_numbers_pass():
    check_finite(np.array([-1.0, 0.0]), CountingModel(["a"]))
    check_finite(-3.5, CountingModel(["a"]))
