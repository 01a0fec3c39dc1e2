"""Table 2, row by row."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from barthes.baselines import DocumentFrequencies, Random, TfIdf
from barthes.corpora import ProppLearner
from barthes.evaluation.evaluate import evaluate
from barthes.evaluation.significance import wilcoxon
from barthes.evaluation.store import ScoreStore
from barthes.reproduction.chance import expect_average_precision
from barthes.reproduction.main_results import Measured, ResultRow, mark_rows, plan_main_results
from barthes.reproduction.models import Lineup
from barthes.reproduction.modes import MODES
from barthes.reproduction.published import TABLE_2
from barthes.reproduction.work import Ledger
from barthes.salience.combination import scale_to_unit
from barthes.salience.method import silent
from barthes.salience.removal_method import SentenceDeletion, VerbAnonymization
from tests.reproduction.running import measure_main_results
from tests.reproduction.tales import AskedModel, write_tale

FORMULA = MODES["published-formula"]


def mean_ap(corpus, scores):
    return float(np.mean([average_precision_score(tale.labels, scores(tale)) for tale in corpus]))


def find(results, method, *, tfidf=False, fine_tuning=None):
    key = (method, tfidf, fine_tuning)
    [row] = [r for r in results.rows if (r.paper.method, r.paper.tfidf, r.paper.fine_tuning) == key]
    return row


def test_the_rows_without_a_model_come_out_to_the_digit(propplearner, ledger):
    """The random row is a draw: its expectation is what the paper has."""
    results = measure_main_results(Lineup(), propplearner, MODES["paper"], ledger)
    rounded = [round(row.ours.map, 3) for row in results.rows[1:4]]
    assert rounded == [row.map for row in TABLE_2[1:4]] == [0.277, 0.185, 0.279]
    assert [row.dagger for row in results.rows[:4]] == [row.dagger for row in TABLE_2[:4]]
    assert round(results.random_expected, 3) == TABLE_2[0].map
    assert abs(results.rows[0].ours.map - TABLE_2[0].map) < 0.015
    assert round(find(results, "tfidf").ours.map, 4) == 0.2786


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_baselines_are_those_of_an_evaluation(propplearner, ledger, mode):
    results = measure_main_results(Lineup(), propplearner, mode, ledger)
    for row in evaluate(["random", "position", "position-desc", "tfidf"], propplearner):
        assert find(results, row.method).ours.per_story == row.per_story


def test_rows_without_their_model_are_not_run_and_never_filled_in(corpus, model, ledger):
    results = measure_main_results(Lineup({"domain": model}), corpus, FORMULA, ledger)
    for row, paper in zip(results.to_dict()["rows"], TABLE_2, strict=True):
        run = paper.fine_tuning == "domain" or not paper.is_proposed
        assert row["status"] == ("run" if run else "not run")
        if not run:
            assert row["ours"] is row["interval"] is row["p_vs_random"] is row["per_story"] is None
            assert not any(row[mark] for mark in ("dagger", "bold", "bold_italic"))


def test_proposed_rows_are_those_of_the_methods(corpus, model, ledger):
    results = measure_main_results(Lineup({None: model}), corpus, FORMULA, ledger)
    narratives = [tale.narrative for tale in corpus]
    frequencies = DocumentFrequencies.from_narratives(narratives, tokenize=corpus.tokenize)

    def sd(tale):
        return SentenceDeletion(model).score(tale.narrative).scores

    def va(tale):
        return VerbAnonymization(model, annotate=lambda _: tale.annotation).score(tale.narrative).scores

    def tfidf(tale):
        return TfIdf(frequencies, tokenize=corpus.tokenize).score(tale.narrative).scores

    assert find(results, "sd").ours.map == pytest.approx(mean_ap(corpus, sd))
    assert find(results, "va").ours.map == pytest.approx(mean_ap(corpus, va))
    both = mean_ap(corpus, lambda tale: scale_to_unit(sd(tale)) + scale_to_unit(tfidf(tale)))
    assert find(results, "sd", tfidf=True).ours.map == pytest.approx(both)
    assert results.scores["story1"]["sd"] == list(sd(corpus[0]))
    assert results.scores["story1"]["labels"] == [True, False, True, False]


def test_random_is_the_mean_over_seeds(corpus, ledger):
    results = measure_main_results(Lineup(), corpus, FORMULA, ledger, seeds=4)
    draws = [Random(seed=seed) for seed in range(4)]
    maps = [mean_ap(corpus, lambda tale, draw=draw: draw.score(tale.narrative).scores) for draw in draws]
    assert results.rows[0].ours.map == pytest.approx(np.mean(maps))
    assert results.random_sd == pytest.approx(np.std(maps, ddof=1))
    assert results.rows[0].ours.p_vs_random is None


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
        ResultRow(paper, None if figure is None else Measured(figure, (0, 1), p, {}))
        for paper, figure in zip(TABLE_2, maps, strict=True)
    ]
    return mark_rows(rows, 0.2)


def places(rows, mark):
    return [f"{row.paper.name} {row.paper.fine_tuning}" for row in rows if getattr(row, mark)]


def test_bold_marks_the_best_alone_and_bold_italic_the_best_sum():
    alone = [0.21, 0.22, 0.23, 0.24, 0.29, 0.25, 0.26, 0.27, 0.28]
    combined = [0.31, 0.39, 0.33, 0.34, 0.35, 0.36, 0.37, 0.32, 0.38]
    rows = marked(alone, combined, baselines=(0.9, 0.9, 0.9, 0.9))
    assert places(rows, "bold") == ["va domain"]
    assert places(rows, "bold_italic") == ["sd+tfidf domain"]


def test_what_is_the_same_to_three_decimals_shares_the_mark():
    alone = [0.2996, 0.3004, 0.3006, 0.1, 0.1, 0.1, 0.30149, 0.1, None]
    rows = marked(alone, [None] * 9)
    assert places(rows, "bold") == ["sd transductive", "paa None"]
    assert places(rows, "bold_italic") == []


def test_a_dagger_is_for_what_is_better_than_random():
    alone = [0.3, 0.2, 0.1, None, 0.21, 0.2, 0.2, 0.2, 0.2]
    assert places(marked(alone, [0.1] * 9, p=0.04), "dagger") == ["sd None", "va domain"]
    assert places(marked(alone, [0.9] * 9, p=0.05), "dagger") == []


def test_three_models_fill_the_table(corpus, lineup, ledger):
    results = measure_main_results(lineup, corpus, FORMULA, ledger)
    assert {row.to_dict()["status"] for row in results.rows} == {"run"}
    assert places(results.rows, "bold")
    assert places(results.rows, "bold_italic")
    assert 0 <= results.best_against_tfidf <= 1
    assert len(results.maps) == 9


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_an_interrupted_run_that_goes_on_equals_one_that_was_not(corpus, tmp_path, mode):
    texts = [tale.narrative.text for tale in corpus]
    whole_store = ScoreStore(tmp_path / "a")
    whole = measure_main_results(Lineup({None: AskedModel(texts)}), corpus, mode, Ledger(whole_store))
    impatient = Lineup({None: AskedModel(texts, patience=8)})
    with pytest.raises(KeyboardInterrupt):
        measure_main_results(impatient, corpus, mode, Ledger(ScoreStore(tmp_path / "b")))
    half = ScoreStore(tmp_path / "b")
    works = plan_main_results(AskedModel(texts), corpus, mode)
    assert 0 < Ledger(half).outstanding(works) < sum(work.tokens for work in works)
    resumed = measure_main_results(Lineup({None: AskedModel(texts)}), corpus, mode, Ledger(half))
    assert resumed.to_dict() == whole.to_dict()


def long_tale(folder):
    """One tale of 24 sentences."""
    (folder / "long").mkdir()
    write_tale(folder / "long", "story1", ["the wolf came .", "it rained .", "the king slept ."] * 8, {2})
    return ProppLearner(folder / "long")


def test_methods_are_kept_one_by_one_by_the_formula_and_a_few_sentences_at_a_time_in_the_release(
    corpus, model, tmp_path
):
    assert len(FORMULA.plan(model, corpus.name, corpus[0])) == 3
    [tale] = long_tale(tmp_path)
    [whole] = MODES["paper"].plan(model, corpus.name, tale)
    assert [identity.method for identity in whole.identities] == ["sd", "va", "paa"]
    assert [part.identities[0].part for part in whole.parts] == ["1-20", "21-24"]
    assert len({part.identities[0].path for part in whole.parts}) == 2


def test_an_interruption_of_the_release_costs_a_few_sentences(corpus, tmp_path, store):
    tales = long_tale(tmp_path)
    texts = [tale.narrative.text for tale in corpus]
    model = AskedModel(texts)
    [[whole]] = [MODES["paper"].plan(model, tales.name, tale) for tale in tales]
    whole.parts[0].compute(silent)
    impatient = Lineup({None: AskedModel(texts, patience=model.reads)})
    with pytest.raises(KeyboardInterrupt):
        measure_main_results(impatient, tales, MODES["paper"], Ledger(store))
    assert store.kept == 1
    left = Ledger(ScoreStore(store.folder)).outstanding([whole])
    assert left == sum(part.tokens for part in whole.parts[1:]) < whole.tokens


def test_parts_of_the_release_give_what_the_whole_gives(corpus, model, tmp_path, ledger):
    from barthes.reproduction.release_loss import ReleaseLoss
    from barthes.reproduction.release_removal import release_removals

    [tale] = tales = long_tale(tmp_path)
    results = measure_main_results(Lineup({None: model}), tales, MODES["paper"], ledger)
    whole = ReleaseLoss(model).score(tale.token_narrative, release_removals(tale))
    assert {method: results.scores["story1"][method] for method in whole} == whole


def test_each_row_has_its_p_against_the_expectation_of_random_orders(corpus, model, ledger):
    results = measure_main_results(Lineup({None: model}), corpus, FORMULA, ledger, seeds=3)
    expected = [expect_average_precision(tale.labels) for tale in corpus]
    for row in results.rows:
        plain = row.to_dict()
        if row.ours is None:
            assert plain["p_vs_expectation"] is None
        else:
            ours = [row.ours.per_story[tale.name] for tale in corpus]
            assert plain["p_vs_expectation"] == wilcoxon(ours, expected)
    assert results.rows[0].ours.p_vs_random is None
    other = measure_main_results(Lineup({None: model}), corpus, FORMULA, ledger, seeds=4)
    assert [row.ours and row.ours.p_vs_expectation for row in results.rows[1:]] == [
        row.ours and row.ours.p_vs_expectation for row in other.rows[1:]
    ]


def test_the_scores_of_every_model_that_was_run_are_there(corpus, lineup, ledger):
    results = measure_main_results(lineup, corpus, FORMULA, ledger)
    for tale in corpus:
        scores = results.scores[tale.name]
        assert list(scores) == ["labels", "sd", "va", "paa", "domain", "transductive", "tfidf"]
        for setting, model in lineup:
            kept = scores if setting is None else scores[setting]
            assert kept["sd"] == list(SentenceDeletion(model).score(tale.narrative).scores)
        both = scale_to_unit(scores["domain"]["sd"]) + scale_to_unit(scores["tfidf"])
        row = find(results, "sd", tfidf=True, fine_tuning="domain")
        assert row.ours.per_story[tale.name] == pytest.approx(average_precision_score(tale.labels, both))


def test_other_weights_are_computed_again(corpus, model, store):
    measure_main_results(Lineup({None: model}), corpus, FORMULA, Ledger(store))
    other = AskedModel(["the wolf ."])
    measure_main_results(Lineup({None: other}), corpus, FORMULA, Ledger(store))
    assert other.reads == 9
    assert any("other weights" in sentence for sentence in store.stale)


def test_scores_can_be_shared_with_an_evaluation(corpus, model, store):
    measure_main_results(Lineup({None: model}), corpus, FORMULA, Ledger(store))
    reads = model.reads
    found = evaluate(["sd", "va", "paa"], corpus, model=model, store=store)
    assert model.reads == reads
    assert store.stale == []
    results = measure_main_results(Lineup({None: model}), corpus, FORMULA, Ledger(store))
    assert [row.map for row in found] == [find(results, method).ours.map for method in ("sd", "va", "paa")]


def test_what_is_said_about_scores_is_said_again_by_the_second_run(tmp_path, store):
    from tests.tiny_models import tiny_model

    write_tale(tmp_path, "story1", ["the wolf came .", "it rained ."] * 8, {2})
    lineup = Lineup({None: tiny_model(context=32)})
    first = measure_main_results(lineup, ProppLearner(tmp_path), FORMULA, Ledger(store))
    assert "story1 with tiny-llama: The story does not fit" in first.notes[0]
    again = measure_main_results(lineup, ProppLearner(tmp_path), FORMULA, Ledger(store))
    assert again.notes == first.notes
