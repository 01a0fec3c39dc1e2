"""Log-probabilities of the tokens of whole texts, compared with other ways to compute them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.errors import ModelError
from barthes.models.counting import CountingModel
from barthes.models.windows import _overlap, find_window, predict_tokens
from tests.oracles import mean_log_likelihood
from tests.tiny_models import tiny_model, tiny_network


def limited(context):
    """A counting model with a context of so many tokens."""
    model = CountingModel(["a b c a"])
    model.context_length = context
    return model


@given(st.integers(0, 300), st.integers(2, 60))
def test_every_token_is_predicted_exactly_once(length, capacity):
    windows = list(_overlap(length, capacity))
    assert [k for _, first, stop in windows for k in range(first, stop)] == list(range(length))
    for start, first, stop in windows:
        assert 0 <= start <= first < stop
        assert stop - start <= capacity
        if first:
            assert first - start >= capacity // 2, "half of the window is context"


def test_windows_of_long_texts_have_1024_tokens():
    assert list(_overlap(3000, 2999))[:2] == [(0, 0, 1023), (511, 1023, 1534)]
    assert list(_overlap(3000, 3000)) == list(_overlap(3000, None)) == [(0, 0, 3000)]
    assert list(_overlap(3, 1)) == [(0, 0, 1), (1, 1, 2), (2, 2, 3)]


@pytest.mark.parametrize(
    ("context", "tokens", "window"), [(None, 10**6, None), (9, 8, None), (9, 9, 9), (5000, 5000, 1024)]
)
def test_the_window_is_the_context_up_to_1024_tokens_if_the_text_does_not_fit(context, tokens, window):
    assert find_window(limited(context), tokens) == window


def test_tokens_are_predicted_with_progress_after_every_window():
    done = []
    found = predict_tokens(limited(5), [2, 3, 4, 2, 3, 4, 2], each=done.append)
    np.testing.assert_array_equal(found, predict_tokens(limited(None), [2, 3, 4, 2, 3, 4, 2]))
    assert done == [4, 6, 7]
    assert predict_tokens(limited(5), []).shape == (0,)


def test_nan_is_an_error():
    class Broken(CountingModel):
        def continuation_log_probabilities(self, context, continuation):
            return np.full(len(continuation), np.nan)

    with pytest.raises(ModelError, match="not numbers"):
        predict_tokens(Broken(["a b"]), [2])


SENTENCES = [
    "a king slept .",
    "the girl came .",
    "the king married the girl .",
    "the king died .",
    "it rained .",
]


def test_a_text_that_fits_into_the_context_is_read_at_once():
    model = tiny_model()
    ids = sum(model.encode(SENTENCES), [])
    expected = mean_log_likelihood(tiny_network(), [model.start_token], ids) * len(ids)
    assert predict_tokens(model, ids).sum() == pytest.approx(expected, abs=1e-3)


def test_a_text_longer_than_the_context_is_read_in_windows():
    model, network = tiny_model(context=32), tiny_network(context=32)
    ids = sum(model.encode(SENTENCES * 4), [])
    assert len(ids) > 64
    expected = 0.0
    for start, first, stop in _overlap(len(ids), 31):
        context = [model.start_token, *ids[start:first]]
        expected += mean_log_likelihood(network, context, ids[first:stop]) * (stop - first)
    assert predict_tokens(model, ids).sum() == pytest.approx(expected, abs=1e-3)
