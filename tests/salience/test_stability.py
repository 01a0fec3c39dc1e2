"""Uncertainty of scores: sentence deletion resampled by later sentences, sums by their parts."""

from __future__ import annotations

import json
import subprocess
import sys
import tracemalloc
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import barthes
from barthes.baselines import Length, Position, TfIdf
from barthes.errors import ReadingError
from barthes.models.counting import CountingModel
from barthes.narrative import Narrative
from barthes.report.saved_results import load_result
from barthes.salience.coherence_loss import RemovalLoss
from barthes.salience.combination import Combination, PlacedSum, RankSum, rank_from_lowest, scale_to_unit
from barthes.salience.profile import Profile, rank_scores
from barthes.salience.removal_method import Preview, SentenceDeletion
from barthes.salience.stability import (
    DRAWS,
    FEWEST,
    SURE,
    Stability,
    count_top,
    draw_losses,
    measure_stability,
    weigh_parts,
    weigh_sentences,
)
from tests.strategies import narratives
from tests.tiny_models import tiny_model

STORY = Narrative.from_sentences(
    [
        "A wolf came .",
        "it rained .",
        "a girl ran and the wolf ran .",
        "the wolf ate the girl .",
        "a king came .",
        "the king ate the wolf .",
        "it rained and rained .",
        "the girl and the king married .",
    ]
)


horizons = st.none() | st.integers(1, 30)


windows = st.none() | st.integers(16, 40)


def measure(narrative, *, window=None, horizon=None):
    """The losses of a story and its profile, by a counting model; or by `Preview` with a horizon."""
    model = CountingModel([narrative.text])
    if horizon is None:
        method = SentenceDeletion(model, window=window)
    else:
        method = Preview(model, window=window, horizon=horizon)
    losses = {}
    profile = method.score(narrative, each=lambda loss: losses.__setitem__(loss.index, loss))
    return [losses[k] for k in range(len(narrative))], profile


@cache
def sentence_deletion():
    return SentenceDeletion(CountingModel([STORY.text])).score(STORY)


@settings(deadline=None)
@given(narratives(max_size=9), windows, horizons)
def test_equal_weights_give_the_score(narrative, window, horizon):
    losses, profile = measure(narrative, window=window, horizon=horizon)
    for weight in (1.0, 0.25) if horizon is None else (1.0,):
        draws = draw_losses(losses, np.full((len(narrative), 3), weight))
        assert draws.shape == (3, len(narrative))
        assert draws == pytest.approx(np.tile(profile.scores, (3, 1)), abs=1e-12)


def draw_slowly(loss, weights):
    """One draw of one score, token by token: those of a sentence share its weight, the unread have 1."""
    if not loss.tokens.any():
        return loss.total
    lost, weighed = 0.0, float(loss.rest)
    for j, (tokens, mean) in enumerate(zip(loss.tokens, loss.later, strict=True)):
        for _ in range(int(tokens)):
            lost += weights[loss.index + 1 + j] * mean
            weighed += weights[loss.index + 1 + j]
    return lost / weighed


@settings(deadline=None, max_examples=25)
@given(narratives(max_size=9), windows, horizons)
def test_draws_are_those_of_the_slow_sum(narrative, window, horizon):
    losses, profile = measure(narrative, window=window, horizon=horizon)
    weights = weigh_sentences(len(narrative))
    found = profile.stability.draws
    assert found.shape == (DRAWS, len(narrative))
    for b in (0, 1, DRAWS - 1):
        slow = [draw_slowly(loss, weights[:, b].tolist()) for loss in losses]
        assert found[b] == pytest.approx(slow, abs=1e-9)


@settings(deadline=None)
@given(narratives(max_size=9), windows, horizons)
def test_tokens_add_up_to_what_follows(narrative, window, horizon):
    losses, _ = measure(narrative, window=window, horizon=horizon)
    lengths = [len(ids) for ids in CountingModel([narrative.text]).encode([str(s) for s in narrative])]
    for k, loss in enumerate(losses):
        assert len(loss.tokens) == len(loss.later)
        assert (loss.rest == 0) or horizon is not None
        whole = k + 1 + len(loss.tokens) - (horizon is not None)  # a horizon may end inside a sentence
        assert loss.tokens[: whole - k - 1].tolist() == lengths[k + 1 : whole]
        if window is None:
            assert loss.tokens.sum() + loss.rest == sum(lengths[k + 1 :])


