"""The likelihood of a whole text, against sums done otherwise."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.errors import ModelError
from barthes.models.counting import CountingModel
from barthes.models.likelihood import _windows, measure_likelihood
from tests.oracles import mean_log_likelihood
from tests.reproduction.tales import KING, WOLF
from tests.tiny_models import tiny_model, tiny_network


@given(st.integers(0, 300), st.integers(2, 60))
def test_every_token_is_predicted_exactly_once(length, room):
    windows = list(_windows(length, room))
    predicted = [k for _, first, stop in windows for k in range(first, stop)]
    assert predicted == list(range(length))
    for start, first, stop in windows:
        assert 0 <= start <= first < stop
        assert stop - start <= room
        if first:  # at least half of the window stands before
            assert first - start >= room // 2


def test_a_uniform_model_gives_the_number_of_words():
    model = CountingModel(["a b c"], k=1e12)
    found = measure_likelihood(model, ["a b", "c a"])
    assert found.tokens == 4
    assert found.log_probability == pytest.approx(-4 * math.log(5))


def test_a_transformer_that_fits_is_read_whole():
    model = tiny_model()
    found = measure_likelihood(model, KING[0])
    ids = sum(model.encode(KING[0]), [])
    expected = mean_log_likelihood(tiny_network(), [model.start_token], ids) * len(ids)
    assert found.tokens == len(ids)
    assert found.log_probability == pytest.approx(expected, abs=1e-3)


def test_a_text_longer_than_the_context_is_read_in_windows():
    sentences = [*WOLF[0], *KING[0]] * 2
    model = tiny_model(context=32)
    network = tiny_network(context=32)
    ids = sum(model.encode(sentences), [])
    assert len(ids) > 64
    expected = 0.0
    for start, first, stop in _windows(len(ids), 31):
        context = [model.start_token, *ids[start:first]]
        expected += mean_log_likelihood(network, context, ids[first:stop]) * (stop - first)
    assert measure_likelihood(model, sentences).log_probability == pytest.approx(expected, abs=1e-3)


def test_numbers_that_are_none_are_refused():
    class Broken(CountingModel):
        def continuation_log_probabilities(self, context, continuation):
            return np.full(len(continuation), np.nan)

    with pytest.raises(ModelError, match="not numbers"):
        measure_likelihood(Broken(["a b"]), ["a b"])
