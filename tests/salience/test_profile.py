from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.errors import OutputError, ReadingError
from barthes.models.counting import CountingModel
from barthes.narrative import Narrative
from barthes.salience.influence import Influence
from barthes.salience.profile import Profile
from barthes.salience.removal_method import SentenceDeletion
from tests.strategies import narratives

STORY = Narrative.from_sentences(["A wolf came.", "It rained.", "The wolf ate."], title="wolf")
PROFILE = Profile(STORY, (0.5, -0.25, 0.5), method="sd", model="counting")


def test_ranks_go_by_score_and_then_by_place():
    assert PROFILE.ranks == (1, 3, 2)
    assert [scored.sentence.index for scored in PROFILE.top(2)] == [0, 2]
    assert len(PROFILE.top()) == 3


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=12))
def test_ranks_are_a_permutation_that_sorts(scores):
    story = Narrative.from_sentences(["x"] * len(scores))
    ranks = Profile(story, tuple(scores), method="m").ranks
    assert sorted(ranks) == list(range(1, len(scores) + 1))
    ordered = [score for _, score in sorted(zip(ranks, scores, strict=True))]
    assert ordered == sorted(scores, reverse=True)


@given(narratives())
def test_saved_and_loaded_profiles_are_equal(tmp_path_factory, narrative):
    path = tmp_path_factory.mktemp("profile") / "profile.json"
    profile = SentenceDeletion(CountingModel([narrative.text])).score(narrative)
    profile.save(path)
    assert Profile.load(path) == profile


def test_equality_sees_scores_and_influence():
    other = Profile(STORY, (0.5, -0.25, 0.4), method="sd", model="counting")
    assert other != PROFILE
    known = Influence((np.zeros(2), np.zeros(1), np.zeros(0)))
    with_influence = Profile(STORY, PROFILE.scores, method="sd", model="counting", influences=known)
    assert with_influence != PROFILE
    other = Influence((np.zeros(2), np.ones(1), np.zeros(0)))
    assert Profile(STORY, PROFILE.scores, method="sd", model="counting", influences=other) != with_influence
    assert PROFILE != "profile"


def test_a_frame_has_a_row_a_sentence():
    frame = PROFILE.to_frame()
    assert list(frame.columns) == [
        "index",
        "start",
        "end",
        "text",
        "salience",
        "rank",
        "low",
        "high",
        "stability",
    ]
    assert frame["stability"].isna().all()
    assert frame.loc[1, "text"] == "It rained."
    assert frame["rank"].tolist() == [1, 3, 2]


def test_json_has_the_documented_shape():
    plain = PROFILE.to_dict()
    assert plain["unit"] == "sentence"
    assert plain["sentences"][0] == {
        "index": 0,
        "start": 0,
        "end": 12,
        "text": "A wolf came.",
        "salience": 0.5,
        "rank": 1,
        "low": None,
        "high": None,
        "stability": None,
    }
    assert "influence" not in plain
    assert PROFILE.to_dict(influence=True)["influence"] is None


def test_files_that_are_not_profiles_are_refused(tmp_path):
    path = tmp_path / "other.json"
    path.write_text('{"a": 1}')
    with pytest.raises(ReadingError, match="not a saved profile"):
        Profile.load(path)
    with pytest.raises(ReadingError, match="No such file"):
        Profile.load(tmp_path / "nowhere.json")


@pytest.mark.parametrize("several", [False, True])
def test_the_output_of_the_command_line_is_recognised(tmp_path, several):
    path = tmp_path / "tale.json"
    plain = PROFILE.to_dict()
    path.write_text(json.dumps([plain, plain] if several else plain), encoding="utf-8")
    with pytest.raises(ReadingError, match=r"output of `barthes score --format json`.*load_result\(Path\("):
        Profile.load(path)


@pytest.mark.parametrize("text", ["[]", "3", "{", '"text"'])
def test_any_other_json_is_refused(tmp_path, text):
    path = tmp_path / "other.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ReadingError, match="not a saved profile of this kind"):
        Profile.load(path)


def test_saving_where_nothing_can_be_saved(tmp_path):
    with pytest.raises(OutputError, match="cannot be written"):
        PROFILE.save(tmp_path / "nowhere" / "p.json")


def test_a_score_for_every_sentence():
    with pytest.raises(ValueError, match="2 scores for 3 sentences"):
        Profile(STORY, (1.0, 2.0), method="m")
