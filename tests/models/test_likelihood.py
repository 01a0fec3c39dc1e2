"""Likelihoods and perplexities of texts, compared with other ways to compute them."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import barthes
from barthes.errors import ModelError
from barthes.models.counting import CountingModel
from barthes.models.likelihood import (
    Likelihood,
    _windows,
    find_window,
    measure_likelihood,
    measure_perplexity,
    predict_tokens,
)
from barthes.narrative import Narrative
from tests.oracles import mean_log_likelihood
from tests.reproduction.tales import KING, WOLF
from tests.tiny_models import tiny_model, tiny_network


def narrate(*sentences, title="story"):
    return Narrative.from_sentences(sentences, title=title)


def limited(context):
    """A counting model with a context of so many tokens."""
    model = CountingModel(["a b c a"])
    model.context_length = context
    return model


@given(st.integers(0, 300), st.integers(2, 60))
def test_every_token_is_predicted_exactly_once(length, capacity):
    windows = list(_windows(length, capacity))
    assert [k for _, first, stop in windows for k in range(first, stop)] == list(range(length))
    for start, first, stop in windows:
        assert 0 <= start <= first < stop
        assert stop - start <= capacity
        if first:
            assert first - start >= capacity // 2, "half of the window is context"


def test_windows_of_long_texts_have_1024_tokens():
    assert list(_windows(3000, 2999))[:2] == [(0, 0, 1023), (511, 1023, 1534)]
    assert list(_windows(3000, 3000)) == list(_windows(3000, None)) == [(0, 0, 3000)]
    assert list(_windows(3, 1)) == [(0, 0, 1), (1, 1, 2), (2, 2, 3)]


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


def test_a_uniform_model_gives_the_size_of_the_vocabulary():
    found = measure_likelihood(CountingModel(["a b c"], k=1e12), ["a b", "c a"])
    assert found.tokens == 4
    assert found.log_probability == pytest.approx(-4 * math.log(5))


def test_a_text_that_fits_into_the_context_is_read_at_once():
    model = tiny_model()
    found = measure_likelihood(model, KING[0])
    ids = sum(model.encode(KING[0]), [])
    expected = mean_log_likelihood(tiny_network(), [model.start_token], ids) * len(ids)
    assert found.tokens == len(ids)
    assert found.log_probability == pytest.approx(expected, abs=1e-3)


def test_a_text_longer_than_the_context_is_read_in_windows():
    sentences = [*WOLF[0], *KING[0]] * 2
    model, network = tiny_model(context=32), tiny_network(context=32)
    ids = sum(model.encode(sentences), [])
    assert len(ids) > 64
    expected = 0.0
    for start, first, stop in _windows(len(ids), 31):
        context = [model.start_token, *ids[start:first]]
        expected += mean_log_likelihood(network, context, ids[first:stop]) * (stop - first)
    assert measure_likelihood(model, sentences).log_probability == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize(
    "measure", [lambda model: measure_likelihood(model, ["a b"]), lambda model: predict_tokens(model, [2])]
)
def test_nan_is_an_error(measure):
    class Broken(CountingModel):
        def continuation_log_probabilities(self, context, continuation):
            return np.full(len(continuation), np.nan)

    with pytest.raises(ModelError, match="not numbers"):
        measure(Broken(["a b"]))


def test_perplexity_by_hand():
    """P(a) = 2/5 after the start, P(b | a) = 3/6."""
    found = barthes.measure_perplexity(CountingModel(["a b a b"], k=1.0), [narrate("a", "b")])
    assert found.value == pytest.approx(math.sqrt(1 / 0.2))
    figures = {
        "tokens": 2,
        "log_probability": pytest.approx(math.log(0.2)),
        "mean_log_probability": found.mean_log_probability,
        "perplexity": found.value,
    }
    expected = {
        "model": "counting",
        "precision": "float64",
        **figures,
        "texts": [{"text": "story", **figures}],
    }
    assert found.to_dict() == expected
    assert list(found.to_dict()) == list(expected)


def test_each_token_has_the_same_weight():
    model = tiny_model()
    short, long = narrate("a wolf came"), narrate("the king ran and the girl slept and it rained .")
    found = measure_perplexity(model, [short, long])
    alone = [measure_perplexity(model, [text]) for text in (short, long)]
    assert found.texts == tuple(text for one in alone for text in one.texts)
    weighted = sum(one.tokens * one.mean_log_probability for one in alone) / found.tokens
    assert found.mean_log_probability == pytest.approx(weighted)
    assert found.value == pytest.approx(math.exp(-weighted))


def test_line_breaks_count_as_spaces():
    texts = [Narrative("a wolf\n  came", ((0, 13),)), narrate("a wolf came")]
    broken, whole = measure_perplexity(tiny_model(), texts).texts
    assert broken.perplexity == whole.perplexity


def test_progress_counts_characters():
    steps = []
    texts = [narrate("a wolf"), narrate("a"), narrate("a king")]
    measure_perplexity(CountingModel(["a"]), texts, progress=lambda *step: steps.append(step))
    assert steps == [(0, 13), (6, 13), (7, 13), (13, 13)]


def test_without_tokens_there_is_no_perplexity():
    found = measure_perplexity(CountingModel(["a"]), [])
    assert (found.tokens, found.value, found.mean_log_probability) == (0, None, None)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["perplexity"] is None


def test_an_overflow_is_infinite_and_null_in_json():
    text = Likelihood(-1e6, 10, "odd")
    assert text.perplexity == math.inf
    assert text.to_dict()["perplexity"] is None
    assert text.to_dict()["mean_log_probability"] == -1e5
