from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from barthes.annotation.annotator import annotate
from barthes.annotation.events import Annotation, SentenceAnnotation
from barthes.models.counting import CountingModel
from barthes.removal.anonymization import anonymize_predicates_and_arguments
from barthes.salience.removal_method import PredicateArgumentAnonymization, VerbAnonymization
from tests.salience.test_verb_anonymization import MODEL, STORY, score_slowly
from tests.strategies import narratives


@settings(max_examples=20, deadline=None)
@given(narratives(max_size=4))
def test_scores_are_the_papers_equations(narrative):
    profile = PredicateArgumentAnonymization(MODEL).score(narrative)
    removals = anonymize_predicates_and_arguments(narrative, annotate(narrative))
    np.testing.assert_allclose(profile.scores, score_slowly(narrative, removals), atol=1e-4)


def test_a_story_that_we_wrote():
    profile = PredicateArgumentAnonymization(MODEL).score(STORY)
    removals = anonymize_predicates_and_arguments(STORY, annotate(STORY))
    np.testing.assert_allclose(profile.scores, score_slowly(STORY, removals), atol=1e-4)
    assert (profile.method, profile.model, profile.window) == ("paa", MODEL.name, None)


def test_without_arguments_it_is_verb_anonymization():
    known = annotate(STORY)
    bare = Annotation(tuple(SentenceAnnotation(sentence.tokens) for sentence in known))
    paa = PredicateArgumentAnonymization(MODEL, annotate=lambda _: bare).score(STORY)
    assert paa.scores == VerbAnonymization(MODEL, annotate=lambda _: known).score(STORY).scores
    assert paa.scores != PredicateArgumentAnonymization(MODEL).score(STORY).scores


def test_a_uniform_model_finds_nothing_salient():
    uniform = CountingModel([STORY.text], k=1e12)
    profile = PredicateArgumentAnonymization(uniform).score(STORY)
    assert profile.scores == pytest.approx([0.0] * len(STORY), abs=1e-9)


def test_methods_add_up():
    model = CountingModel([STORY.text])
    method = VerbAnonymization(model) + PredicateArgumentAnonymization(model)
    assert method.score(STORY).method == "va+paa"
