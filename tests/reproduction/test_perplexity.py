"""Perplexity of a corpus, and how it goes with MAP."""

import math

import pytest

from barthes.reproduction.corpus_perplexity import likelihood_work
from barthes.reproduction.models import Lineup
from barthes.reproduction.modes import MODES
from tests.reproduction.running import measure_perplexity
from tests.reproduction.tales import AskedModel

FORMULA = MODES["published-formula"]


def test_a_uniform_model_has_the_size_of_its_vocabulary(corpus, ledger):
    model = AskedModel(["the wolf came ."], k=1e12)
    found = measure_perplexity(Lineup({None: model}), corpus, FORMULA, ledger)
    assert found.rows[0].perplexity == pytest.approx(len(model.vocabulary))
    assert found.rows[0].tokens == sum(len(sentence.split()) for tale in corpus for sentence in _texts(tale))
    assert [row.perplexity for row in found.rows[1:]] == [None, None]
    assert found.to_dict()["spearman"]["sd"] == {"paper": -1.0, "ours": None, "status": "not run"}


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


def test_the_correlation_with_map_over_three_models(corpus, lineup, ledger):
    maps = {("sd", None): 0.2, ("sd", "domain"): 0.3, ("sd", "transductive"): 0.4}
    maps |= {("va", None): 0.2, ("va", "domain"): 0.4, ("va", "transductive"): 0.3}
    found = measure_perplexity(lineup, corpus, FORMULA, ledger, maps=maps)
    perplexities = [row.perplexity for row in found.rows]
    assert perplexities == sorted(perplexities, reverse=True)
    assert found.spearman == {"sd": pytest.approx(-1.0), "va": pytest.approx(-0.5), "paa": None}


def test_the_correlation_of_equal_figures_is_undefined_and_not_unrun(corpus, lineup, ledger):
    maps = dict.fromkeys([("sd", None), ("sd", "domain"), ("sd", "transductive")], 0.25)
    plain = measure_perplexity(lineup, corpus, FORMULA, ledger, maps=maps).to_dict()
    assert plain["spearman"]["sd"] == {"paper": -1.0, "ours": None, "status": "undefined"}
    assert plain["spearman"]["va"]["status"] == "not run"


@pytest.mark.parametrize(
    "damage",
    [
        {"log_probability": math.nan},
        {"log_probability": -math.inf},
        {"log_probability": False},
        {"log_probability": None},
        {"tokens": 0},
        {"tokens": -3},
        {"tokens": True},
        {"tokens": 3.0},
    ],
    ids=str,
)
def test_what_can_be_no_likelihood_is_refused(corpus, model, damage):
    check = likelihood_work(model, corpus, corpus[0], FORMULA).check
    assert check({"log_probability": -12.5, "tokens": 3})
    assert not check({"log_probability": -12.5, "tokens": 3} | damage)
    assert not check([])
