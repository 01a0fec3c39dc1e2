from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.annotation.annotator import annotate
from barthes.annotation.events import SentenceAnnotation
from barthes.narrative import Narrative
from barthes.removal.anonymization import remove_single_events
from barthes.removal.event_words import find_event_words
from barthes.removal.participants import is_word
from barthes.removal.rewriting import delete_event
from tests.removal.hand_annotation import build

CLAIMS = (Path(__file__).parent / "event_claims.tsv").read_text(encoding="utf-8").splitlines()[1:]
WORDS = (
    "The wolf , who said that \" Go home \" she's gone and had my king's n't ! by him ( to see ) it .".split()
)


@pytest.mark.parametrize(("sentence", "verb", "expected"), [line.split("\t") for line in CLAIMS])
def test_the_words_of_an_event_go_and_the_rest_stays(sentence, verb, expected):
    story = Narrative.from_sentences([sentence])
    [known] = annotate(story)
    [event] = [event for event in known.events if event.predicate.text == verb]
    assert delete_event(story[0], known, event) == expected


def test_events_annotated_by_hand():
    narrative, annotation = build(
        "The/DT wolf/NN had/VBD+ come/VBN ~,/, and/CC then/RB it/PRP slept/VBD ~./.", "3 ARG1=0-1; 8 ARG0=7"
    )
    come, slept = annotation[0].events
    assert find_event_words(annotation[0], come) == {0, 1, 2, 3, 4, 5}
    assert delete_event(narrative[0], annotation[0], come) == "Then it slept."
    assert delete_event(narrative[0], annotation[0], slept) == "The wolf had come."


def test_other_roles_stay():
    narrative, annotation = build("Wolves/NNS ate/VBD it/PRP there/RB ~./.", "1 ARG0=0 ARG1=2 ARGM-LOC=3")
    [event] = annotation[0].events
    assert delete_event(narrative[0], annotation[0], event) == "There."


def test_an_event_without_tokens_leaves_the_sentence_alone():
    narrative, annotation = build("Wolves/NNS howl/VBP ~./.", "1 ARG0=0")
    [event] = annotation[0].events
    assert delete_event(narrative[0], SentenceAnnotation((), (event,)), event) == "Wolves howl."


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(WORDS), min_size=1).map(" ".join))
def test_only_words_of_the_sentence_are_left_and_other_verbs_stay(text):
    story = Narrative(text, ((0, len(text)),))
    [known] = annotate(story)
    for event in known.events:
        words = find_event_words(known, event)
        left = [token.text for i, token in enumerate(known.tokens) if i not in words]
        result = delete_event(story[0], known, event)
        assert "".join(result.split()).lower() == "".join("".join(left).split()).lower()
        assert not result or any(map(is_word, left))
        others = {other.predicate.span for other in known.events if other.verbal} - {event.predicate.span}
        kept = {token.span for i, token in enumerate(known.tokens) if i not in words}
        assert event.predicate.span not in kept
        assert others <= kept


def test_gold_events_of_a_corpus_can_be_deleted(propplearner):
    tale = propplearner[0]
    events, removals = remove_single_events(tale.narrative, tale.annotation, arguments=False, delete=True)
    for (k, event), removed in zip(events, removals, strict=True):
        assert removed.index == k
        assert removed.text == removed.text.strip()
        assert len(removed.text) < len(tale.narrative[k].text), event.predicate.text
