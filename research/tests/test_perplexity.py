"""Likelihoods and perplexities of texts, compared with other ways to compute them."""

from __future__ import annotations

import json
import math

import pytest

import barthes
from barthes.models.counting import CountingModel
from barthes.narrative import Narrative
from barthes_research.perplexity import Likelihood, measure_likelihood, measure_perplexity
from tests.tiny_models import tiny_model


def narrate(*sentences, title="story"):
    return Narrative.from_sentences(sentences, title=title)


def test_a_uniform_model_gives_the_size_of_the_vocabulary():
    found = measure_likelihood(CountingModel(["a b c"], k=1e12), ["a b", "c a"])
    assert found.tokens == 4
    assert found.log_probability == pytest.approx(-4 * math.log(5))


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


def test_without_tokens_there_is_no_perplexity():
    found = measure_perplexity(CountingModel(["a"]), [])
    assert (found.tokens, found.value, found.mean_log_probability) == (0, None, None)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["perplexity"] is None


def test_an_overflow_is_infinite_and_null_in_json():
    text = Likelihood(-1e6, 10, "odd")
    assert text.perplexity == math.inf
    assert text.to_dict()["perplexity"] is None
    assert text.to_dict()["mean_log_probability"] == -1e5
