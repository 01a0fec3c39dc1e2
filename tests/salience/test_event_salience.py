from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from barthes.annotation.annotator import annotate
from barthes.errors import NarrativeError, UnknownNameError
from barthes.models.counting import CountingModel
from barthes.narrative import Narrative
from barthes.removal.rewriting import rewrite
from barthes.report.tables import COLUMNS, to_plain, to_rows
from barthes.salience.profile import EventProfile
from barthes.salience.removal_method import EventSalience
from tests.oracles import mean_log_likelihood
from tests.strategies import narratives
from tests.tiny_models import tiny_model, tiny_network

MODEL, NETWORK = tiny_model(), tiny_network().eval()
STORY = Narrative.from_sentences(
    ["The wolf came and ate the sheep.", "It rained.", "The girl married the king."], title="wolf"
)


@pytest.mark.parametrize("method", ["va", "paa"])
def test_each_event_equals_a_computation_of_its_own(method):
    profile = EventSalience(MODEL, method=method).score(STORY)
    tokens = MODEL.encode([str(sentence) for sentence in STORY])
    annotation = annotate(STORY)
    assert [scored.trigger for scored in profile.scored] == ["came", "ate", "rained", "married"]
    for scored in profile.scored:
        k = scored.sentence.index
        text = rewrite(STORY, k, annotation, [scored.event], arguments=method == "paa")
        before = [0, *sum(tokens[:k], [])]
        after = sum(tokens[k + 1 :], []) or [0]
        expected = mean_log_likelihood(NETWORK, before + tokens[k], after)
        expected -= mean_log_likelihood(NETWORK, before + MODEL.encode([text])[0], after)
        assert scored.salience == pytest.approx(expected, abs=1e-4)


def test_removing_one_event_leaves_the_others():
    annotation = annotate(STORY)
    came, ate = annotation[0].events
    assert rewrite(STORY, 0, annotation, [came]) == "The wolf did and ate the sheep."
    assert rewrite(STORY, 0, annotation, [ate]) == "The wolf came and did the sheep."


@settings(max_examples=15, deadline=None)
@given(narratives(max_size=4))
def test_any_story_gives_events_in_order_or_says_that_there_are_none(narrative):
    method = EventSalience(CountingModel([narrative.text]))
    if any(event.verbal for event in annotate(narrative).events):
        profile = method.score(narrative)
        places = [scored.event.predicate.start for scored in profile.scored]
        assert places == sorted(places)
        assert np.isfinite(profile.scores).all()
    else:
        with pytest.raises(NarrativeError, match="no verb was found"):
            method.score(narrative)


def test_the_profile_lists_events_with_offsets_arguments_and_score():
    profile = EventSalience(CountingModel([STORY.text]), method="paa").score(STORY)
    plain = to_plain(profile, top=None, order="story")
    assert plain["unit"] == "event"
    ate = plain["events"][1]
    assert STORY.text[ate["start"] : ate["end"]] == ate["trigger"] == "ate"
    assert {argument["role"]: argument["text"] for argument in ate["arguments"]} == {
        "ARG0": "The wolf",
        "ARG1": "the sheep",
    }
    assert sorted(event["rank"] for event in plain["events"]) == [1, 2, 3, 4]
    header, *rows = to_rows(profile, delimiter="\t").splitlines()
    assert tuple(header.split("\t")) == COLUMNS["event"]
    assert len(rows) == 4
    assert [len(events) for _, events in profile.by_sentence()] == [2, 1, 1]
    assert profile.to_frame()["arg0"].tolist()[1] == "The wolf"


def test_sentence_deletion_has_no_events():
    with pytest.raises(UnknownNameError, match="paa, va"):
        EventSalience(MODEL, method="sd")


def test_a_score_for_every_event():
    with pytest.raises(ValueError, match="1 scores for 0 events"):
        EventProfile(STORY, (1.0,), method="va", unit="event")


def test_saved_and_loaded_profiles_are_equal(tmp_path):
    profile = EventSalience(CountingModel([STORY.text]), method="paa").score(STORY)
    profile.save(tmp_path / "events.json")
    assert EventProfile.load(tmp_path / "events.json") == profile
