"""Tension and turning points: where they are, and how rarely chance makes one."""

from __future__ import annotations

import numpy as np
import pytest

import barthes
from barthes.models.counting import CountingModel
from barthes.salience.removal_method import SentenceDeletion
from barthes.salience.tension import FEWEST, Tension, smooth
from tests.report.profiles import EVENTS, turning, wolf


def test_tension_is_the_smoothed_mean_of_two_ranks():
    tension = Tension.measure([5.0, None, 3.0, 4.0], [1.0, 9.0, 2.0, 7.0])
    assert tension.raw.tolist() == pytest.approx([(3 + 1 - 1) / 6, (1 + 2 - 1) / 6, (2 + 3 - 1) / 6])
    known = [value for value in tension.values if value is not None]
    assert (tension.values[1], known) == (None, pytest.approx(smooth(tension.raw).tolist()))


def test_only_the_order_of_values_counts():
    draw = np.random.default_rng(0)
    surprise, scores = draw.normal(size=(2, 50))
    tension = Tension.measure(surprise.tolist(), scores.tolist())
    assert Tension.measure((7 * surprise + 3).tolist(), np.exp(scores).tolist()) == tension


@pytest.mark.parametrize("at", [12, 35, 50])
def test_a_joint_rise_of_surprise_and_salience_is_a_turning_point(at):
    assert turning(at=at).tension.turning_points == (at,)
    assert turning(at=at).to_dict()["turning_points"] == [at]


@pytest.mark.parametrize("trend", [False, True])
def test_chance_rarely_makes_a_turning_point(trend):
    """Even if surprise is high at the beginning and salience per token at the end, as in real stories."""
    draw = np.random.default_rng(1)
    places = np.arange(80)
    found = 0
    for surprise, scores in draw.gamma(1.0, size=(60, 2, 80)):
        if trend:
            surprise, scores = surprise + 3 * np.exp(-places / 4), (scores - 0.4) / (80 - places)
        found += bool(Tension.measure(surprise.tolist(), scores.tolist()).turning_points)
    assert found <= 8, "3 of 60 are expected; more than 8 have a probability below 1 %"


def test_a_flat_curve_has_no_peaks():
    flat = Tension.measure([4.0] * 50, [0.1] * 50)
    assert (set(np.round(flat.values, 9)), flat.turning_points) == ({0.5}, ())


@pytest.mark.parametrize("count", [1, 2, 3, FEWEST])
def test_short_stories_have_tension_but_no_turning_points(count):
    sentences = [f"A wolf came {k} times." for k in range(count)]
    profile = SentenceDeletion(CountingModel(sentences)).score(barthes.Narrative.from_sentences(sentences))
    values = [scored.tension for scored in profile.units]
    assert values[-1] is None or count == 1
    assert None not in values[:-1]
    assert profile.tension.turning_points == ()


def test_events_and_methods_without_surprise_have_none():
    for profile in (EVENTS, wolf(), barthes.score(["A wolf came.", "It rained."], method="length")):
        assert (profile.tension, profile.to_dict()["turning_points"]) == (None, None)


def test_longer_units_have_curves_too():
    text = "\n\n".join(f"A wolf came {k} times. It rained." for k in range(30))
    profile = barthes.score(text, unit="paragraph", model=CountingModel([text]))
    assert (len(profile.surprise), profile.unit) == (30, "paragraph")
    assert profile.units[0].to_dict()["tension"] == profile.tension.values[0]
