"""Tales against permutations of their sentences, and deletions in short stories."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.models.counting import CountingModel
from barthes.narrative import Narrative
from barthes_research.corpora import ProppLearner
from barthes_research.corpora.rocstories import RocStories
from barthes_research.perplexity import measure_likelihood
from barthes_research.reproduction.experiment import ReproductionSettings
from barthes_research.reproduction.modes import MODES
from barthes_research.reproduction.reproduce import plan_experiment
from barthes_research.reproduction.sanity_checks import (
    compare_orders,
    count_positive,
    permute_sentences,
)
from research.tests.reproduction.running import run
from research.tests.reproduction.tales import AskedModel, write_stories, write_tale

FORMULA = MODES["published-formula"]


def order(corpus, model, cache, *, mode=FORMULA, **options):
    return run("ordering", ReproductionSettings(corpus, {None: model}, mode, **options), cache).figures


@given(st.lists(st.sampled_from(["a .", "b .", "c .", "d ."]), min_size=1, max_size=6), st.integers(0, 3))
def test_permutations_are_orders_and_never_the_tale_itself(sentences, seed):
    narrative = Narrative.from_sentences(sentences)
    orders = permute_sentences(narrative, 12, seed=seed)
    assert len(orders) == (12 if len(set(sentences)) > 1 else 0)
    for each in orders:
        assert sorted(each) == list(range(len(sentences)))
        assert [sentences[k] for k in each] != sentences
    assert permute_sentences(narrative, 5, seed=seed) == orders[:5]


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


FIVE = "The wolf came. The girl ran. The wolf slept. Then it rained. The girl laughed."
FOUR = "The wolf came. The girl ran. The wolf slept. Then it rained."


@pytest.fixture
def settings(corpus, tmp_path):
    texts = [FIVE.replace("girl", name) for name in ("girl", "king", "queen")]
    stories = RocStories(write_stories(tmp_path / "stories.jsonl", [*texts, FOUR] * 8))
    return ReproductionSettings(corpus, {None: AskedModel(texts[:2])}, FORMULA, stories)


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_every_sentence_is_judged_as_alone(settings, cache, mode):
    found = run("deletion", replace(settings, mode=mode), cache)
    figures, scores = found.figures, found.figures["scores"]
    assert scores == [mode.delete(settings.models[None], narrative) for narrative in settings.stories]
    expected = [score > 0 for story in scores for score in story]
    assert figures["stories"] == 32
    assert figures["deletions"] == len(expected) == 8 * (5 * 3 + 4)
    assert figures["correct"] == sum(expected)
    assert figures["accuracy"] == sum(expected) / len(expected)
    assert "8 of 32 stories" in found.notes[0]


def test_positions_and_ties():
    figures = count_positive([[0.1, 0.0, -0.2], [0.3, 0.1]]).figures
    assert figures["correct"] == 3  # a loss of nothing is not detected
    assert figures["by_position"] == [
        {"position": 1, "accuracy": 1.0, "count": 2},
        {"position": 2, "accuracy": 0.5, "count": 2},
        {"position": 3, "accuracy": 0.0, "count": 1},
    ]
    assert count_positive([]).figures["accuracy"] is None


def test_the_interval_is_over_stories_and_not_over_deletions():
    """Of ten stories one half is always right, the other always wrong: ten witnesses, not fifty."""
    found = count_positive([[0.1] * 5] * 5 + [[-0.1] * 5] * 5)
    assert found.figures["interval"] == [
        0.2,
        0.8,
    ]  # of fifty: 0.36 to 0.64
    assert found.notes == ()


def test_sentences_as_given_are_not_taken_for_those_that_are_found(settings, tmp_path):
    """The makers' table gives sentences; the same text in JSON Lines is split by us, perhaps elsewhere."""
    sentences = ["A wolf came.", "It ate.", "It slept.", "It rained.", "The wolf left."]
    table, lines = tmp_path / "roc.csv", tmp_path / "roc.jsonl"
    columns = "storyid,storytitle,sentence1,sentence2,sentence3,sentence4,sentence5"
    table.write_text(f"{columns}\n1,Wolf,{','.join(sentences)}\n")
    lines.write_text(json.dumps({"story": " ".join(sentences)}) + "\n")
    given, found = RocStories(table), RocStories(lines)
    assert given.texts == found.texts
    both = [replace(settings, models={None: CountingModel([FIVE])}, stories=each) for each in (given, found)]
    one, other = (plan_experiment("deletion", each)[None][0] for each in both)
    assert one.key["text"] != other.key["text"]
