"""What the draws of scores come to: an interval, a share at the top, a verdict."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import barthes
from barthes.errors import ReadingError
from barthes.models.counting import CountingModel
from barthes.narrative import Narrative
from barthes.report.saved_results import load_result
from barthes.salience.profile import Profile, rank_scores
from barthes.salience.removal_method import SentenceDeletion
from barthes.salience.stability import SURE, Stability, count_top

STORY = Narrative.from_sentences(["A wolf came.", "It rained.", "The wolf ate.", "A girl ran.", "It died."])
draws = arrays.arrays(
    np.float64,
    st.tuples(st.integers(1, 8), st.integers(1, 25)),
    elements=st.integers(-5, 5).map(float),  # with ties
)


def share_slowly(draws):
    """The share of each sentence, draw by draw and place by place."""
    top = count_top(draws.shape[1])
    totals = [0.0] * draws.shape[1]
    for draw in draws.tolist():
        last = sorted(draw, reverse=True)[top - 1]
        left = top - sum(value > last for value in draw)
        for k, value in enumerate(draw):
            totals[k] += 1 if value > last else left / draw.count(last) if value == last else 0
    return [total / len(draws) for total in totals]


@given(draws)
def test_the_figures_of_draws(draws):
    stability = Stability.from_draws(draws)
    assert len(stability) == draws.shape[1]
    assert all(low <= high for low, high in zip(stability.low, stability.high, strict=True))
    assert all(0 <= share <= 1 for share in stability.share)
    if len(stability) == 1:
        assert stability.share == (0.0,), "it has no rivals"
    else:
        assert stability.share == pytest.approx(share_slowly(draws))
        assert sum(stability.share) == pytest.approx(count_top(draws.shape[1]))
    assert stability.low == pytest.approx(np.percentile(draws, 5, axis=0))
    assert stability.high == pytest.approx(np.percentile(draws, 95, axis=0))


def test_equal_scores_are_no_reason_to_be_sure():
    stability = Stability.from_draws(np.zeros((200, 12)))
    assert stability.share == pytest.approx([2 / 12] * 12)
    assert stability.judge(rank_scores([0.0] * 12)) == ("doubtful", "doubtful", *[None] * 10)


@given(draws, st.data())
def test_verdicts(draws, data):
    drawn = np.array(data.draw(st.lists(st.booleans(), min_size=draws.shape[1], max_size=draws.shape[1])))
    stability = Stability.from_draws(draws, drawn=drawn)
    ranks = rank_scores(draws.mean(axis=0).tolist())
    for k, verdict in enumerate(stability.judge(ranks)):
        if verdict == "sure":
            assert drawn[k]
            assert stability.share[k] >= SURE
        elif verdict == "doubtful":
            assert stability.share[k] < SURE
        at_top = len(ranks) > 1 and ranks[k] <= count_top(len(stability))
        assert (verdict is not None) == at_top


def test_draws_are_seen_by_nobody_who_compares():
    first = Stability.from_draws(np.array([[1.0, 2.0]]))
    assert first == first.without_draws() == Stability((1.0, 2.0), (1.0, 2.0), (0.0, 1.0))
    assert first.draws is not None
    assert first.without_draws().draws is None
    assert "draws" not in repr(first)
    assert barthes.Stability is Stability


def test_figures_of_one_length():
    with pytest.raises(ValueError, match="2, 2 and 1 figures"):
        Stability((0.0, 1.0), (0.0, 1.0), (1.0,))
    with pytest.raises(ValueError, match="stability of 1 scores for 5"):
        Profile(STORY, (0.0,) * 5, "m", stability=Stability((0.0,), (1.0,), (1.0,)))


def test_a_profile_says_it_of_every_sentence():
    profile = SentenceDeletion(CountingModel([STORY.text])).score(STORY)
    stability = profile.stability
    for k, scored in enumerate(profile.sentences):
        found = (scored.low, scored.high, scored.stability)
        assert found == (stability.low[k], stability.high[k], stability.share[k])
        assert list(scored.to_dict())[-4:] == ["rank", "low", "high", "stability"]
        assert scored.to_dict()["stability"] == stability.share[k]
    assert profile.to_frame()["low"].tolist() == list(stability.low)
    assert profile.without_draws() == profile
    assert profile.without_draws().stability.draws is None
    assert replace(profile, stability=None).without_draws().stability is None


@pytest.mark.parametrize("method", ["length", "length+position"])
def test_saved_and_loaded(tmp_path, method):
    profile = barthes.score(STORY, method=method)
    profile.save(tmp_path / "p.json")
    loaded = Profile.load(tmp_path / "p.json")
    assert loaded == profile
    assert (loaded.stability is None) == (method == "length")
    if loaded.stability is not None:
        assert loaded.stability.draws is None


def test_files_of_earlier_versions_can_be_read(tmp_path):
    path = tmp_path / "p.json"
    profile = barthes.score(STORY, method="length+position")
    profile.save(path)
    content = json.loads(path.read_text(encoding="utf-8"))
    for row in content["sentences"]:
        del row["low"], row["high"], row["stability"]
    path.write_text(json.dumps(content), encoding="utf-8")
    assert Profile.load(path) == replace(profile, stability=None)


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), "much", [1]])
def test_files_with_figures_that_are_none_are_refused(tmp_path, wrong):
    path = tmp_path / "p.json"
    barthes.score(STORY, method="length+position").save(path)
    content = json.loads(path.read_text(encoding="utf-8"))
    content["sentences"][1]["high"] = wrong
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ReadingError, match="not a saved profile"):
        Profile.load(path)


def test_the_json_of_the_command_line_keeps_it(tmp_path):
    profile = barthes.score(STORY, method="length+position")
    (tmp_path / "p.json").write_text(json.dumps(profile.to_dict()), encoding="utf-8")
    assert load_result(tmp_path / "p.json").stability == profile.stability
