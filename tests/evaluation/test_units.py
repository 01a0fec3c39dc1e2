from __future__ import annotations

import pytest

from barthes.baselines import Length, Position
from barthes.errors import BarthesError, UnknownNameError
from barthes.evaluation.corpus import choose_unit, to_units
from barthes.evaluation.evaluate import evaluate
from barthes.evaluation.metrics import area_under_curve
from barthes.salience.combination import Combination, RankSum
from barthes.salience.removal_method import EventSalience
from tests.evaluation.labelled_tales import STORIES, CountingCalls, EventTales, LabelledEventTales, Tales


@pytest.fixture(scope="module")
def events():
    return {story.name: story for story in LabelledEventTales()}


def areas(events, score):
    """The area under the curve of each story, the slow way."""
    return {name: area_under_curve(story.labels, score(story)) for name, story in events.items()}


def get_areas(found, method):
    return dict(found[method].figures["auc"].per_story)


def test_sentence_methods_give_an_event_the_score_of_its_sentence(events):
    found = evaluate(["position", "ranks:length+position"], EventTales(), unit="event")
    assert (found.unit, found.labels) == ("event", "verbs")
    assert found.counts == {
        "stories": 3,
        "events": sum(len(story.events) for story in events.values()),
        "salient": sum(sum(story.labels) for story in events.values()),
    }
    for method, scorer in [
        ("position", Position()),
        ("ranks:length+position", RankSum(Length(), Position())),
    ]:
        expected = areas(
            events, lambda story, s=scorer: [s.score(story.narrative).scores[k] for k, _ in story.events]
        )
        assert get_areas(found, method) == pytest.approx(expected)


@pytest.mark.parametrize("method", ["va", "paa"])
def test_methods_that_can_score_events_do(events, method):
    model = CountingCalls()
    found = evaluate([method], EventTales(), unit="event", model=model)
    scorer = EventSalience(model, method=method)
    assert get_areas(found, method) == pytest.approx(
        areas(events, lambda story: scorer.score(story.narrative).scores)
    )
    given = evaluate([scorer], EventTales(), unit="event")
    assert get_areas(given, method) == get_areas(found, method)


def test_a_sum_with_a_part_that_scores_events_adds_up_events(events):
    model = CountingCalls()
    found = evaluate(["va+length"], EventTales(), unit="event", model=model)
    va, sum_of = EventSalience(model, method="va"), Combination(Length(), Length())

    def add_up(story):
        lengths = Length().score(story.narrative).scores
        return sum_of.add_up([va.score(story.narrative).scores, [lengths[k] for k, _ in story.events]])

    assert get_areas(found, "va+length") == pytest.approx(areas(events, add_up))


def test_random_scores_are_drawn_for_events(events):
    found = evaluate(["random"], EventTales(), unit="event", seeds=200)
    assert found["random"].figures["auc"].value == pytest.approx(0.5, abs=0.05)
    assert found["random"].map == pytest.approx(found.random)


def test_units_that_are_refused(events):
    with pytest.raises(
        BarthesError, match=r"tales: the corpus has no labels for events\. Evaluate sentences\."
    ):
        evaluate(["length"], Tales(), unit="event")
    with pytest.raises(UnknownNameError, match="there is no unit 'events'"):
        evaluate(["length"], EventTales(), unit="events")
    with pytest.raises(BarthesError, match=r"no labels for sentences\. Evaluate events"):
        choose_unit(LabelledEventTales(), "sentence")
    with pytest.raises(BarthesError, match="wolf: a method scored events, but the labels are for sentences"):
        evaluate([EventSalience(CountingCalls())], Tales())
    with pytest.raises(BarthesError, match=r"king: 9 events were scored, but \d are labelled"):
        to_units([0.0] * 9, "event", events["king"])
    assert to_units([1.0] * 4, "sentence", STORIES[0]) == [1.0] * 4
