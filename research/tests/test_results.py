"""The results that the documentation quotes: they are whole, and their figures follow from their scores."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from sklearn.metrics import average_precision_score

from barthes.removal.anonymization import Anonymizer
from barthes.salience.combination import scale_to_unit
from barthes_research.corpora import ProppLearner
from barthes_research.reproduction.published import PROPOSED

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "results"
CORPUS = Path(os.environ.get("BARTHES_SHARED", ROOT.parents[1] / "shared")) / "data" / "propplearner"

RUNS = [("smollm2-135m", "sd"), ("smollm2-135m", "va"), ("smollm2-135m", "paa"), ("folktale", "sd")]


def load(model, method):
    return json.loads((RESULTS / f"propplearner-{model}-{method}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("model", "method"), RUNS)
def test_results_are_whole_and_hold_no_text(model, method):
    result = load(model, method)
    assert (result["model"], result["method"]) == (model, method)
    assert set(result["tales"]) == {f"story{number}" for number in range(1, 16)}
    assert sum(map(len, result["tales"].values())) == 1302
    assert all(isinstance(score, float) for scores in result["tales"].values() for score in scores)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the ProppLearner corpus is not here")
@pytest.mark.parametrize("rule", ["paper", "corrected"])
@pytest.mark.parametrize(("model", "method"), RUNS)
def test_mean_average_precision_follows_from_the_scores(model, method, rule):
    result = load(model, method)
    corpus = ProppLearner(CORPUS, rule=rule)
    each = [average_precision_score(tale.labels, result["tales"][tale.name]) for tale in corpus]
    assert sum(each) / len(each) == pytest.approx(result["map"][rule], abs=1e-12)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the ProppLearner corpus is not here")
def test_table_2_of_the_reproduction_follows_from_its_scores():
    found = json.loads((RESULTS / "reproduction-paper.json").read_text(encoding="utf-8"))
    corpus = ProppLearner(CORPUS, rule=found["settings"]["labels"])
    rows = [row for row in found["table2"]["rows"] if row["status"] == "run" and row["method"] in PROPOSED]
    assert rows
    first = rows[0]["fine_tuning"]  # its scores stand without the name of their setting
    for row in rows:
        each = {}
        for tale in corpus:
            scores = found["scores"][tale.name]
            run = scores if row["fine_tuning"] == first else scores[row["fine_tuning"]]
            parts = [run[row["method"]], *([scores["tfidf"]] if row["tfidf"] else [])]
            total = parts[0] if len(parts) == 1 else sum(map(scale_to_unit, parts))
            each[tale.name] = average_precision_score(tale.labels, total)
        assert each == pytest.approx(row["per_story"], abs=1e-12), row["method"]
        assert sum(each.values()) / len(each) == pytest.approx(row["ours"], abs=1e-12)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the ProppLearner corpus is not here")
@pytest.mark.parametrize("method", ["va", "paa"])
def test_scores_are_zero_where_a_removal_changes_nothing(method):
    scores = load("smollm2-135m", method)["tales"]
    unchanged = 0
    for tale in ProppLearner(CORPUS):
        removal = Anonymizer(lambda narrative, tale=tale: tale.annotation, arguments=method == "paa")
        removed = removal(tale.narrative)
        expected = [each.text.split() == str(tale.narrative[each.index]).split() for each in removed]
        assert [score == 0 for score in scores[tale.name]] == expected, tale.name
        unchanged += sum(expected)
    assert unchanged == {"va": 49, "paa": 8}[method]
