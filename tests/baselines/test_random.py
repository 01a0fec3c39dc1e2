import pickle

from hypothesis import given
from hypothesis import strategies as st

from barthes.baselines.surface_cues import Random
from barthes.narrative import Narrative

STORY = Narrative.from_sentences(["A wolf came.", "It rained.", "The wolf ate the goat."], notes=["a note"])
narratives = st.lists(st.text().filter(str.strip), min_size=1).map(Narrative.from_sentences)


@given(narratives, st.integers())
def test_the_same_story_and_seed_give_the_same_scores(narrative, seed):
    profile = Random(seed=seed).score(narrative)
    assert profile == Random(seed=seed).score(narrative)
    assert all(0 <= score < 1 for score in profile.scores)


@given(st.lists(narratives, min_size=2, max_size=5), st.randoms())
def test_the_order_of_stories_does_not_matter(corpus, random):
    method = Random(seed=3)
    scores = {narrative.text: method.score(narrative).scores for narrative in corpus}
    random.shuffle(corpus)
    assert all(method.score(narrative).scores == scores[narrative.text] for narrative in corpus)


def test_seeds_and_texts_matter():
    other = Narrative.from_sentences(["A wolf came.", "It rained.", "The wolf ate the hen."])
    draws = {Random(seed=seed).score(story).scores for seed in range(20) for story in (STORY, other)}
    assert len(draws) == 40


def test_the_draws_are_even():
    story = Narrative.from_sentences(["It rained."] * 2000)
    scores = Random().score(story).scores
    assert abs(sum(scores) / len(scores) - 0.5) < 0.02
    assert min(scores) < 0.01
    assert max(scores) > 0.99


def test_the_draws_are_the_same_on_every_machine():
    assert [round(score, 6) for score in Random(seed=0).score(STORY).scores] == [0.503534, 0.009638, 0.624743]


def test_it_says_what_it_is_and_keeps_the_notes():
    profile = pickle.loads(pickle.dumps(Random(seed=5))).score(STORY)
    assert (profile.method, profile.model, profile.notes) == ("random", None, ("a note",))
    assert profile.scores == Random(seed=5).score(STORY).scores
