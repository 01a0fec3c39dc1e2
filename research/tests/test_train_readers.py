"""The training script: folds, kinds left out, states that are read once, and the table of figures."""

from __future__ import annotations

import hashlib
import importlib
from pathlib import Path

import numpy as np
import pytest

from barthes.evaluation.corpus import LabelledNarrative
from barthes.models.counting import CountingModel
from barthes.narrative import Narrative
from tests.learned.training_stories import fit_small, make_stories

STORY = Narrative.from_sentences(["A wolf came.", "It rained.", "The wolf ate the king."])


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[1] / "scripts")
    return importlib.import_module("train_readers")


@pytest.fixture
def figures(script):
    return importlib.import_module("measure_readers")


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


@pytest.fixture
def graded(figures):
    """Stories of two corpora whose grades their scores repeat, or reverse."""
    grades = [(0.1, 0.9, 0.5), (0.7, 0.2, 0.0)] * 4
    return [
        figures.GradedStory(
            "TRIPOD" if k % 2 else "tales",
            LabelledNarrative(str(k), STORY, tuple(grade > 0.6 for grade in each), each),
            None,
        )
        for k, each in enumerate(grades)
    ]


def test_a_row_compares_with_the_best_and_the_transferred_baseline(figures, graded):
    right = {
        name: {s.labelled.name: list(s.labelled.grades) for s in graded if s.corpus == name}
        for name in ("tales", "TRIPOD")
    }
    wrong = {name: {key: [-x for x in each] for key, each in own.items()} for name, own in right.items()}
    cheap = {"placed:centroid+similarity": wrong, "other": wrong | {"TRIPOD": right["TRIPOD"]}}
    tales, films = figures.tabulate(graded, {"left out": right, "cross-validated": right}, cheap)
    assert (tales["measure"], films["measure"]) == ("Spearman", "MAP")
    assert tales["left out"]["value"] == pytest.approx(1)
    assert tales["left out"]["best"]["value"] == pytest.approx(-1)
    assert tales["left out"]["elsewhere"]["baseline"] == "other"
    assert films["left out"]["elsewhere"]["baseline"] == "placed:centroid+similarity"
    assert films["left out"]["best"]["baseline"] == "other"
    assert films["left out"]["gain over fast"] == pytest.approx(2)
    assert figures.estimate_agreement([tales, films]).tolist() == pytest.approx(np.array([[1, 2]] * 3))


def test_states_are_read_once(script, tmp_path, monkeypatch):
    model = CountingModel([STORY.text])
    assert script.StateStore(tmp_path, model, frozen=True).get(STORY) is None
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
