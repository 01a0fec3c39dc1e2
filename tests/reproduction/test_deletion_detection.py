"""Deletions in short stories."""

import json
from dataclasses import replace

import pytest

from barthes.cache import ScoreCache
from barthes.corpora.rocstories import RocStories
from barthes.models.counting import CountingModel
from barthes.reproduction.deletion_detection import BATCH, count_positive
from barthes.reproduction.experiment import Settings
from barthes.reproduction.modes import MODES
from barthes.reproduction.reproduce import plan_experiment
from tests.reproduction.running import outstanding, run
from tests.reproduction.tales import AskedModel, write_stories

FORMULA = MODES["published-formula"]
FIVE = "The wolf came. The girl ran. The wolf slept. Then it rained. The girl laughed."
FOUR = "The wolf came. The girl ran. The wolf slept. Then it rained."


@pytest.fixture
def settings(corpus, tmp_path):
    texts = [FIVE.replace("girl", name) for name in ("girl", "king", "queen")]
    stories = RocStories(write_stories(tmp_path / "stories.jsonl", [*texts, FOUR] * 8))
    return Settings(corpus, {None: AskedModel(texts[:2])}, FORMULA, stories)


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


def test_nothing_is_split_when_all_is_known(settings, cache):
    first = run("deletion", settings, cache)

    class Unsplit(RocStories):
        def split(self, start, stop):
            raise AssertionError("split")

    again = object.__new__(Unsplit)
    again.__dict__ = dict(vars(settings.stories))
    assert run("deletion", replace(settings, stories=again), cache) == first


def test_an_interrupted_run_that_goes_on_equals_one_that_was_not(settings, cache, tmp_path):
    whole = run("deletion", settings, cache)
    texts = list(settings.stories.texts)[:2]
    impatient, patient = AskedModel(texts, patience=BATCH + 3), AskedModel(texts)
    with ScoreCache(tmp_path / "other.sqlite3") as other:
        with pytest.raises(KeyboardInterrupt):
            run("deletion", replace(settings, models={None: impatient}), other)
        assert run("deletion", replace(settings, models={None: patient}), other) == whole
    assert patient.reads == len(settings.stories) - BATCH


def test_more_stories_go_on_from_fewer(settings, cache, tmp_path):
    run("deletion", replace(settings, stories=RocStories(tmp_path / "stories.jsonl", limit=BATCH)), cache)
    [tasks] = plan_experiment("deletion", settings).values()
    assert outstanding("deletion", settings, cache) == tasks[1].tokens


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
