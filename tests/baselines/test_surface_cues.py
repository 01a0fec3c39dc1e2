"""Length, position and chance."""

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.baselines.surface_cues import Length, Position, Random
from barthes.narrative import Narrative

STORY = Narrative.from_sentences(["A wolf came.", "It rained.", "The wolf ate the goat."], notes=["a note"])
words = st.lists(st.text(alphabet="abcdefgäß", min_size=1), min_size=1, max_size=8)
narratives = st.lists(st.text().filter(str.strip), min_size=1).map(Narrative.from_sentences)


@settings(max_examples=30)
@given(st.lists(words, min_size=1))
def test_length_is_the_number_of_words(sentences):
    narrative = Narrative.from_sentences([" ".join(sentence) + " . . ." for sentence in sentences])
    assert Length().score(narrative).scores == tuple(float(len(sentence)) for sentence in sentences)
    story = Narrative.from_sentences(["“Stop,\nyou wolf!” she cried -- twice.", "* * *"])
    assert Length().score(story).scores == (6.0, 0.0)


@settings(max_examples=30)
@given(narratives)
def test_later_sentences_score_higher_or_lower(narrative):
    profile, descending = Position().score(narrative), Position(descending=True).score(narrative)
    assert profile.scores == tuple(map(float, range(len(narrative))))
    assert descending.scores == profile.scores[::-1]
    assert (profile.method, descending.method) == ("position", "position-desc")


@pytest.mark.parametrize("method", [Length(), Position(), Random(seed=5)])
def test_progress_and_notes(method):
    reports = []
    profile = pickle.loads(pickle.dumps(method)).score(STORY, progress=lambda *step: reports.append(step))
    assert reports == [(3, 3)]
    assert (profile.method, profile.notes, profile.model) == (method.name, ("a note",), None)
    assert profile == method.score(STORY)


@settings(max_examples=30)
@given(st.lists(narratives, min_size=2, max_size=5), st.integers(), st.randoms())
def test_the_same_story_and_seed_give_the_same_scores_in_any_order(corpus, seed, random):
    method = Random(seed=seed)
    scores = {narrative.text: method.score(narrative).scores for narrative in corpus}
    random.shuffle(corpus)
    assert all(Random(seed=seed).score(each).scores == scores[each.text] for each in corpus)
    assert all(0 <= score < 1 for each in scores.values() for score in each)


def test_draws_differ_by_seed_and_text_and_are_even():
    other = Narrative.from_sentences(["A wolf came.", "It rained.", "The wolf ate the hen."])
    draws = {Random(seed=seed).score(story).scores for seed in range(20) for story in (STORY, other)}
    assert len(draws) == 40
    scores = Random().score(Narrative.from_sentences(["It rained."] * 2000)).scores
    assert abs(sum(scores) / len(scores) - 0.5) < 0.02
    assert (min(scores) < 0.01, max(scores) > 0.99) == (True, True)


def test_the_draws_are_the_same_on_every_machine():
    assert [round(score, 6) for score in Random(seed=0).score(STORY).scores] == [0.503534, 0.009638, 0.624743]
