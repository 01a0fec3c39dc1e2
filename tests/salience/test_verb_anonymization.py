from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from barthes.annotation.annotator import annotate
from barthes.annotation.events import Annotation, SentenceAnnotation, Token
from barthes.models.counting import CountingModel
from barthes.narrative import Narrative
from barthes.removal.anonymization import anonymize_verbs
from barthes.salience.removal_method import VerbAnonymization
from tests.oracles import mean_log_likelihood
from tests.strategies import narratives
from tests.tiny_models import tiny_model, tiny_network

MODEL, NETWORK = tiny_model(), tiny_network().eval()
STORY = Narrative.from_sentences(
    ["The wolf came.", "A girl ran and slept.", "The king married the girl.", "It rained!"]
)


def score_slowly(narrative, removals):
    """Equations 1 to 3 to the letter: two whole passes for every sentence."""
    tokens = MODEL.encode([str(sentence) for sentence in narrative])
    scores = []
    for k, removed in enumerate(removals):
        before = [MODEL.start_token, *sum(tokens[:k], [])]
        after = sum(tokens[k + 1 :], []) or [MODEL.end_token]
        [rest] = MODEL.encode([" ".join(removed.text.split())])
        with_it = mean_log_likelihood(NETWORK, before + tokens[k], after)
        scores.append(with_it - mean_log_likelihood(NETWORK, before + rest, after))
    return scores


@settings(max_examples=20, deadline=None)
@given(narratives(max_size=4))
def test_scores_are_the_papers_equations(narrative):
    profile = VerbAnonymization(MODEL).score(narrative)
    expected = score_slowly(narrative, anonymize_verbs(narrative, annotate(narrative)))
    np.testing.assert_allclose(profile.scores, expected, atol=1e-4)


def test_a_story_that_we_wrote():
    profile = VerbAnonymization(MODEL).score(STORY)
    expected = score_slowly(STORY, anonymize_verbs(STORY, annotate(STORY)))
    np.testing.assert_allclose(profile.scores, expected, atol=1e-4)
    assert (profile.method, profile.model, profile.window) == ("va", MODEL.name, None)
    assert all(score != 0 for score in profile.scores)


def test_a_sentence_without_verbs_loses_nothing():
    nothing = Annotation((SentenceAnnotation(),) * len(STORY))
    profile = VerbAnonymization(MODEL, annotate=lambda _: nothing).score(STORY)
    assert profile.scores == pytest.approx([0.0] * len(STORY), abs=1e-6)


def test_a_uniform_model_finds_nothing_salient():
    uniform = CountingModel([STORY.text], k=1e12)
    assert VerbAnonymization(uniform).score(STORY).scores == pytest.approx([0.0] * len(STORY), abs=1e-9)


def test_auxiliaries_make_a_difference():
    story = Narrative.from_sentences(["wolf came .", "the girl ran ."])
    helping = Token(5, 9, "came", "VBD", auxiliary=True)
    known = Annotation((SentenceAnnotation((helping,)), SentenceAnnotation()))
    kept = VerbAnonymization(MODEL, annotate=lambda _: known, keep_auxiliaries=True).score(story)
    replaced = VerbAnonymization(MODEL, annotate=lambda _: known).score(story)
    assert kept.scores[0] == pytest.approx(0, abs=1e-6)
    assert abs(replaced.scores[0]) > 1e-3


def test_windows_are_used():
    long = Narrative.from_sentences([*map(str, STORY)] * 5)
    profile = VerbAnonymization(MODEL, window=24).score(long)
    assert profile.window == 24
    assert np.isfinite(profile.scores).all()


def test_a_sentence_without_a_verb_loses_exactly_nothing():
    story = Narrative.from_sentences(["A cold night.", "A wolf came.", "Snow everywhere.", "It ate."])
    scores = VerbAnonymization(MODEL).score(story).scores
    assert (scores[0], scores[2]) == (0.0, 0.0)
    assert scores[1] != 0.0
