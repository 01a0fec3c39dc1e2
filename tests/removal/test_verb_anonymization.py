from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.annotation.annotator import annotate
from barthes.annotation.events import Annotation, SentenceAnnotation, Token
from barthes.errors import NarrativeError
from barthes.narrative import Narrative
from barthes.reading import read_text
from barthes.removal.removal import Removed
from barthes.removal.verb_anonymization import VerbAnonymizer, anonymize_verbs
from tests.removal.claims import CLAIMS


def anonymize(*sentences, **options):
    narrative = Narrative.from_sentences(sentences)
    return [removed.text for removed in VerbAnonymizer(**options)(narrative)]


@pytest.mark.parametrize(("sentence", "expected"), [(row[0], row[1]) for row in CLAIMS])
def test_every_verb_becomes_do(sentence, expected):
    assert anonymize(sentence) == [expected]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The wolf had been seen.", "The wolf had been done."),
        ("She didn't know that he was old.", "She didn't do that he be old."),
        ("He has to go.", "He has to do."),
        ("I've seen that he isn't coming.", "I've done that he isn't doing."),
        ("He must have fallen.", "He must have done."),
    ],
)
def test_auxiliaries_and_modals_may_stay(sentence, expected):
    assert anonymize(sentence, keep_auxiliaries=True) == [expected]


def test_white_space_stays():
    narrative = read_text("The wolf\n  ate\tthe goat.\n\nIt  rained.")
    texts = [removed.text for removed in VerbAnonymizer()(narrative)]
    assert texts == ["The wolf\n  did\tthe goat.", "It  did."]


def test_there_is_one_removal_a_sentence():
    narrative = Narrative.from_sentences(["It rained.", "Alas!", "The wolf came."])
    assert anonymize_verbs(narrative, annotate(narrative)) == [
        Removed(0, "It did."),
        Removed(1, "Alas!"),
        Removed(2, "The wolf did."),
    ]


def test_gold_annotation_takes_the_place_of_the_parser():
    narrative = Narrative.from_sentences(["Wolves howl."])
    tokens = (Token(0, 6, "Wolves", "VBZ"), Token(7, 11, "howl", "NN"))
    gold = Annotation((SentenceAnnotation(tokens),))
    assert VerbAnonymizer(lambda _: gold)(narrative) == [Removed(0, "Does howl.")]
    with pytest.raises(NarrativeError, match="1 sentences are annotated"):
        VerbAnonymizer(lambda _: gold)(Narrative.from_sentences(["Wolves howl.", "It rained."]))


def test_it_travels_to_workers():
    narrative = Narrative.from_sentences(["The wolf came."])
    removal = VerbAnonymizer(keep_auxiliaries=True)
    assert pickle.loads(pickle.dumps(removal))(narrative) == removal(narrative)


@settings(max_examples=60, deadline=None)
@given(st.text(min_size=1))
def test_only_verbs_change_in_any_text(text):
    narrative = Narrative(text, ((0, len(text)),))
    annotation = annotate(narrative)
    [removed] = anonymize_verbs(narrative, annotation)
    if not any(token.tag.startswith("VB") for token in annotation.tokens):
        assert removed.text == text
