"""Tales against their shufflings."""

import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.corpora import ProppLearner
from barthes.evaluation.store import ScoreStore
from barthes.models.likelihood import measure_likelihood
from barthes.narrative import Narrative
from barthes.reproduction import sentence_ordering
from barthes.reproduction.modes import MODES
from barthes.reproduction.sentence_ordering import (
    BATCH,
    SentenceOrdering,
    permute_sentences,
    plan_ordering,
)
from barthes.reproduction.work import Ledger, settle
from tests.reproduction.running import order_sentences
from tests.reproduction.tales import AskedModel, write_tale

FORMULA = MODES["published-formula"]


@given(st.lists(st.sampled_from(["a .", "b .", "c .", "d ."]), min_size=1, max_size=6), st.integers(0, 3))
def test_shufflings_are_orders_and_never_the_tale_itself(sentences, seed):
    narrative = Narrative.from_sentences(sentences)
    orders = permute_sentences(narrative, 12, seed=seed)
    assert len(orders) == (12 if len(set(sentences)) > 1 else 0)
    for order in orders:
        assert sorted(order) == list(range(len(sentences)))
        assert [sentences[k] for k in order] != sentences
    assert permute_sentences(narrative, 5, seed=seed) == orders[:5]


def test_all_orders_come_about_as_often():
    narrative = Narrative.from_sentences(["a .", "b .", "c ."])
    counts = Counter(permute_sentences(narrative, 5000))
    assert set(counts) == set(itertools.permutations(range(3))) - {(0, 1, 2)}
    assert all(900 < count < 1100 for count in counts.values())


def test_seeds_and_texts_draw_differently():
    narrative = Narrative.from_sentences([f"{letter} ." for letter in "abcdefgh"])
    other = Narrative.from_sentences([f"{letter} !" for letter in "abcdefgh"])
    draws = [
        permute_sentences(narrative, 3),
        permute_sentences(narrative, 3, seed=1),
        permute_sentences(other, 3),
    ]
    assert len(set(map(tuple, draws))) == 3


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_accuracy_is_what_counting_by_hand_gives(corpus, model, ledger, mode):
    found = order_sentences(model, corpus, mode, ledger, permutations=13, seed=5)
    for tale in corpus:
        narrative = mode.narrate(tale)
        sentences = [sentence.text for sentence in narrative]
        told = measure_likelihood(model, sentences).log_probability
        shuffled = [
            measure_likelihood(model, [sentences[k] for k in order]).log_probability
            for order in permute_sentences(narrative, 13, seed=5)
        ]
        assert found.pairs[tale.name] == 13
        assert found.correct[tale.name] == sum(told > other for other in shuffled)
    plain = found.to_dict()
    assert plain["pairs"] == 39
    assert plain["accuracy"] == plain["correct"] / 39
    assert plain["interval"][0] <= plain["accuracy"] <= plain["interval"][1]
    assert plain["paper"] == 1.0


def ordered(counts):
    """Tales with so many right of so many pairs; a shuffling that is as likely is wrong."""
    told = dict.fromkeys(counts, -1.0)
    return SentenceOrdering(
        told, {tale: [-2.0] * right + [-1.0] * (of - right) for tale, (right, of) in counts.items()}
    )


def test_the_interval_is_over_tales_and_not_over_pairs():
    """One of ten tales is always wrong: it may be among those drawn again not at all, or four times."""
    plain = ordered({f"story{k}": (80 if k else 0, 80) for k in range(10)}).to_dict()
    assert (plain["accuracy"], plain["interval"]) == (0.9, [0.7, 1.0])


def test_tales_that_cannot_be_shuffled_have_no_part_in_it():
    found = ordered({"a": (3, 4), "b": (0, 0), "c": (1, 4)})
    assert found.to_dict()["interval"] == [0.25, 0.75]
    assert found.to_dict()["per_story"] == {"a": 0.75, "b": None, "c": 0.25}
    assert ordered({"a": (0, 0)}).to_dict()["interval"] == [None, None]
    assert found.to_dict()["log_probabilities"]["c"] == {"told": -1.0, "shuffled": [-2.0, -1.0, -1.0, -1.0]}


def test_a_model_that_knows_the_only_order_is_always_right(tmp_path, ledger):
    """Each sentence begins with a word that follows one other word only."""
    write_tale(tmp_path, "story1", ["a wolf", "came and", "ate some", "sheep then", "it rained"], {2})
    corpus = ProppLearner(tmp_path)
    model = AskedModel([corpus[0].narrative.text], k=1e-6)
    assert order_sentences(model, corpus, FORMULA, ledger, permutations=80).accuracy == 1.0


def test_an_equally_likely_shuffling_counts_as_a_failure(corpus, ledger):
    uniform = AskedModel(["zebra"], k=1e12)  # every word is unknown
    found = order_sentences(uniform, corpus, FORMULA, ledger, permutations=4)
    assert found.accuracy == 0


def test_batches_are_kept_and_more_shufflings_go_on_from_them(corpus, model, store):
    order_sentences(model, corpus, FORMULA, Ledger(store), permutations=20)
    before = model.reads
    assert before == 3 * 21
    order_sentences(model, corpus, FORMULA, Ledger(store), permutations=30)
    assert model.reads == before + 3 * 10


@pytest.mark.parametrize("patience", [0, 7, 25, 40])
def test_an_interrupted_run_that_goes_on_equals_one_that_was_not(corpus, tmp_path, patience):
    texts = [tale.narrative.text for tale in corpus]
    whole = order_sentences(
        AskedModel(texts), corpus, FORMULA, Ledger(ScoreStore(tmp_path / "a")), permutations=25
    )
    impatient = AskedModel(texts, patience=patience)
    with pytest.raises(KeyboardInterrupt):
        order_sentences(impatient, corpus, FORMULA, Ledger(ScoreStore(tmp_path / "b")), permutations=25)
    model = AskedModel(texts)
    resumed = order_sentences(model, corpus, FORMULA, Ledger(ScoreStore(tmp_path / "b")), permutations=25)
    assert resumed == whole
    assert model.reads <= 3 * 26 - patience + BATCH  # one batch is lost at most


def test_another_seed_is_another_experiment_beside_the_first(corpus, model, store):
    order_sentences(model, corpus, FORMULA, Ledger(store), permutations=5)
    assert Ledger(store).outstanding(plan_ordering(model, corpus, FORMULA, permutations=5)) == 0
    other = plan_ordering(model, corpus, FORMULA, permutations=5, seed=1)
    assert Ledger(store).outstanding(other) > 0
    settle(other, Ledger(store))
    assert Ledger(store).outstanding(plan_ordering(model, corpus, FORMULA, permutations=5)) == 0
    assert store.stale == []


def test_likelihoods_of_other_orders_are_not_taken_for_these(corpus, model, store, monkeypatch):
    """As after a new version of NumPy that draws otherwise from the same seed."""
    order_sentences(model, corpus, FORMULA, Ledger(store), permutations=5)

    def draw_otherwise(narrative, count, *, seed):
        return permute_sentences(narrative, count, seed=seed + 7)

    monkeypatch.setattr(sentence_ordering, "permute_sentences", draw_otherwise)
    works = plan_ordering(model, corpus, FORMULA, permutations=5)
    assert [Ledger(store).lacks(work) for work in works] == [False, True] * len(corpus)
    assert any("another text" in sentence for sentence in store.stale)
