"""The training script: folds, grades from summaries, and states that are read once."""

from __future__ import annotations

import hashlib
import importlib
from pathlib import Path

import numpy as np
import pytest

from barthes.models.counting import CountingModel
from barthes.narrative import Narrative
from tests.learned.training_stories import fit_small, make_stories

STORY = Narrative.from_sentences(["A wolf came.", "It rained.", "The wolf ate the king."])


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[1] / "scripts")
    return importlib.import_module("train_readers")


def fit(stories):
    return fit_small(stories=stories)


def test_every_story_is_unseen_once_and_groups_stay_together(script):
    stories = make_stories()
    folds = [unseen for _, unseen in script.cross_validate(stories, lambda seen: len(seen))]
    assert np.sum(folds, axis=0).tolist() == [1] * len(stories)
    for unseen in folds:
        inside = {story.group for story, chosen in zip(stories, unseen, strict=True) if chosen}
        outside = {story.group for story, chosen in zip(stories, unseen, strict=True) if not chosen}
        assert not inside & outside


def test_weights_for_a_kind_left_out_do_not_know_it(script):
    for weights, unseen in script.leave_out(make_stories(), fit):
        left = {story.kind for story, chosen in zip(make_stories(), unseen, strict=True) if chosen}
        assert len(left) == 1
        assert not left & set(weights.kinds)


def test_the_baseline_sees_position_and_length_only(script):
    hidden = script.hide_content(make_stories()[0])
    assert not hidden.features.states.any()
    assert not hidden.features.cues[:, 1:].any()
    assert hidden.features.cues[:, 0].any()
    assert hidden.features.places.any()


def test_sentences_that_summaries_tell_get_higher_grades(script):
    story = ["A wolf came to the village.", "It rained all day.", "The sun rose.", "The wolf ate the king."]
    grades = script.grade_by_summaries(
        story, [["A wolf came to a village.", "The king was eaten by the wolf."]]
    )
    assert min(grades[0], grades[3]) > max(grades[1], grades[2])


def test_states_are_read_once(script, tmp_path, monkeypatch):
    model = CountingModel([STORY.text])
    first = script.StateStore(tmp_path, model).get(STORY)
    monkeypatch.setattr(CountingModel, "states", None)  # nothing is read
    again = script.StateStore(tmp_path, model).get(STORY)
    np.testing.assert_allclose(again.states, first.states)
    np.testing.assert_allclose(again.story, first.story)
    assert not list(tmp_path.glob("*.part*"))


def test_states_of_another_model_are_refused(script, tmp_path):
    script.StateStore(tmp_path, CountingModel([STORY.text]))
    with pytest.raises(SystemExit, match="states of another model"):
        script.StateStore(tmp_path, CountingModel(["Another text."]))


def test_the_hash_of_a_folder_depends_on_names_and_contents(script, tmp_path):
    (tmp_path / "a.txt").write_text("one")
    first = script.hash_path(tmp_path)
    (tmp_path / "a.txt").rename(tmp_path / "b.txt")
    assert script.hash_path(tmp_path) != first
    assert script.hash_path(tmp_path / "b.txt") == hashlib.sha256(b"one").hexdigest()