def test_a_real_network_too():
    model = tiny_model()
    for method in (SentenceDeletion(model), SentenceDeletion(model, window=40), Preview(model, horizon=9)):
        losses = []
        profile = method.score(STORY, each=losses.append)
        draws = draw_losses(losses, np.ones((len(STORY), 2)))
        assert draws[1] == pytest.approx(np.array(profile.scores), abs=1e-6)
        assert profile.stability == measure_stability(losses)


def test_sentences_without_tokens_count_for_nothing():
    losses, _ = measure(STORY)
    first = losses[0]
    gap = RemovalLoss(
        first.index, first.total, np.insert(first.later, 2, np.nan), np.insert(first.tokens, 2, 0.0)
    )
    weights = weigh_sentences(len(STORY) + 1)
    assert draw_losses([gap], weights) == pytest.approx(
        draw_losses([first], np.delete(weights, 3, axis=0)), abs=1e-12
    )


def test_of_the_end_of_a_story_nobody_is_sure():
    profile = sentence_deletion()
    assert profile.stability.share[-FEWEST:] == (0.0,) * FEWEST
    assert profile.stability.low[-1] == profile.stability.high[-1] == pytest.approx(profile.scores[-1])
    assert profile.stability.low[0] < profile.scores[0] < profile.stability.high[0]
    alone = Narrative.from_sentences(["A wolf came ."])
    alone = SentenceDeletion(CountingModel([STORY.text])).score(alone)
    assert alone.stability.share == (0.0,)
    assert alone.stability.judge(alone.ranks) == (None,), "it has no rivals"


def test_a_sentence_on_which_everything_rests_is_sure_and_one_that_rests_on_a_single_one_is_not():
    story = Narrative.from_sentences(["It rained ."] * 10)
    losses, _ = measure(story)
    flat, spike = np.full(9, 0.3), np.array([0.0, 0.0, 0.0, 0.0, 2.5, 0.0, 0.0, 0.0])
    tokens = np.full(9, 4.0)
    kept = [RemovalLoss(loss.index, 0.0, loss.later * 0, loss.tokens) for loss in losses]
    kept[0] = RemovalLoss(losses[0].index, 0.3, flat, tokens)
    assert measure_stability(kept).judge(range(1, 11))[0] == "sure"
    kept[1] = RemovalLoss(losses[1].index, spike.mean(), spike, tokens[1:])
    stability = measure_stability(kept)
    assert stability.judge([2, 1, *range(3, 11)])[1] == "doubtful"
    assert 0.2 < stability.share[1] < SURE
    assert (stability.low[0], stability.high[0]) == pytest.approx((0.3, 0.3))


def test_weights():
    weights = weigh_sentences(3000)
    assert weights.shape == (3000, DRAWS)
    assert (weights > 0).all()
    assert weights.mean() == pytest.approx(1, abs=0.01)
    assert np.array_equal(weigh_sentences(7), weights[:7])
    parts = weigh_parts(["a", "b", "c"])
    assert parts.sum(axis=0) == pytest.approx(np.full(DRAWS, 3.0))
    assert weigh_parts(["c", "a", "b"]) == pytest.approx(parts[[2, 0, 1]])


SCRIPT = """
import hashlib, barthes
story = barthes.Narrative.from_sentences(["A wolf came.", "It rained.", "A girl ran.", "It ate.", "It died."])
method = barthes.SentenceDeletion(barthes.CountingModel([story.text])) + barthes.Length()
print(hashlib.sha256(method.score(story).stability.draws.tobytes()).hexdigest())
"""


