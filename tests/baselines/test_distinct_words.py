import math
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.baselines import DocumentFrequencies, Words
from barthes.baselines.words import split_words
from barthes.narrative import Narrative

sentences = st.lists(st.sampled_from(["the", "The", "wolf", "goat", "ate", "rain", ",", "!"]), min_size=1)
narratives = st.lists(sentences.map(" ".join), min_size=1, max_size=6).map(Narrative.from_sentences)


@given(st.lists(narratives, min_size=1, max_size=5))
def test_the_corpus_at_hand_gives_what_the_formula_says(corpus):
    method = Words(DocumentFrequencies.from_narratives(corpus))
    texts = [[split_words(sentence.text.lower()) for sentence in narrative] for narrative in corpus]
    for narrative, text in zip(corpus, texts, strict=True):
        expected = []
        for sentence in text:
            score = 0.0
            for place, word in enumerate(sentence):
                if word not in sentence[:place]:
                    df = sum(any(word in line for line in other) for other in texts)
                    score += math.log(len(texts) / df)
            expected.append(score)
        assert method.score(narrative).scores == pytest.approx(tuple(expected))


def test_a_word_counts_once():
    once, twice = Words().score(Narrative.from_sentences(["A samovar.", "A samovar, a SAMOVAR."])).scores
    comma = Words().score(Narrative.from_sentences(["A samovar.", ","])).scores[1]
    assert twice == pytest.approx(once + comma)


def test_one_story_alone_is_one_more_tale_beside_the_bundled_ones():
    story = Narrative.from_sentences(["Koshchei swallowed the xylophone."])
    bundled = DocumentFrequencies.bundled()
    together = bundled.including(split_words(story.text))
    [score] = Words().score(story).scores
    assert score == pytest.approx(Words(together).score(story).scores[0])
    assert score > math.log(bundled.documents + 1), "the xylophone is known to this story alone"


def test_a_word_that_the_frequencies_do_not_know_counts_as_known_to_one():
    frequencies = DocumentFrequencies.count([["wolf"], ["rain"]])
    [score] = Words(frequencies).score(Narrative.from_sentences(["goat"])).scores
    assert score == pytest.approx(math.log(2))


@given(st.lists(st.text().filter(str.strip), min_size=1).map(Narrative.from_sentences))
def test_any_text_has_finite_scores_from_zero(narrative):
    assert all(0 <= score < math.inf for score in Words().score(narrative).scores)


@given(sentences, st.randoms())
def test_the_order_of_the_words_changes_nothing_at_all(words, random):
    """Not even the last digit: equal bags of words must tie."""
    shuffled = random.sample(words, len(words))
    one, other = Words().score(Narrative.from_sentences([" ".join(words), " ".join(shuffled)])).scores
    assert one == other


def test_it_travels_without_the_bundled_table():
    assert len(pickle.dumps(Words())) < 1000
