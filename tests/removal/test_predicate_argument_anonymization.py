from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.annotation.annotator import annotate
from barthes.corpora import ProppLearner
from barthes.narrative import Narrative
from barthes.removal.predicate_argument_anonymization import (
    PredicateArgumentAnonymizer,
    anonymize_predicates_and_arguments,
)
from tests.removal.claims import CLAIMS

SHARED = Path(os.environ.get("BARTHES_SHARED", Path(__file__).parents[3] / "shared"))
CORPUS = SHARED / "data" / "propplearner"
WORDS = (
    "The wolf , who said that \" Go home \" she's gone and had my king's n't ! by him ( to see ) it .".split()
)


def anonymize(*sentences, **options):
    narrative = Narrative.from_sentences(sentences)
    return [removed.text for removed in PredicateArgumentAnonymizer(**options)(narrative)]


@pytest.mark.parametrize(("sentence", "expected"), [(row[0], row[2]) for row in CLAIMS])
def test_participants_become_someone_and_something(sentence, expected):
    assert anonymize(sentence) == [expected]


def test_auxiliaries_may_stay():
    assert anonymize("The goat was eaten.", keep_auxiliaries=True) == ["Something was done."]


@settings(max_examples=60, deadline=None)
@given(st.one_of(st.text(min_size=1), st.lists(st.sampled_from(WORDS), min_size=1).map(" ".join)))
def test_any_text_can_be_anonymised(text):
    narrative = Narrative(text, ((0, len(text)),))
    annotation = annotate(narrative)
    [removed] = anonymize_predicates_and_arguments(narrative, annotation)
    if not annotation.events and not any(token.tag.startswith("VB") for token in annotation.tokens):
        assert removed.text == text
    for mark in '"()':
        assert removed.text.count(mark) == text.count(mark)


@pytest.mark.skipif(
    not CORPUS.is_dir(), reason="needs ProppLearner: set BARTHES_SHARED to the folder above data/propplearner"
)
def test_gold_annotation_of_a_whole_corpus_can_be_anonymised():
    for tale in ProppLearner(CORPUS):
        removed = PredicateArgumentAnonymizer(lambda _, gold=tale.annotation: gold)(tale.narrative)
        assert [each.index for each in removed] == list(range(len(tale.narrative)))
        for sentence, each in zip(tale.narrative, removed, strict=True):
            assert each.text == each.text.strip() != ""
            assert each.text.count('"') == sentence.text.count('"')
