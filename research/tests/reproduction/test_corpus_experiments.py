"""Perplexity of a corpus, how it goes with MAP, and the toy story."""

import math

import pytest

from barthes.narrative import Narrative
from barthes.salience.removal_method import SentenceDeletion
from barthes_research.reproduction.experiment import ExperimentResult, ReproductionSettings
from barthes_research.reproduction.modes import MODES
from barthes_research.reproduction.published import CINDERELLA
from research.tests.reproduction.running import run
from research.tests.reproduction.tales import AskedModel

FORMULA = MODES["published-formula"]
STORY = Narrative.from_sentences([sentence.text for sentence in CINDERELLA])


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


@pytest.fixture
def model():
    return AskedModel([STORY.text])


def score(corpus, model, mode, cache):
    figures = run("cinderella", ReproductionSettings(corpus, {None: model}, MODES[mode]), cache).figures
    return figures, [row["ours"] for row in figures["sentences"]]


def test_by_the_formula_it_is_sentence_deletion(corpus, model, cache):
    profile = SentenceDeletion(model).score(STORY)
    once = model.reads
    figures, scores = score(corpus, model, "published-formula", cache)
    assert model.reads == 2 * once, "the story is read once"
    assert scores == list(profile.scores)
    assert [row["paper"] for row in figures["sentences"]] == [0.193, 0.309, 0.214, -0.014, 0.394, -0.112]
    assert figures["influence"]["ours"][5][4] == pytest.approx(profile.scores[4])
    assert figures["influence"]["ours"][0] == [None] * 6
    assert figures["influence"]["paper"][1][0] == 0.562


def test_the_release_loses_a_token_of_the_first_sentence(corpus, model, cache):
    _, formula = score(corpus, model, "published-formula", cache)
    _, release = score(corpus, model, "paper", cache)
    assert release[0] < formula[0]
    assert release[1:] == pytest.approx(formula[1:])