def test_the_same_on_every_run():
    method = SentenceDeletion(CountingModel([STORY.text])) + Length()
    first, second = method.score(STORY), method.score(STORY)
    assert first == second
    assert np.array_equal(first.stability.draws, second.stability.draws)
    runs = [
        subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    assert runs[0] == runs[1] != ""


def test_batches_change_nothing():
    small = SentenceDeletion(tiny_model(pass_tokens=32)).score(STORY).stability
    large = SentenceDeletion(tiny_model(pass_tokens=4096)).score(STORY).stability
    assert small.low == pytest.approx(large.low, abs=1e-5)
    assert small.high == pytest.approx(large.high, abs=1e-5)


def test_single_methods_that_look_at_the_sentence_alone_have_none():
    for method in (Length(), Position(), TfIdf(), Combination(Length())):
        assert method.score(STORY).stability is None


@pytest.mark.parametrize("kind", [Combination, RankSum])
def test_a_sum_is_drawn_by_its_parts(kind):
    parts = [SentenceDeletion(CountingModel([STORY.text])), Length(), Position()]
    method = kind(*parts)
    found = method.score(STORY).stability.draws
    weights = weigh_parts([part.name for part in parts])
    alone = [part.score(STORY) for part in parts]

    def scale(values):
        return scale_to_unit(values) if kind is Combination else rank_from_lowest(values) / len(STORY)

    for b in (0, 7, DRAWS - 1):
        columns = [alone[0].stability.draws[b], alone[1].scores, alone[2].scores]
        expected = sum(weights[i, b] * scale(column) for i, column in enumerate(columns))
        assert found[b] == pytest.approx(expected)


@pytest.mark.parametrize("kind", [Combination, RankSum, PlacedSum])
def test_equal_weights_of_parts_give_the_sum(kind, monkeypatch):
    monkeypatch.setattr(
        "barthes.salience.combination.weigh_parts", lambda names: np.ones((len(names), DRAWS))
    )
    profile = kind(Length(), Position(), TfIdf()).score(STORY)
    assert profile.stability.draws == pytest.approx(np.tile(profile.scores, (DRAWS, 1)))
    assert profile.stability.low == pytest.approx(profile.stability.high)


def test_parts_that_agree_make_a_sum_sure_even_of_the_last_sentence():
    story = Narrative.from_sentences(["It rained.", "A wolf came.", "The wolf ate the sheep and the goat."])
    profile = (Length() + Position()).score(story)
    assert profile.stability.share == (0.0, 0.0, 1.0)
    assert profile.stability.judge(profile.ranks) == (None, None, "sure")
    against = (Length() + Position(descending=True)).score(
        Narrative.from_sentences(["It rained.", "A wolf came by.", "The wolf ate the sheep and the goat."])
    )
    assert "sure" not in against.stability.judge(against.ranks)


def test_a_sum_of_methods_that_look_ahead_is_not_sure_of_the_end():
    model = CountingModel([STORY.text])
    looking = [SentenceDeletion(model), Preview(model)]
    for method in (Combination(*looking), PlacedSum(looking[0]), RankSum(*looking)):
        assert method.score(STORY).stability.share[-3:] == (0.0, 0.0, 0.0)
    assert Combination(*looking, Position()).score(STORY).stability.share[-1] > 0


def test_verdicts_are_for_the_top_tenth_only():
    stability = Stability((0.0,) * 20, (1.0,) * 20, (0.9, 0.5, 0.85, *[0.0] * 17))
    assert stability.judge(range(1, 21))[:3] == ("sure", "doubtful", None)
    assert Stability((0.0,), (0.0,), (1.0,)).judge([1]) == (None,)


def test_a_preview_of_long_sentences_can_be_drawn():
    tokens = np.array([40.0, 32.0])
    lost = np.array([0.2, 0.1])
    losses = [RemovalLoss(k, 0.1, lost[: 19 - k], tokens[: 19 - k], rest=500) for k in range(20)]
    assert measure_stability(losses).drawn.tolist() == [True] * 18 + [False] * 2


def test_one_method_with_draws_alone_is_scaled():
    profile = Combination(SentenceDeletion(CountingModel([STORY.text]))).score(STORY)
    draws = profile.stability.draws
    assert draws.min(axis=1) == pytest.approx(np.zeros(DRAWS))
    assert draws.max(axis=1) == pytest.approx(np.ones(DRAWS))


def test_a_part_that_was_loaded_counts_with_its_scores():
    profile = sentence_deletion().without_draws()

    class Loaded(Length):
        def score(self, narrative, **options):
            return profile

    found = (Loaded() + Position()).score(STORY).stability.draws
    weights = weigh_parts(["length", "position"])
    expected = weights[0, 3] * scale_to_unit(profile.scores) + weights[1, 3] * scale_to_unit(list(range(8)))
    assert found[3] == pytest.approx(expected)


def test_a_novel_in_windows_takes_no_square():
    count, reach = 20_000, 20
    values = np.random.default_rng(0).normal(size=count + reach)
    tokens = np.full(reach, 12.0)
    losses = [
        RemovalLoss(0, 0.0, values[k : k + reach][: count - 1 - k], tokens[: count - 1 - k])
        for k in range(count)
    ]
    tracemalloc.start()
    stability = measure_stability(losses)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(stability) == count
    assert peak < 8 * 8 * DRAWS * count  # bytes: a few arrays of draws, where a square takes 3.2 GB


SHORT_STORY = Narrative.from_sentences(
    ["A wolf came.", "It rained.", "The wolf ate.", "A girl ran.", "It died."]
)


draw_arrays = arrays.arrays(
    np.float64,
    st.tuples(st.integers(1, 8), st.integers(1, 25)),
    elements=st.integers(-5, 5).map(float),  # with ties
)


def share_slowly(draw_arrays):
    """The share of each sentence, draw by draw and place by place."""
    top = count_top(draw_arrays.shape[1])
    totals = [0.0] * draw_arrays.shape[1]
    for draw in draw_arrays.tolist():
        last = sorted(draw, reverse=True)[top - 1]
        left = top - sum(value > last for value in draw)
        for k, value in enumerate(draw):
            totals[k] += 1 if value > last else left / draw.count(last) if value == last else 0
    return [total / len(draw_arrays) for total in totals]


@given(draw_arrays)
def test_the_figures_of_draws(draw_arrays):
    stability = Stability.from_draws(draw_arrays)
    assert len(stability) == draw_arrays.shape[1]
    assert all(low <= high for low, high in zip(stability.low, stability.high, strict=True))
    assert all(0 <= share <= 1 for share in stability.share)
    if len(stability) == 1:
        assert stability.share == (0.0,), "it has no rivals"
    else:
        assert stability.share == pytest.approx(share_slowly(draw_arrays))
        assert sum(stability.share) == pytest.approx(count_top(draw_arrays.shape[1]))
    assert stability.low == pytest.approx(np.percentile(draw_arrays, 5, axis=0))
    assert stability.high == pytest.approx(np.percentile(draw_arrays, 95, axis=0))


def test_equal_scores_are_no_reason_to_be_sure():
    stability = Stability.from_draws(np.zeros((200, 12)))
    assert stability.share == pytest.approx([2 / 12] * 12)
    assert stability.judge(rank_scores([0.0] * 12)) == ("doubtful", "doubtful", *[None] * 10)


@given(draw_arrays, st.data())
def test_verdicts(draw_arrays, data):
    drawn = np.array(
        data.draw(st.lists(st.booleans(), min_size=draw_arrays.shape[1], max_size=draw_arrays.shape[1]))
    )
    stability = Stability.from_draws(draw_arrays, drawn=drawn)
    ranks = rank_scores(draw_arrays.mean(axis=0).tolist())
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
        Profile(SHORT_STORY, (0.0,) * 5, "m", stability=Stability((0.0,), (1.0,), (1.0,)))


def test_a_profile_says_it_of_every_sentence():
    profile = SentenceDeletion(CountingModel([SHORT_STORY.text])).score(SHORT_STORY)
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
    profile = barthes.score(SHORT_STORY, method=method)
    profile.save(tmp_path / "p.json")
    loaded = Profile.load(tmp_path / "p.json")
    assert loaded == profile
    assert (loaded.stability is None) == (method == "length")
    if loaded.stability is not None:
        assert loaded.stability.draws is None


def test_files_of_earlier_versions_can_be_read(tmp_path):
    path = tmp_path / "p.json"
    profile = barthes.score(SHORT_STORY, method="length+position")
    profile.save(path)
    content = json.loads(path.read_text(encoding="utf-8"))
    for row in content["sentences"]:
        del row["low"], row["high"], row["stability"]
    path.write_text(json.dumps(content), encoding="utf-8")
    assert Profile.load(path) == replace(profile, stability=None)


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), "much", [1]])
def test_files_with_figures_that_are_none_are_refused(tmp_path, wrong):
    path = tmp_path / "p.json"
    barthes.score(SHORT_STORY, method="length+position").save(path)
    content = json.loads(path.read_text(encoding="utf-8"))
    content["sentences"][1]["high"] = wrong
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ReadingError, match="not a saved profile"):
        Profile.load(path)


def test_the_json_of_the_command_line_keeps_it(tmp_path):
    profile = barthes.score(SHORT_STORY, method="length+position")
    (tmp_path / "p.json").write_text(json.dumps(profile.to_dict()), encoding="utf-8")
    assert load_result(tmp_path / "p.json").stability == profile.stability
