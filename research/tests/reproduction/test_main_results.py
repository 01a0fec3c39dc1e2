"""Table 2, row by row."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from barthes.baselines import DocumentFrequencies, TfIdf
from barthes.evaluation.evaluate import evaluate
from barthes.evaluation.significance import wilcoxon
from barthes.salience.combination import scale_to_unit
from barthes.salience.removal_method import SentenceDeletion, VerbAnonymization
from barthes_research.corpora import ProppLearner
from barthes_research.reproduction.experiment import ReproductionSettings
from barthes_research.reproduction.main_results import expect_average_precision, mark_rows
from barthes_research.reproduction.modes import MODES
from barthes_research.reproduction.published import PROPOSED, TABLE_2
from barthes_research.reproduction.release_loss import ReleaseLoss
from barthes_research.reproduction.release_removal import release_removals
from research.tests.reproduction.running import run
from research.tests.reproduction.tales import write_tale

FORMULA, PAPER = MODES["published-formula"], MODES["paper"]


def measure(corpus, models, cache, *, mode=FORMULA, **options):
    return run("table2", ReproductionSettings(corpus, models, mode, **options), cache)


def mean_ap(corpus, scores):
    return float(np.mean([average_precision_score(tale.labels, scores(tale)) for tale in corpus]))


def find(result, method, *, tfidf=False, fine_tuning=None):
    key = (method, tfidf, fine_tuning)
    [row] = [r for r in result.figures["rows"] if (r["method"], r["tfidf"], r["fine_tuning"]) == key]
    return row


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_the_rows_without_a_model_come_out_to_the_digit(propplearner, cache, mode):
    """The random row is a draw: its expectation is what the paper has. All are those of an evaluation."""
    result = measure(propplearner, {}, cache, mode=mode)
    rows = result.figures["rows"]
    rounded = [round(row["ours"], 3) for row in rows[1:4]]
    assert rounded == [row.map for row in TABLE_2[1:4]] == [0.277, 0.185, 0.279]
    assert [row["dagger"] for row in rows[:4]] == [row.dagger for row in TABLE_2[:4]]
    assert round(result.figures["random_expected"], 3) == TABLE_2[0].map
    assert abs(rows[0]["ours"] - TABLE_2[0].map) < 0.015
    for row in evaluate(["random", "position", "position-desc", "tfidf"], propplearner):
        assert find(result, row.method)["per_story"] == row.per_story


def test_rows_without_their_model_are_not_run_and_never_filled_in(corpus, model, cache):
    rows = measure(corpus, {"domain": model}, cache).figures["rows"]
    for row, paper in zip(rows, TABLE_2, strict=True):
        is_run = paper.fine_tuning == "domain" or not paper.is_proposed
        assert row["status"] == ("run" if is_run else "not run")
        if not is_run:
            assert row["ours"] is row["interval"] is row["p_vs_random"] is row["per_story"] is None
            assert not any(row[mark] for mark in ("dagger", "bold", "bold_italic"))


def test_proposed_rows_are_those_of_the_methods(corpus, model, cache):
    result = measure(corpus, {None: model}, cache)
    narratives = [tale.narrative for tale in corpus]
    frequencies = DocumentFrequencies.from_narratives(narratives, tokenize=corpus.tokenize)

    def sd(tale):
        return SentenceDeletion(model).score(tale.narrative).scores

    def va(tale):
        return VerbAnonymization(model, annotate=lambda _: tale.annotation).score(tale.narrative).scores

    def tfidf(tale):
        return TfIdf(frequencies, tokenize=corpus.tokenize).score(tale.narrative).scores

    assert find(result, "sd")["ours"] == pytest.approx(mean_ap(corpus, sd))
    assert find(result, "va")["ours"] == pytest.approx(mean_ap(corpus, va))
    both = mean_ap(corpus, lambda tale: scale_to_unit(sd(tale)) + scale_to_unit(tfidf(tale)))
    assert find(result, "sd", tfidf=True)["ours"] == pytest.approx(both)
    assert result.scores["story1"]["sd"] == list(sd(corpus[0]))
    assert result.scores["story1"]["labels"] == [True, False, True, False]
    assert [row.map for row in evaluate(PROPOSED, corpus, model=model)] == [
        find(result, method)["ours"] for method in PROPOSED
    ]


@given(st.lists(st.booleans(), min_size=1, max_size=5))
def test_the_expectation_is_the_mean_over_all_orders(labels):
    if not any(labels):
        assert math.isnan(expect_average_precision(labels))
        return
    precisions = []
    for order in itertools.permutations(labels):
        found = np.cumsum(order)
        precisions.append(np.mean([found[k] / (k + 1) for k in range(len(order)) if order[k]]))
    assert expect_average_precision(labels) == pytest.approx(np.mean(precisions))


def marked(alone, combined, *, baselines=(0.2, 0.2, 0.2, 0.2), p=0.5):
    """The marks of Table 2 for MAPs of ours: alone and with TF-IDF, SD's three settings, VA's, PAA's."""
    maps = [*baselines]
    for k in range(0, 9, 3):
        maps += [*alone[k : k + 3], *combined[k : k + 3]]
    rows = [
        {
            "method": paper.method,
            "tfidf": paper.tfidf,
            "fine_tuning": paper.fine_tuning,
            "ours": value,
            "p_vs_random": p,
        }
        for paper, value in zip(TABLE_2, maps, strict=True)
    ]
    return mark_rows(rows, 0.2)


