from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.annotation.annotator import annotate
from barthes.annotation.events import Annotation, SentenceAnnotation, Token
from barthes.errors import NarrativeError
from barthes.hashing import hash_content
from barthes.narrative import Narrative
from barthes.reading import read_text
from barthes.removal.anonymization import (
    Anonymizer,
    anonymize_sentences,
    remove_single_events,
)
from barthes.removal.removal import Removed

CLAIMS = (Path(__file__).parent / "claims.tsv").read_text(encoding="utf-8").splitlines()[1:]
WORDS = (
    "The wolf , who said that \" Go home \" she's gone and had my king's n't ! by him ( to see ) it .".split()
)


def anonymize(*sentences, **options):
    narrative = Narrative.from_sentences(sentences)
    return [removed.text for removed in Anonymizer(**options)(narrative)]


@pytest.mark.parametrize(("sentence", "va", "paa"), [line.split("\t") for line in CLAIMS])
def test_every_verb_becomes_do_and_participants_become_pronouns(sentence, va, paa):
    assert anonymize(sentence, arguments=False) == [va]
    assert anonymize(sentence, arguments=True) == [paa]


def test_white_space_stays():
    narrative = read_text("The wolf\n  ate\tthe goat.\n\nIt  rained.")
    texts = [removed.text for removed in Anonymizer(arguments=False)(narrative)]
    assert texts == ["The wolf\n  did\tthe goat.", "It  did."]


def test_there_is_one_removal_per_sentence():
    narrative = Narrative.from_sentences(["It rained.", "Alas!", "The wolf came."])
    expected = [Removed(0, "It did."), Removed(1, "Alas!"), Removed(2, "The wolf did.")]
    annotation = annotate(narrative)
    assert anonymize_sentences(narrative, annotation, arguments=False) == expected
    with pytest.raises(ValueError, match="shorter"):
        anonymize_sentences(narrative, Annotation(annotation.sentences[:2]), arguments=False)


@pytest.mark.parametrize("arguments", [False, True])
def test_gold_annotation_replaces_the_parser(arguments):
    narrative = Narrative.from_sentences(["Wolves howl."])
    tokens = (Token(0, 6, "Wolves", "VBZ"), Token(7, 11, "howl", "NN"))
    gold = Annotation((SentenceAnnotation(tokens),))
    removal = Anonymizer(lambda _: gold, arguments=arguments)
    assert removal(narrative) == [Removed(0, "Does howl.")]
    with pytest.raises(NarrativeError, match="1 sentences are annotated"):
        removal(Narrative.from_sentences(["Wolves howl.", "It rained."]))


def test_an_anonymizer_can_be_pickled():
    narrative = Narrative.from_sentences(["The wolf came."])
    removal = Anonymizer(arguments=True)
    assert pickle.loads(pickle.dumps(removal))(narrative) == removal(narrative)


@settings(max_examples=60, deadline=None)
@given(st.one_of(st.text(min_size=1), st.lists(st.sampled_from(WORDS), min_size=1).map(" ".join)))
def test_any_text_can_be_anonymized(text):
    narrative = Narrative(text, ((0, len(text)),))
    annotation = annotate(narrative)
    [va] = anonymize_sentences(narrative, annotation, arguments=False)
    [paa] = anonymize_sentences(narrative, annotation, arguments=True)
    if not any(token.tag.startswith("VB") for token in annotation.tokens):
        assert va.text == text
        assert annotation.events or paa.text == text
    for mark in '"()':
        assert paa.text.count(mark) == text.count(mark)


def test_gold_annotation_of_a_whole_corpus_can_be_anonymized(propplearner):
    """The hash is that of the texts from which the kept results of the reproduction were computed."""
    texts = []
    for tale in propplearner:
        removed = Anonymizer(lambda _, gold=tale.annotation: gold, arguments=True)(tale.narrative)
        assert [each.index for each in removed] == list(range(len(tale.narrative)))
        for sentence, each in zip(tale.narrative, removed, strict=True):
            assert each.text == each.text.strip() != ""
            assert each.text.count('"') == sentence.text.count('"')
            texts.append(each.text)
        verbs = anonymize_sentences(tale.narrative, tale.annotation, arguments=False)
        texts += [each.text for each in verbs]
    assert hash_content(texts) == "7061ae61d5dafbc39cb35c3cb5df626f7fec8bccfe3b4fde1e664c1ad4d1ba7e"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (False, ["A wolf did and ate a sheep.", "A wolf came and did a sheep.", "The girl did."]),
        (True, ["Something did and ate a sheep.", "Someone came and did something.", "Someone did."]),
    ],
)
def test_one_event_is_removed_at_a_time(arguments, expected):
    story = Narrative.from_sentences(["A wolf came and ate a sheep.", "The girl slept."])
    events, removals = remove_single_events(story, annotate(story), arguments=arguments)
    assert [(index, event.predicate.text) for index, event in events] == [
        (0, "came"),
        (0, "ate"),
        (1, "slept"),
    ]
    assert [removed.index for removed in removals] == [0, 0, 1]
    assert [removed.text for removed in removals] == expected


def test_a_story_without_events_is_refused():
    story = Narrative.from_sentences(["Snow everywhere."], title="snow.txt")
    with pytest.raises(NarrativeError, match=r"snow.txt.*no event.*Score its sentences"):
        remove_single_events(story, annotate(story), arguments=False)
    other = Narrative.from_sentences(["It rained.", "The wolf came."])
    with pytest.raises(NarrativeError, match="1 sentences are annotated"):
        remove_single_events(other, annotate(story), arguments=False)
