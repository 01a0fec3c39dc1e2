"""Uncertainty of scores: sentence deletion resampled by later sentences, sums by their parts."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import barthes
from barthes.baselines import Length, Position, TfIdf
from barthes.models.counting import CountingModel
from barthes.narrative import Narrative
from barthes.salience.combination import Combination, PlacedSum, RankSum, rank_from_lowest, scale_to_unit
from barthes.salience.measurement import RemovalLoss
from barthes.salience.preview import Preview
from barthes.salience.profile import Profile, rank_scores
from barthes.salience.removal_method import SentenceDeletion
from barthes.salience.stability import (
    CERTAIN,
    DRAWS,
    Stability,
    count_top,
    draw_errors,
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
MODEL = CountingModel([STORY.text])
DELETION = SentenceDeletion(MODEL)
horizons = st.none() | st.integers(1, 30)
windows = st.none() | st.integers(16, 40)


def measure(narrative, *, window=None, horizon=None):
    """The losses of a story and its profile, by a counting model; or by `Preview` with a horizon."""
    model = CountingModel([narrative.text])
    if horizon is None:
        method = SentenceDeletion(model, window=window)
    else:
        method = Preview(model, window=window, horizon=horizon)
    measurement = method.measure(narrative)
    return measurement.losses, method.present(narrative, measurement)


@given(narratives(max_size=9), windows, horizons)
def test_equal_weights_give_the_score(narrative, window, horizon):
    losses, profile = measure(narrative, window=window, horizon=horizon)
    for weight in (1.0, 0.25) if horizon is None else (1.0,):
        draws = draw_losses(losses, np.full((len(narrative), 3), weight))
        assert draws.shape == (3, len(narrative))
        assert draws == pytest.approx(np.tile(profile.scores, (3, 1)), abs=1e-12)


def draw_slowly(loss, weights, error):
    """One draw of one score, token by token: those of a sentence share its weight, the unread have 1."""
    if not loss.tokens.any():
        return loss.total
    lost, weighed = loss.far + error, float(loss.rest)
    for j, (tokens, mean) in enumerate(zip(loss.tokens, loss.later, strict=True)):
        for _ in range(int(tokens)):
            lost += weights[loss.index + 1 + j] * mean
            weighed += weights[loss.index + 1 + j]
    return lost / weighed


@settings(max_examples=25)
@given(narratives(max_size=9), windows, horizons)
def test_draws_are_those_of_the_slow_sum(narrative, window, horizon):
    losses, profile = measure(narrative, window=window, horizon=horizon)
    weights = weigh_sentences(len(narrative))
    errors = draw_errors(losses)
    found = draw_losses(losses, weights, errors)
    assert found.shape == (DRAWS, len(narrative))
    assert profile.stability is None or (profile.stability.draws == found).all()
    for b in (0, 1, DRAWS - 1):
        slow = [draw_slowly(loss, weights[:, b].tolist(), errors[k, b]) for k, loss in enumerate(losses)]
        assert found[b] == pytest.approx(slow, abs=1e-9)


def test_a_real_network_too():
    model = tiny_model()
    for method in (SentenceDeletion(model), SentenceDeletion(model, window=40), Preview(model, horizon=9)):
        losses = method.measure(STORY).losses
        profile = method.score(STORY)
        draws = draw_losses(losses, np.ones((len(STORY), 2)))
        assert draws[1] == pytest.approx(np.array(profile.scores), abs=1e-6)
        assert profile.stability == measure_stability(losses)
    small = SentenceDeletion(tiny_model(pass_tokens=32)).score(STORY).stability
    large = SentenceDeletion(model).score(STORY).stability
    assert [*small.low, *small.high] == pytest.approx([*large.low, *large.high], abs=1e-5), "any batches"


def test_sentences_without_tokens_count_for_nothing():
    first = measure(STORY)[0][0]
    later, tokens = np.insert(first.later, 2, np.nan), np.insert(first.tokens, 2, 0.0)
    gap = RemovalLoss(first.index, first.total, later, tokens)
    weights = weigh_sentences(len(STORY) + 1)
    expected = draw_losses([first], np.delete(weights, 3, axis=0))
    assert draw_losses([gap], weights) == pytest.approx(expected, abs=1e-12)


def test_the_end_of_a_story_is_never_certain():
    profile = DELETION.score(STORY)
    stability = profile.stability
    for figures in (stability.low, stability.high, stability.share):
        assert [k for k, figure in enumerate(figures) if figure is None] == [5, 6, 7]
    assert stability.low[0] < profile.scores[0] < stability.high[0]
    for sentences in (["A wolf came ."], ["A wolf came .", "It rained .", "It ate ."]):
        assert DELETION.score(Narrative.from_sentences(sentences)).stability is None
    looking = [DELETION, Preview(MODEL)]
    for method in (Combination(*looking), PlacedSum(looking[0]), RankSum(*looking)):
        assert method.score(STORY).stability.share[-3:] == (None, None, None)
    share = Combination(*looking, Position()).score(STORY).stability.share
    assert share[-2] > 0
    assert share[-1] is None, "the last one is not ranked"


def test_a_score_that_depends_on_a_single_later_sentence_is_uncertain():
    flat, spike = np.full(10, 0.3), np.array([0.0, 0.0, 0.0, 0.0, 2.7, 0.0, 0.0, 0.0, 0.0])
    losses = [RemovalLoss(k, 0.0, np.zeros(10 - k), np.full(10 - k, 4.0)) for k in range(11)]
    losses[0] = RemovalLoss(0, 0.3, flat, losses[0].tokens)
    ranks = [*range(1, 11), None]
    assert measure_stability(losses).find_uncertain(ranks) == frozenset()
    losses[1] = RemovalLoss(1, spike.mean(), spike, losses[1].tokens)
    stability = measure_stability(losses)
    assert stability.find_uncertain([2, 1, *ranks[2:]]) == {1}
    assert 0.2 < stability.share[1] < CERTAIN
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


def test_the_same_in_every_process():
    script = (
        "import hashlib, barthes\n"
        f"story = barthes.Narrative.from_sentences({[*map(str, STORY)]!r})\n"
        "method = barthes.SentenceDeletion(barthes.CountingModel([story.text])) + barthes.Length()\n"
        "print(hashlib.sha256(method.score(story).stability.draws.tobytes()).hexdigest())"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    draws = (DELETION + Length()).score(STORY).stability.draws
    assert run.stdout.strip() == hashlib.sha256(draws.tobytes()).hexdigest()


def test_single_methods_that_look_at_the_sentence_alone_have_none():
    for method in (Length(), Position(), TfIdf(), Combination(Length())):
        assert method.score(STORY).stability is None


@pytest.mark.parametrize("kind", [Combination, RankSum])
def test_a_sum_is_drawn_by_its_parts(kind):
    parts = [DELETION, Length(), Position()]
    found = kind(*parts).score(STORY).stability.draws
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


def test_parts_that_agree_make_a_sum_certain_even_of_the_last_sentence():
    story = Narrative.from_sentences(["It rained.", "A wolf came by.", "The wolf ate the sheep and goat."])
    profile = (Length() + Position()).score(story)
    assert profile.stability.share == (0.0, 0.0, 1.0)
    against = (Length() + Position(descending=True)).score(story)
    assert max(against.stability.share) < CERTAIN


def test_one_method_with_draws_alone_is_scaled():
    draws = Combination(DELETION).score(STORY).stability.draws
    assert draws.min(axis=1) == pytest.approx(np.zeros(DRAWS))
    assert draws.max(axis=1) == pytest.approx(np.ones(DRAWS))


def test_a_part_without_draws_counts_with_its_scores():
    profile = DELETION.score(STORY)
    profile = replace(profile, stability=replace(profile.stability, draws=None, drawn=None))
    method = Length() + Position()
    found = method.combine([profile, Position().score(STORY)]).stability.draws
    weights = weigh_parts(["length", "position"])
    expected = weights[0, 3] * scale_to_unit(profile.scores) + weights[1, 3] * scale_to_unit(list(range(8)))
    assert found[3] == pytest.approx(expected)


def test_a_preview_of_long_sentences_can_be_drawn():
    tokens = np.array([40.0, 32.0])
    lost = np.array([0.2, 0.1])
    losses = [RemovalLoss(k, 0.1, lost[: 19 - k], tokens[: 19 - k], rest=500) for k in range(20)]
    assert measure_stability(losses).drawn.tolist() == [True] * 19 + [False]


def test_a_novel_in_windows_takes_no_square():
    count, reach = 5_000, 20
    values = np.random.default_rng(0).normal(size=count + reach)
    losses = [
        RemovalLoss(0, 0.0, values[k : k + reach][: count - 1 - k], np.full(min(reach, count - 1 - k), 12.0))
        for k in range(count)
    ]
    tracemalloc.start()
    stability = measure_stability(losses)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(stability) == count
    assert peak < 8 * 8 * DRAWS * count < 8 * count**2  # bytes: a few arrays of draws


draw_arrays = arrays.arrays(
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


@given(draw_arrays)
def test_the_figures_of_draws(draws):
    stability = Stability.from_draws(draws)
    assert len(stability) == draws.shape[1]
    assert all(0 <= share <= 1 for share in stability.share)
    if len(stability) == 1:
        assert stability.share == (0.0,), "it has no rivals"
    else:
        assert stability.share == pytest.approx(share_slowly(draws))
        assert sum(stability.share) == pytest.approx(count_top(draws.shape[1]))
    assert stability.low == pytest.approx(np.percentile(draws, 5, axis=0))
    assert stability.high == pytest.approx(np.percentile(draws, 95, axis=0))


@given(draw_arrays)
def test_unranked_sentences_take_no_place(draws):
    *ranked, last = Stability.from_draws(draws, unranked=[draws.shape[1] - 1]).share
    assert last is None
    if len(ranked) > 1:
        assert ranked == pytest.approx(Stability.from_draws(draws[:, :-1]).share)


@given(draw_arrays, st.data())
def test_uncertain_ranks(draws, data):
    size = draws.shape[1]
    drawn = np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)))
    stability = Stability.from_draws(draws, drawn=drawn)
    ranks = rank_scores(draws.mean(axis=0).tolist())
    found = stability.find_uncertain(ranks)
    for k in range(size):
        certain = drawn[k] and stability.share[k] >= CERTAIN
        assert (k in found) == (size >= 10 and ranks[k] <= count_top(size) and not certain)


def test_ranks_are_uncertain_below_four_fifths_and_in_the_top_tenth():
    stability = Stability((0.0,) * 20, (1.0,) * 20, (0.8, 0.79, 0.5, *[0.0] * 17))
    assert stability.find_uncertain([*range(1, 21)]) == {1}
    assert stability.find_uncertain([2, 3, 1, *range(4, 20), None]) == {2}
    short = Stability((0.0,) * 10, (1.0,) * 10, (0.1,) * 10)
    assert short.find_uncertain([*range(1, 11)]) == {0}
    assert short.find_uncertain([*range(1, 10), None]) == frozenset(), "nine have no top tenth"
    equal = Stability.from_draws(np.zeros((200, 12)))
    assert equal.share == pytest.approx([2 / 12] * 12)
    assert equal.find_uncertain(rank_scores([0.0] * 12)) == {0, 1}


def test_draws_do_not_count_when_compared():
    first = Stability.from_draws(np.array([[1.0, 2.0]]))
    assert first == Stability((1.0, 2.0), (1.0, 2.0), (0.0, 1.0))
    assert first.draws is not None
    assert "draws" not in repr(first)
    assert barthes.Stability is Stability


def test_figures_of_one_length():
    with pytest.raises(ValueError, match="2, 2 and 1 figures"):
        Stability((0.0, 1.0), (0.0, 1.0), (1.0,))
    with pytest.raises(ValueError, match="stability of 1 scores for 8"):
        Profile(STORY, (0.0,) * 8, "m", stability=Stability((0.0,), (1.0,), (1.0,)))
