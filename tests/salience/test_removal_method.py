"""Methods that remove sentences, verbs, arguments and single events."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings

from barthes.annotation.annotator import annotate
from barthes.annotation.events import Annotation, SentenceAnnotation
from barthes.errors import NarrativeError, UnknownNameError
from barthes.models.counting import CountingModel
from barthes.narrative import Narrative
from barthes.removal.anonymization import anonymize_sentences
from barthes.removal.rewriting import delete_event, rewrite
from barthes.report.figures.bars import draw_curve
from barthes.report.tables import to_plain
from barthes.salience.profile import LAST_SENTENCE, EventProfile
from barthes.salience.removal_method import (
    EventSalience,
    PredicateArgumentAnonymization,
    SentenceDeletion,
    VerbAnonymization,
)
from tests.oracles import mean_log_likelihood, sentence_deletion
from tests.strategies import narratives
from tests.tiny_models import tiny_model, tiny_network

MODEL, NETWORK = tiny_model(), tiny_network().eval()
STORY = Narrative.from_sentences(
    ["The wolf came.", "A girl ran and slept.", "The king married the girl.", "It rained!"]
)
EVENT_STORY = Narrative.from_sentences(
    ["The wolf came and ate the sheep.", "It rained.", "The girl married the king."], title="wolf"
)
BOTH = pytest.mark.parametrize(
    ("kind", "remove"),
    [
        (VerbAnonymization, partial(anonymize_sentences, arguments=False)),
        (PredicateArgumentAnonymization, partial(anonymize_sentences, arguments=True)),
    ],
    ids=["va", "paa"],
)


def score_slowly(narrative, remove):
    texts = [removed.text for removed in remove(narrative, annotate(narrative))]
    return sentence_deletion(NETWORK, MODEL, narrative, replacements=texts)


@BOTH
@settings(max_examples=10)
@given(narrative=narratives(max_size=4))
def test_anonymization_is_the_papers_equation(kind, remove, narrative):
    profile = kind(MODEL).score(narrative)
    np.testing.assert_allclose(profile.scores, score_slowly(narrative, remove), atol=1e-4)


@BOTH
def test_anonymization_of_a_story(kind, remove):
    profile = kind(MODEL).score(STORY)
    np.testing.assert_allclose(profile.scores, score_slowly(STORY, remove), atol=1e-4)
    assert (profile.method, profile.model, profile.window) == (kind.info.name, MODEL.name, None)
    assert all(score != 0 for score in profile.scores)
    uniform = kind(CountingModel([STORY.text], k=1e12)).score(STORY)
    assert uniform.scores == pytest.approx([0.0] * len(STORY), abs=1e-9)


def test_a_sentence_without_verbs_loses_exactly_nothing():
    nothing = Annotation((SentenceAnnotation(),) * len(STORY))
    profile = VerbAnonymization(MODEL, annotate=lambda _: nothing).score(STORY)
    assert profile.scores == (0.0,) * len(STORY)
    story = Narrative.from_sentences(["A cold night.", "A wolf came.", "Snow everywhere.", "It ate."])
    scores = VerbAnonymization(MODEL).score(story).scores
    assert [score == 0.0 for score in scores] == [True, False, True, False]


def test_windows_are_used():
    long = Narrative.from_sentences([*map(str, STORY)] * 5)
    profile = VerbAnonymization(MODEL, window=24).score(long)
    assert profile.window == 24
    assert np.isfinite(profile.scores).all()


def test_without_arguments_it_is_verb_anonymization():
    known = annotate(STORY)
    bare = Annotation(tuple(SentenceAnnotation(sentence.tokens) for sentence in known))
    paa = PredicateArgumentAnonymization(MODEL, annotate=lambda _: bare).score(STORY)
    assert paa.scores == VerbAnonymization(MODEL, annotate=lambda _: known).score(STORY).scores
    assert paa.scores != PredicateArgumentAnonymization(MODEL).score(STORY).scores


@pytest.mark.parametrize("method", ["sd", "va", "paa"])
def test_each_event_equals_a_computation_of_its_own(method):
    profile = EventSalience(MODEL, method=method).score(EVENT_STORY)
    tokens = MODEL.encode([str(sentence) for sentence in EVENT_STORY])
    annotation = annotate(EVENT_STORY)
    assert [scored.trigger for scored in profile] == ["came", "ate", "rained", "married"]
    for scored in profile:
        k = scored.sentence.index
        text = rewrite(EVENT_STORY, k, annotation, [scored.event], arguments=method == "paa")
        if method == "sd":
            text = delete_event(EVENT_STORY[k], annotation[k], scored.event)
        before = [0, *sum(tokens[:k], [])]
        after = sum(tokens[k + 1 :], []) or [0]
        expected = mean_log_likelihood(NETWORK, before + tokens[k], after)
        expected -= mean_log_likelihood(NETWORK, before + (MODEL.encode([text])[0] if text else []), after)
        assert scored.salience == pytest.approx(expected, abs=1e-4)


@settings(max_examples=8)
@given(narratives(max_size=4))
def test_any_story_has_events_in_order_or_is_refused(narrative):
    method = EventSalience(CountingModel([narrative.text]))
    if any(event.verbal for event in annotate(narrative).events):
        profile = method.score(narrative)
        places = [scored.event.predicate.start for scored in profile]
        assert places == sorted(places)
        assert np.isfinite(profile.scores).all()
    else:
        with pytest.raises(NarrativeError, match="no verb was found"):
            method.score(narrative)


def test_the_profile_lists_events_with_offsets_arguments_and_score(tmp_path):
    profile = EventSalience(CountingModel([EVENT_STORY.text]), method="paa").score(EVENT_STORY)
    plain = to_plain(profile)
    assert plain["unit"] == "event"
    ate = plain["events"][1]
    assert EVENT_STORY.text[ate["start"] : ate["end"]] == ate["trigger"] == "ate"
    arguments = {argument["role"]: argument["text"] for argument in ate["arguments"]}
    assert arguments == {"ARG0": "The wolf", "ARG1": "the sheep"}
    *ranked, last = plain["events"]
    assert sorted(event["rank"] for event in ranked) == [1, 2, 3]
    assert (last["sentence"], last["rank"], last["reason"]) == (2, None, LAST_SENTENCE)
    assert sorted(scored.index for scored in profile.top()) == [0, 1, 2]
    assert [scored.sentence.index for scored in profile] == [0, 0, 1, 2]
    frame = profile.to_frame()
    assert (frame["arg0"][1], frame["rank"].dtype, "reason" in frame) == ("The wolf", "Int64", False)
    profile.save(tmp_path / "events.json")
    assert EventProfile.load(tmp_path / "events.json") == profile


def test_deleting_the_only_event_of_a_sentence_deletes_the_sentence(tmp_path):
    story = Narrative.from_sentences(["The wolf came.", "A girl ate the sheep.", "The king slept."])
    events = EventSalience(MODEL, method="sd").score(story)
    assert events.scores == pytest.approx(SentenceDeletion(MODEL).score(story).scores, abs=1e-6)
    assert (events.method, events.info.label, events.ranks[-1]) == ("sd", "event deletion", None)
    events.save(tmp_path / "events.json")
    assert EventProfile.load(tmp_path / "events.json").info == events.info
    assert EventSalience(MODEL, method="sd").identity(story) != EventSalience(MODEL).identity(story)


def test_no_event_is_ranked_if_all_are_in_the_last_sentence():
    story = Narrative.from_sentences(["Good morning.", "A wolf came and ate a sheep."])
    profile = EventSalience(CountingModel([story.text])).score(story)
    assert (profile.ranks, profile.top()) == ((None, None), ())
    assert draw_curve(profile).axes[0].patches


def test_events_that_cannot_be_scored():
    with pytest.raises(UnknownNameError, match="paa, sd, va"):
        EventSalience(MODEL, method="pmi")
    with pytest.raises(ValueError, match="1 scores for 0 events"):
        EventProfile(EVENT_STORY, (1.0,), method="va", unit="event")
