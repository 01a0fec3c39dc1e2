from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.methods import describe_method
from barthes.models.counting import CountingModel
from barthes.narrative import Narrative
from barthes.salience.influence import Influence
from barthes.salience.method_info import MethodInfo
from barthes.salience.profile import Profile
from barthes.salience.removal_method import SentenceDeletion

STORY = Narrative.from_sentences(["A wolf came.", "It rained.", "The wolf ate."], title="wolf")
PROFILE = Profile(STORY, (0.5, -0.25, 0.5), method="sd", model="counting")
LENGTHS = Profile(STORY, (0.5, -0.25, 0.5), method="length")
COLUMNS = [
    "index",
    "start",
    "end",
    "text",
    "salience",
    "rank",
    "low",
    "high",
    "stability",
    "surprise",
]


def test_ranks_go_by_score_and_then_by_place():
    assert LENGTHS.ranks == (1, 3, 2)
    assert [scored.sentence.index for scored in LENGTHS.top(2)] == [0, 2]
    assert len(LENGTHS.top()) == 3


def test_the_last_sentence_is_not_ranked_by_methods_that_look_ahead():
    assert PROFILE.ranks == (1, 2, None)
    assert PROFILE.unranked == {2: "nothing follows the last sentence"}
    assert [scored.index for scored in PROFILE.top()] == [0, 1]
    last = PROFILE.units[2].to_dict()
    assert (last["salience"], last["rank"], last["reason"]) == (0.5, None, PROFILE.unranked[2])
    assert not Profile(Narrative.from_sentences(["A."]), (0.5,), "sd", model="m").unranked, "it has a note"
    scenes = replace(STORY, spans=((0, 12), (13, 37)), unit="scene")
    profile = replace(PROFILE, narrative=scenes, scores=(0.5, 0.25), unit="scene")
    assert profile.unranked == {1: "nothing follows the last scene"}


def test_units_without_a_score_have_no_rank():
    assert replace(LENGTHS, scores=(math.nan, 0.25, 0.5)).ranks == (None, 2, 1)


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=12))
def test_ranks_are_a_permutation_that_sorts(scores):
    story = Narrative.from_sentences(["x"] * len(scores))
    ranks = Profile(story, tuple(scores), method="m").ranks
    assert sorted(ranks) == list(range(1, len(scores) + 1))
    ordered = [score for _, score in sorted(zip(ranks, scores, strict=True))]
    assert ordered == sorted(scores, reverse=True)


def test_equality_sees_scores_and_influence():
    assert replace(PROFILE, scores=(0.5, -0.25, 0.4)) != PROFILE
    known = replace(PROFILE, influences=Influence((np.zeros(2), np.zeros(1), np.zeros(0))))
    assert known != PROFILE
    assert replace(known, influences=Influence((np.zeros(2), np.ones(1), np.zeros(0)))) != known
    assert PROFILE != "profile"


def test_a_frame_has_a_row_per_sentence():
    frame = PROFILE.to_frame()
    assert list(frame.columns) == COLUMNS
    assert frame["stability"].isna().all()
    assert (frame["surprise"].isna().all(), frame["surprise"].dtype) == (True, "float64")
    assert frame.loc[1, "text"] == "It rained."
    assert frame["rank"].dtype == "Int64"
    assert frame["rank"].fillna(0).tolist() == [1, 2, 0]


def test_json_has_the_documented_shape():
    plain = PROFILE.to_dict()
    assert plain["unit"] == "sentence"
    first = (0, 0, 12, "A wolf came.", 0.5, 1, *[None] * 4)
    assert list(plain["sentences"][0].items()) == list(zip(COLUMNS, first, strict=True))
    assert "influence" not in plain
    assert PROFILE.to_dict(influence=True)["influence"] is None


def test_units_have_the_uncertainty_of_the_profile():
    story = Narrative.from_sentences([*map(str, STORY), "It slept.", "It left."])
    profile = SentenceDeletion(CountingModel([story.text])).score(story)
    stability = profile.stability
    for k, scored in enumerate(profile):
        found = (scored.low, scored.high, scored.stability)
        assert found == (stability.low[k], stability.high[k], stability.share[k])
        assert (scored.trigger, scored.to_dict()["stability"]) == ("", stability.share[k])
    frame = profile.to_frame()
    assert frame["low"].tolist()[:2] == list(stability.low[:2])
    assert (frame["low"].dtype, frame["low"].isna().sum()) == ("float64", 3)
    matrix = profile.to_dict(influence=True)["influence"]
    assert matrix[2][1] == profile.influence[2, 1]
    assert matrix[1][2] is None


def test_units_may_be_passages(tmp_path):
    scenes = replace(STORY, spans=((0, 23), (24, 37)), unit="scene")
    profile = Profile(scenes, (0.25, 0.5), "m", unit="scene")
    assert [(unit.start, unit.end, unit.sentence.index) for unit in profile.units] == [
        (0, 23, 0),
        (24, 37, 1),
    ]
    assert len(profile.to_dict()["scenes"]) == 2
    profile.save(tmp_path / "scenes.json")
    assert Profile.load(tmp_path / "scenes.json") == profile


def test_pages_are_written_to_a_path(tmp_path):
    page = PROFILE.to_html(tmp_path / "a.html")
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == page == PROFILE.to_html()
    assert list(tmp_path.iterdir()) == [tmp_path / "a.html"]


def test_the_description_follows_the_method():
    assert PROFILE.info == describe_method("sd")
    changed = replace(PROFILE, method="length", model=None)
    assert changed.info == describe_method("length")
    assert replace(PROFILE, method="mine").info == MethodInfo("mine", needs_model=True)
    own = MethodInfo("mine", unit="beats")
    given_too = replace(PROFILE, method="mine", info=own)
    assert given_too.info is replace(given_too, scores=(1.0, 2.0, 3.0)).info is own


def test_a_score_for_every_sentence():
    with pytest.raises(ValueError, match="2 scores for 3 sentences"):
        Profile(STORY, (1.0, 2.0), method="m")
