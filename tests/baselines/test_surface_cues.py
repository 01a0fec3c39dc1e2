"""Length, position and chance."""

import pickle
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from barthes.baselines.surface_cues import Length, Position, Random
from barthes.narrative import Narrative

words = st.lists(st.text(alphabet="abcdefgäß", min_size=1), min_size=1, max_size=8)


@given(st.lists(words, min_size=1))
def test_a_sentence_scores_its_words(sentences):
    narrative = Narrative.from_sentences([" ".join(sentence) + " . . ." for sentence in sentences])
    assert Length().score(narrative).scores == tuple(float(len(sentence)) for sentence in sentences)


def test_line_breaks_and_punctuation_are_no_words():
    story = Narrative.from_sentences(["“Stop,\nyou wolf!” she cried -- twice.", "* * *"], notes=["a note"])
    profile = Length().score(story)
    assert profile.scores == (6.0, 0.0)
    assert (profile.method, profile.notes) == ("length", ("a note",))


narratives = st.lists(st.text().filter(str.strip), min_size=1).map(Narrative.from_sentences)


@given(narratives)
def test_later_sentences_score_higher(narrative):
    profile = Position().score(narrative)
    assert all(a < b for a, b in pairwise(profile.scores))
    assert profile.method == "position"


@given(narratives)
def test_descending_is_ascending_backwards(narrative):
    profile = Position(descending=True).score(narrative)
    assert profile.scores == Position().score(narrative).scores[::-1]
    assert profile.ranks == tuple(range(1, len(narrative) + 1))
    assert profile.method == "position-desc"


def test_it_reports_its_work_and_keeps_the_notes():
    story = Narrative.from_sentences(["A wolf came.", "It rained."], notes=["a note"])
    reports: list[tuple[int, int]] = []
    profile = Position().score(story, progress=lambda done, total: reports.append((done, total)))
    assert reports == [(2, 2)]
    assert (profile.notes, profile.model, profile.influence) == (("a note",), None, None)


STORY = Narrative.from_sentences(["A wolf came.", "It rained.", "The wolf ate the goat."], notes=["a note"])


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