def places(rows, mark):
    return [
        f"{row['method']}{'+tfidf' if row['tfidf'] else ''} {row['fine_tuning']}" for row in rows if row[mark]
    ]


def test_bold_marks_the_best_alone_and_bold_italic_the_best_sum():
    alone = [0.21, 0.22, 0.23, 0.24, 0.29, 0.25, 0.26, 0.27, 0.28]
    combined = [0.31, 0.39, 0.33, 0.34, 0.35, 0.36, 0.37, 0.32, 0.38]
    rows = marked(alone, combined, baselines=(0.9, 0.9, 0.9, 0.9))
    assert places(rows, "bold") == ["va domain"]
    assert places(rows, "bold_italic") == ["sd+tfidf domain"]


def test_what_is_the_same_to_three_decimals_shares_the_mark():
    alone = [0.2996, 0.3004, 0.3006, 0.1, 0.1, 0.1, 0.30149, math.nan, None]
    rows = marked(alone, [None] * 9)
    assert places(rows, "bold") == ["sd transductive", "paa None"]
    assert places(rows, "bold_italic") == []


def test_a_dagger_is_for_what_is_better_than_random():
    alone = [0.3, 0.2, 0.1, None, 0.21, 0.2, 0.2, 0.2, 0.2]
    assert places(marked(alone, [0.1] * 9, p=0.04), "dagger") == ["sd None", "va domain"]
    assert places(marked(alone, [0.9] * 9, p=0.05), "dagger") == []


def test_three_models_fill_the_table(corpus, models, cache):
    result = measure(corpus, models, cache)
    assert {row["status"] for row in result.figures["rows"]} == {"run"}
    combined = [row for row in result.figures["rows"] if row["tfidf"]]
    best = max(combined, key=lambda row: row["ours"])
    ours, theirs = (list(row["per_story"].values()) for row in (best, find(result, "tfidf")))
    assert result.figures["best_combination_vs_tfidf"]["ours"] == wilcoxon(ours, theirs)
    for tale in corpus:
        scores = result.scores[tale.name]
        assert list(scores) == ["labels", "sd", "va", "paa", "domain", "transductive", "tfidf"]
        for fine_tuning, model in models.items():
            kept = scores if fine_tuning is None else scores[fine_tuning]
            assert kept["sd"] == list(SentenceDeletion(model).score(tale.narrative).scores)
        both = scale_to_unit(scores["domain"]["sd"]) + scale_to_unit(scores["tfidf"])
        row = find(result, "sd", tfidf=True, fine_tuning="domain")
        assert row["per_story"][tale.name] == pytest.approx(average_precision_score(tale.labels, both))


def test_the_release_is_computed_a_few_sentences_at_a_time_and_gives_what_the_whole_gives(
    corpus, model, tmp_path, cache
):
    (tmp_path / "long").mkdir()
    sentences = ["the wolf came .", "it rained .", "the king slept ."] * 8
    write_tale(tmp_path / "long", "story1", sentences, {2})
    [tale] = tales = ProppLearner(tmp_path / "long")
    assert [task.key["methods"] for task in FORMULA.plan(model, tale)] == [["sd"], ["va"], ["paa"]]
    assert [task.key["part"] for task in PAPER.plan(model, tale)] == [[0, 20], [20, 24]]
    result = measure(tales, {None: model}, cache, mode=PAPER)
    whole = ReleaseLoss(model).score(tale.token_narrative, release_removals(tale))
    assert {method: result.scores["story1"][method] for method in whole} == whole
    assert cache.stored == 2
