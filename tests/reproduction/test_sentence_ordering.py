"""Tales against permutations of their sentences."""

import itertools
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.cache import ScoreCache
from barthes.corpora import ProppLearner
from barthes.models.likelihood import measure_likelihood
from barthes.narrative import Narrative
from barthes.reproduction import sentence_ordering
from barthes.reproduction.experiment import Settings
from barthes.reproduction.modes import MODES
from barthes.reproduction.reproduce import plan_experiment
from barthes.reproduction.sentence_ordering import BATCH, compare_orders, permute_sentences
from barthes.reproduction.tasks import Results
from tests.reproduction.running import outstanding, run
from tests.reproduction.tales import AskedModel, write_tale

FORMULA = MODES["published-formula"]


def order(corpus, model, cache, *, mode=FORMULA, **options):
    return run("ordering", Settings(corpus, {None: model}, mode, **options), cache).figures


@given(st.lists(st.sampled_from(["a .", "b .", "c .", "d ."]), min_size=1, max_size=6), st.integers(0, 3))
def test_permutations_are_orders_and_never_the_tale_itself(sentences, seed):
    narrative = Narrative.from_sentences(sentences)
    orders = permute_sentences(narrative, 12, seed=seed)
    assert len(orders) == (12 if len(set(sentences)) > 1 else 0)
    for each in orders:
        assert sorted(each) == list(range(len(sentences)))
        assert [sentences[k] for k in each] != sentences
    assert permute_sentences(narrative, 5, seed=seed) == orders[:5]


def test_all_orders_come_about_as_often():
    narrative = Narrative.from_sentences(["a .", "b .", "c ."])
    counts = Counter(permute_sentences(narrative, 5000))
    assert set(counts) == set(itertools.permutations(range(3))) - {(0, 1, 2)}
    assert all(900 < count < 1100 for count in counts.values())


def test_seeds_and_texts_draw_differently():
    narrative = Narrative.from_sentences([f"{letter} ." for letter in "abcdefgh"])
    other = Narrative.from_sentences([f"{letter} !" for letter in "abcdefgh"])
    draws = [permute_sentences(narrative, 3, seed=seed) for seed in (0, 1)] + [permute_sentences(other, 3)]
    assert len(set(map(tuple, draws))) == 3


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_accuracy_is_what_counting_by_hand_gives(corpus, model, cache, mode):
    found = order(corpus, model, cache, mode=mode, permutations=13, seed=5)
    for tale in corpus:
        narrative = mode.narrate(tale)
        sentences = [sentence.text for sentence in narrative]
        told = measure_likelihood(model, sentences).log_probability
        shuffled = [
            measure_likelihood(model, [sentences[k] for k in each]).log_probability
            for each in permute_sentences(narrative, 13, seed=5)
        ]
        assert found["log_probabilities"][tale.name] == {"told": told, "shuffled": shuffled}
        assert found["per_story"][tale.name] == sum(told > other for other in shuffled) / 13
    assert found["pairs"] == 39
    assert found["accuracy"] == found["correct"] / 39
    assert found["interval"][0] <= found["accuracy"] <= found["interval"][1]
    assert found["paper"] == 1.0


def ordered(counts):
    """Tales with so many right of so many pairs; a permutation that is as likely is wrong."""
    shuffled = {tale: [-2.0] * right + [-1.0] * (of - right) for tale, (right, of) in counts.items()}
    return compare_orders(dict.fromkeys(counts, -1.0), shuffled)


def test_the_interval_is_over_tales_and_not_over_pairs():
    """One of ten tales is always wrong: it may be among those drawn again not at all, or four times."""
    found = ordered({f"story{k}": (80 if k else 0, 80) for k in range(10)})
    assert (found["accuracy"], found["interval"]) == (0.9, [0.7, 1.0])


def test_tales_that_cannot_be_permuted_have_no_part_in_it():
    found = ordered({"a": (3, 4), "b": (0, 0), "c": (1, 4)})
    assert found["interval"] == [0.25, 0.75]
    assert found["per_story"] == {"a": 0.75, "b": None, "c": 0.25}
    nothing = ordered({"a": (0, 0)})
    assert (nothing["interval"], nothing["accuracy"]) == ([None, None], None)


def test_a_model_that_knows_the_only_order_is_always_right_and_a_uniform_one_never(tmp_path, cache):
    """Each sentence begins with a word that follows one other word only."""
    write_tale(tmp_path, "story1", ["a wolf", "came and", "ate some", "sheep then", "it rained"], {2})
    corpus = ProppLearner(tmp_path)
    knowing = AskedModel([corpus[0].narrative.text], k=1e-6)
    assert order(corpus, knowing, cache, permutations=80)["accuracy"] == 1.0
    uniform = AskedModel(["zebra"], k=1e12)  # every word is unknown
    assert order(corpus, uniform, cache, permutations=4)["accuracy"] == 0


def test_batches_are_kept_and_more_permutations_go_on_from_them(corpus, model, cache):
    order(corpus, model, cache, permutations=20)
    assert model.reads == 3 * 21
    order(corpus, model, cache, permutations=30)
    assert model.reads == 3 * 31


@pytest.mark.parametrize("patience", [0, 7, 25, 40])
def test_an_interrupted_run_that_goes_on_equals_one_that_was_not(corpus, cache, tmp_path, patience):
    texts = [tale.narrative.text for tale in corpus]
    whole = order(corpus, AskedModel(texts), cache, permutations=25)
    resuming = AskedModel(texts)
    with ScoreCache(tmp_path / "other.sqlite3") as other:
        with pytest.raises(KeyboardInterrupt):
            order(corpus, AskedModel(texts, patience=patience), other, permutations=25)
        assert order(corpus, resuming, other, permutations=25) == whole
    assert resuming.reads <= 3 * 26 - patience + BATCH  # one batch is lost at most


def test_another_seed_or_another_drawing_is_another_experiment(corpus, model, cache, monkeypatch):
    settings = Settings(corpus, {None: model}, FORMULA, permutations=5)
    run("ordering", settings, cache)
    assert outstanding("ordering", settings, cache) == 0
    assert outstanding("ordering", replace(settings, seed=1), cache) > 0

    def draw_otherwise(narrative, count, *, seed):
        """As after a new version of NumPy."""
        return permute_sentences(narrative, count, seed=seed + 7)

    monkeypatch.setattr(sentence_ordering, "permute_sentences", draw_otherwise)
    results = Results(cache)
    known = [task in results for task in plan_experiment("ordering", settings)[None]]
    assert known == [True, False] * len(corpus)
