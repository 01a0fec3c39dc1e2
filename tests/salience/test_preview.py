"""Previews: the estimate, its error, and exact scores for the best."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import barthes
from barthes.methods import parse_method
from barthes.models.counting import CountingModel
from barthes.narrative import Narrative
from barthes.salience.measurement import Measurement
from barthes.salience.preview import Preview
from barthes.salience.recurrence import add_up_gains, estimate_loss
from barthes.salience.removal_method import SentenceDeletion
from barthes.salience.stability import expect_correlation
from barthes.scorer import measurement_key
from tests.strategies import narratives
from tests.tiny_models import by_hand, tiny_model, tiny_network

MODEL, NETWORK = tiny_model(), tiny_network().eval()
STORY = Narrative.from_sentences(
    [
        "the wolf came .",
        "a girl ran .",
        "the king slept and died .",
        "the wolf came and ran .",
        "a girl slept !",
    ]
    * 3
)


@settings(max_examples=20)
@given(narratives(max_size=7), st.integers(1, 50))
def test_a_preview_adds_an_estimate_to_the_near_losses(story, horizon):
    pieces = MODEL.encode([str(sentence) for sentence in story])
    ids, edges = sum(pieces, []), np.cumsum([0, *map(len, pieces)])
    known = by_hand(NETWORK, [MODEL.start_token], ids)
    gains = add_up_gains(ids, edges, known, range(len(pieces)), horizon)
    for k, score in enumerate(Preview(MODEL, horizon=horizon).score(story).scores):
        before = [MODEL.start_token, *sum(pieces[:k], [])]
        after = sum(pieces[k + 1 :], []) or [MODEL.end_token]
        near = after[:horizon]
        lost = by_hand(NETWORK, [*before, *pieces[k]], near) - by_hand(NETWORK, before, near)
        far, _ = estimate_loss(gains[k], len(after) - horizon)
        assert score == pytest.approx((lost.sum() + far) / len(after), abs=1e-3)


@given(narratives(), st.integers(1, 9))
def test_a_uniform_model_finds_nothing_salient(narrative, horizon):
    found = Preview(CountingModel([], k=1.0), horizon=horizon).score(narrative)
    assert found.scores == (0.0,) * len(narrative)


def test_a_far_horizon_is_exact():
    found = Preview(MODEL, horizon=999).score(STORY)
    exact = SentenceDeletion(MODEL).score(STORY)
    assert found.scores == pytest.approx(exact.scores, abs=1e-6)
    assert found.notes == exact.notes


@pytest.mark.parametrize("window", [None, 40])
def test_the_best_are_scored_exactly(window):
    exact = SentenceDeletion(MODEL, window=window).score(STORY).scores
    plain = Preview(MODEL, window=window, horizon=3).score(STORY)
    found = Preview(MODEL, window=window, horizon=3, exact_top=4).score(STORY)
    best = {scored.index for scored in plain.top(4)}
    for k in range(len(STORY) - 1):
        expected = exact if k in best else plain.scores
        assert found.scores[k] == pytest.approx(expected[k], abs=1e-6)
    [listed] = [note for note in found.notes if note.startswith("Exact scores: sentences ")]
    numbers = {int(number) - 1 for number in re.findall(r"\d+", listed)}
    assert numbers == best
    everything = Preview(MODEL, window=window, horizon=3, exact_top=99).score(STORY)
    assert everything.scores[:-1] == pytest.approx(exact[:-1], abs=1e-6)
    assert not any("Expected" in note for note in everything.notes)


def test_progress_never_falls_and_ends_at_the_total():
    seen = []
    Preview(MODEL, horizon=3, exact_top=4).score(STORY, progress=lambda *step: seen.append(step))
    assert sorted(done for done, _ in seen) == [done for done, _ in seen]
    assert seen[-1][0] == seen[-1][1]


def test_intervals_and_the_expected_correlation_show_the_error_of_the_estimate():
    method = Preview(MODEL, horizon=3)
    measurement = method.measure(STORY)
    profile = method.present(STORY, measurement)
    expected = expect_correlation(measurement.losses)
    assert f"Expected rank correlation with exact scores: {expected:.2f}." in profile.notes
    assert 0 < expected < 1
    assert expect_correlation(SentenceDeletion(MODEL).measure(STORY).losses) == pytest.approx(1.0)
    width = profile[0].high - profile[0].low
    assert width > 2 * measurement.losses[0].far_error / sum(map(len, MODEL.encode([*map(str, STORY)])))
    assert method.score(STORY) == profile, "the same on every run"


def test_measurements_of_previews_survive_the_cache():
    method = Preview(MODEL, horizon=3)
    measurement = method.measure(STORY)
    assert any(loss.far for loss in measurement.losses)
    again = Measurement.from_dict(measurement.to_dict())
    assert [loss.far for loss in again.losses] == [loss.far for loss in measurement.losses]
    assert [loss.far_error for loss in again.losses] == [loss.far_error for loss in measurement.losses]
    assert method.present(STORY, again) == method.present(STORY, measurement)
    keys = [measurement_key(STORY, Preview(MODEL, exact_top=top)) for top in (0, 1)]
    assert keys[0] != keys[1]


def test_exact_scores_by_name():
    model = CountingModel([STORY.text])
    found = barthes.score(STORY, method="preview", model=model, exact_top=99)
    assert found.scores == pytest.approx(barthes.score(STORY, model=model).scores)
    assert parse_method("preview+length", model=lambda: model, exact_top=2).name == "preview+length"
    with pytest.raises(TypeError, match="exact_top"):
        barthes.score(STORY, method=Preview(model), exact_top=2)
    with pytest.raises(ValueError, match="cannot score -1"):
        Preview(model, exact_top=-1)


def test_windows_of_a_long_story_are_read_together():
    """The near tokens of all targets of a passage are read after the whole beginning of the passage."""
    method = Preview(MODEL, window=24, horizon=3)
    task = method.prepare(STORY)
    passages, windows = task.divide(), replace(task, horizon=None).divide()
    assert 1 < len(passages) < len(windows)
    assert all(passage.length <= 3 * 24 for passage in passages)
    assert [target.sentence for passage in passages for target in passage.targets] == [*range(len(STORY))]
    scores = method.score(STORY).scores
    for passage in passages:
        ids, gains = _read_by_hand(task.tokens, passage, horizon=3)
        for k in [target.sentence for target in passage.targets]:
            [own] = [window for window in windows if k in [each.sentence for each in window.targets]]
            before, after = (passage.edges[k - passage.first + i] - 1 for i in (0, 1))
            follows = sum(map(len, task.tokens[k + 1 : own.last]))
            near = ids[after : after + min(3, follows)] or [MODEL.end_token]
            context = [MODEL.start_token, *ids[:before]]
            lost = by_hand(NETWORK, [*context, *ids[before:after]], near) - by_hand(NETWORK, context, near)
            far, _ = estimate_loss(gains(k, after + follows), follows - 3)
            assert scores[k] == pytest.approx((lost.sum() + far) / max(1, follows), abs=1e-3)


def _read_by_hand(tokens, passage, *, horizon):
    """Return the tokens of a passage, and what adds up the gains of a sentence up to a token."""
    ids = sum(tokens[passage.first : passage.last], [])
    known = by_hand(NETWORK, [MODEL.start_token], ids)
    edges = [edge - 1 for edge in passage.edges]

    def add_up(k, stop):
        whole, later = (
            add_up_gains(ids, edges, known, [k - passage.first], start)[0]
            for start in (horizon, stop - edges[k - passage.first + 1])
        )
        return whole - later

    return ids, add_up
