"""Perplexity of a corpus, and how it goes with MAP."""

import math

import pytest

from barthes.evaluation.experiments.models import Lineup
from barthes.evaluation.experiments.modes import MODES
from barthes.evaluation.experiments.perplexity import measure_perplexity
from tests.evaluation.experiments.tales import AskedModel

FORMULA = MODES["published-formula"]


def test_a_uniform_model_has_the_size_of_its_vocabulary(corpus, ledger):
    model = AskedModel(["the wolf came ."], k=1e12)
    found = measure_perplexity(Lineup({None: model}), corpus, FORMULA, ledger)
    assert found.rows[0].perplexity == pytest.approx(len(model.vocabulary))
    assert found.rows[0].tokens == sum(len(sentence.split()) for tale in corpus for sentence in _texts(tale))
    assert [row.perplexity for row in found.rows[1:]] == [None, None]
    assert found.to_dict()["spearman"]["sd"] == {"paper": -1.0, "ours": None}


def _texts(tale):
    return [sentence.text for sentence in tale.narrative]


def test_each_token_counts_the_same(corpus, model, ledger):
    [row, *_] = measure_perplexity(Lineup({None: model}), corpus, FORMULA, ledger).rows
    total = tokens = 0
    for tale in corpus:
        ids = sum(model.encode(_texts(tale)), [])
        total += model.read([model.start_token, *ids]).log_probabilities.sum()
        tokens += len(ids)
    assert row.perplexity == pytest.approx(math.exp(-total / tokens))


def test_the_correlation_with_map_over_three_models(corpus, ledger):
    texts = [tale.narrative.text for tale in corpus]
    models = {
        None: AskedModel(texts, k=100.0),
        "domain": AskedModel(texts, k=1.0),
        "transductive": AskedModel(texts, k=0.01),
    }
    for name, each in models.items():
        each.name = f"model of {name}"
    maps = {("sd", None): 0.2, ("sd", "domain"): 0.3, ("sd", "transductive"): 0.4}
    maps |= {("va", None): 0.2, ("va", "domain"): 0.4, ("va", "transductive"): 0.3}
    found = measure_perplexity(Lineup(models), corpus, FORMULA, ledger, maps=maps)
    perplexities = [row.perplexity for row in found.rows]
    assert perplexities == sorted(perplexities, reverse=True)
    assert found.spearman == {"sd": pytest.approx(-1.0), "va": pytest.approx(-0.5), "paa": None}
