"""Perplexity of a corpus, and how it goes with MAP."""

import math

import pytest

from barthes.reproduction.experiment import ExperimentResult, ReproductionSettings
from barthes.reproduction.modes import MODES
from tests.reproduction.running import run
from tests.reproduction.tales import AskedModel

FORMULA = MODES["published-formula"]


def measure(corpus, models, cache, maps=None):
    """Run it after a Table 2 with these MAPs by method and fine-tuning."""
    rows = [
        {"method": method, "fine_tuning": fine_tuning, "tfidf": tfidf, "ours": 0.9 if tfidf else value}
        for (method, fine_tuning), value in (maps or {}).items()
        for tfidf in (False, True)
    ]
    earlier = {"table2": ExperimentResult({"rows": rows})} if maps else {}
    return run("perplexity", ReproductionSettings(corpus, models, FORMULA), cache, earlier).figures


def texts(tale):
    return [sentence.text for sentence in tale.narrative]


def test_a_uniform_model_has_the_size_of_its_vocabulary(corpus, cache):
    model = AskedModel(["the wolf came ."], k=1e12)
    found = measure(corpus, {None: model}, cache)
    assert found["rows"][0]["perplexity"] == pytest.approx(len(model.vocabulary))
    assert found["rows"][0]["tokens"] == sum(len(text.split()) for tale in corpus for text in texts(tale))
    assert [row["perplexity"] for row in found["rows"][1:]] == [None, None]
    assert found["spearman"]["sd"] == {"paper": -1.0, "ours": None, "status": "not run"}


def test_each_token_counts_the_same(corpus, model, cache):
    row = measure(corpus, {None: model}, cache)["rows"][0]
    total = tokens = 0
    for tale in corpus:
        ids = sum(model.encode(texts(tale)), [])
        total += model.read([model.start_token, *ids]).log_probabilities.sum()
        tokens += len(ids)
    assert row["perplexity"] == pytest.approx(math.exp(-total / tokens))


def test_the_correlation_with_map_over_three_models(corpus, models, cache):
    maps = {("sd", None): 0.2, ("sd", "domain"): 0.3, ("sd", "transductive"): 0.4}
    maps |= {("va", None): 0.2, ("va", "domain"): 0.4, ("va", "transductive"): 0.3}
    found = measure(corpus, models, cache, maps)
    perplexities = [row["perplexity"] for row in found["rows"]]
    assert perplexities == sorted(perplexities, reverse=True)
    assert {method: pair["ours"] for method, pair in found["spearman"].items()} == {
        "sd": pytest.approx(-1.0),
        "va": pytest.approx(-0.5),
        "paa": None,
    }


def test_the_correlation_of_equal_figures_is_undefined_and_not_unrun(corpus, models, cache):
    maps = dict.fromkeys([("sd", None), ("sd", "domain"), ("sd", "transductive")], 0.25)
    found = measure(corpus, models, cache, maps)
    assert found["spearman"]["sd"] == {"paper": -1.0, "ours": None, "status": "undefined"}
    assert found["spearman"]["va"]["status"] == "not run"
