"""Deletions in short stories."""

import json

import pytest

from barthes.corpora.rocstories import RocStories
from barthes.evaluation.store import ScoreStore
from barthes.models.counting import CountingModel
from barthes.reproduction.deletion_detection import (
    BATCH,
    DeletionDetection,
    plan_deletion,
)
from barthes.reproduction.modes import MODES
from barthes.reproduction.work import Ledger
from tests.reproduction.running import detect_deletions
from tests.reproduction.tales import AskedModel, write_stories

FORMULA = MODES["published-formula"]
FIVE = "The wolf came. The girl ran. The wolf slept. Then it rained. The girl laughed."
FOUR = "The wolf came. The girl ran. The wolf slept. Then it rained."


@pytest.fixture
def stories(tmp_path):
    texts = [FIVE.replace("girl", name) for name in ("girl", "king", "queen")]
    return RocStories(write_stories(tmp_path / "stories.jsonl", [*texts, FOUR] * 8))


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_every_sentence_is_judged_as_alone(stories, ledger, mode):
    model = AskedModel(list(stories.texts)[:2])
    found = detect_deletions(model, stories, mode, ledger)
    assert found.scores == tuple(tuple(mode.delete(model, narrative)) for narrative in stories)
    expected = [score > 0 for story in found.scores for score in story]
    plain = found.to_dict()
    assert plain["stories"] == 32
    assert plain["deletions"] == len(expected) == 8 * (5 * 3 + 4)
    assert plain["correct"] == sum(expected)
    assert plain["accuracy"] == sum(expected) / len(expected)
    assert "8 of 32 stories" in found.notes[0]


def test_positions_and_ties():
    found = DeletionDetection(((0.1, 0.0, -0.2), (0.3, 0.1)))
    plain = found.to_dict()
    assert plain["correct"] == 3  # a loss of nothing is not detected
    assert plain["by_position"] == [
        {"position": 1, "accuracy": 1.0, "count": 2},
        {"position": 2, "accuracy": 0.5, "count": 2},
        {"position": 3, "accuracy": 0.0, "count": 1},
    ]


def test_the_interval_is_over_stories_and_not_over_deletions():
    """Of ten stories one half is always right, the other always wrong: ten witnesses, not fifty."""
    found = DeletionDetection(((0.1,) * 5,) * 5 + ((-0.1,) * 5,) * 5)
    low, high = found.to_dict()["interval"]
    assert (low, high) == (0.2, 0.8)  # as of ten throws of a coin; of fifty it would be 0.36 to 0.64


def test_nothing_is_split_when_all_is_known(stories, store):
    model = AskedModel(list(stories.texts)[:2])
    first = detect_deletions(model, stories, FORMULA, Ledger(store))

    class Unsplit(RocStories):
        @property
        def narratives(self):
            raise AssertionError("split")

    again = object.__new__(Unsplit)
    again.__dict__ = dict(vars(stories))
    again.__dict__.pop("narratives", None)
    assert detect_deletions(model, again, FORMULA, Ledger(ScoreStore(store.folder))) == first


def test_an_interrupted_run_that_goes_on_equals_one_that_was_not(stories, tmp_path):
    texts = list(stories.texts)[:2]
    whole = detect_deletions(AskedModel(texts), stories, FORMULA, Ledger(ScoreStore(tmp_path / "a")))
    impatient = AskedModel(texts, patience=BATCH + 3)
    with pytest.raises(KeyboardInterrupt):
        detect_deletions(impatient, stories, FORMULA, Ledger(ScoreStore(tmp_path / "b")))
    model = AskedModel(texts)
    assert detect_deletions(model, stories, FORMULA, Ledger(ScoreStore(tmp_path / "b"))) == whole
    assert model.reads == len(stories) - BATCH


def test_more_stories_go_on_from_fewer(stories, store, tmp_path):
    model = AskedModel(list(stories.texts)[:2])
    fewer = RocStories(tmp_path / "stories.jsonl", limit=BATCH)
    detect_deletions(model, fewer, FORMULA, Ledger(store))
    works = plan_deletion(model, stories, FORMULA)
    assert Ledger(store).outstanding(works) == works[1].tokens


def test_sentences_as_given_are_not_taken_for_those_that_are_found(tmp_path):
    """The makers' table gives sentences; the same text in JSON Lines is split by us, perhaps elsewhere."""
    sentences = ["A wolf came.", "It ate.", "It slept.", "It rained.", "The wolf left."]
    table, lines = tmp_path / "roc.csv", tmp_path / "roc.jsonl"
    columns = "storyid,storytitle,sentence1,sentence2,sentence3,sentence4,sentence5"
    table.write_text(f"{columns}\n1,Wolf,{','.join(sentences)}\n")
    lines.write_text(json.dumps({"story": " ".join(sentences)}) + "\n")
    given, found = RocStories(table), RocStories(lines)
    assert given.texts == found.texts
    model = CountingModel([FIVE])
    [[one], [other]] = [plan_deletion(model, stories, FORMULA) for stories in (given, found)]
    assert one.identities[0].text != other.identities[0].text
