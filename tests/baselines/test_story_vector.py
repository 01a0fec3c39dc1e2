"""The two methods that compare a sentence with the whole story, against scikit-learn's cosine."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr
from sklearn.metrics.pairwise import cosine_similarity

from barthes.baselines import Centroid, DocumentFrequencies, Similarity
from barthes.baselines.words import split_words
from barthes.narrative import Narrative

sentences = st.lists(st.sampled_from(["the", "The", "wolf", "goat", "ate", "rain", ",", "!"]), min_size=1)
narratives = st.lists(sentences.map(" ".join), min_size=1, max_size=6).map(Narrative.from_sentences)
TALE = Path(__file__).parents[2] / "examples" / "the_ferrymans_daughter.sentences.txt"
METHODS = (Centroid, Similarity)


def idf(word, frequencies):
    """ln((1 + N) / (1 + df)) + 1 with the bundled table as ten documents more."""
    bundled = DocumentFrequencies.bundled()
    df = frequencies.counts.get(word, 0) + 10 * bundled.counts.get(word, 0) / bundled.documents
    return math.log((1 + frequencies.documents + 10) / (1 + df)) + 1


def matrix(narrative, frequencies):
    """One row a sentence: how often each word comes, times its idf."""
    lines = [split_words(sentence.text.lower()) for sentence in narrative]
    vocabulary = sorted({word for line in lines for word in line})
    return np.array([[line.count(word) * idf(word, frequencies) for word in vocabulary] for line in lines])


@given(st.lists(narratives, min_size=1, max_size=4))
def test_they_are_the_inner_product_and_the_cosine(corpus):
    frequencies = DocumentFrequencies.from_narratives(corpus)
    for narrative in corpus:
        rows = matrix(narrative, frequencies)
        story = rows.sum(axis=0, keepdims=True)
        centroid = (rows @ story.T)[:, 0] / np.linalg.norm(story)
        assert Centroid(frequencies).score(narrative).scores == pytest.approx(tuple(centroid))
        cosine = tuple(cosine_similarity(rows, story)[:, 0])
        assert Similarity(frequencies).score(narrative).scores == pytest.approx(cosine)


@pytest.mark.parametrize("method", METHODS)
@given(narrative=st.lists(st.text().filter(str.strip), min_size=1).map(Narrative.from_sentences))
def test_any_text_has_finite_scores(method, narrative):
    scores = method().score(narrative).scores
    assert all(0 <= score < math.inf for score in scores)
    if method is Similarity:
        assert all(score <= 1 + 1e-12 for score in scores)


@pytest.mark.parametrize("method", METHODS)
def test_a_sentence_without_a_word_scores_nothing(method):
    story = Narrative.from_sentences(["A wolf came.", "…"])

    def tokenize(narrative):
        return [["a", "wolf", "came"], []]

    assert method(tokenize=tokenize).score(story).scores[1] == 0.0
    assert method(tokenize=lambda narrative: [[], []]).score(story).scores == (0.0, 0.0)


def test_length_counts_for_the_one_and_not_for_the_other():
    story = Narrative.from_sentences(["wolf goat", "wolf goat wolf goat", "rain"])
    once, twice, _ = Centroid().score(story).scores
    assert twice == pytest.approx(2 * once)
    once, twice, _ = Similarity().score(story).scores
    assert twice == pytest.approx(once)


@pytest.mark.parametrize("method", METHODS)
@given(narrative=narratives)
def test_a_story_alone_is_a_corpus_of_one(method, narrative):
    corpus = DocumentFrequencies.from_narratives([narrative])
    assert method().score(narrative).scores == method(corpus).score(narrative).scores


@pytest.mark.parametrize("method", METHODS)
def test_two_short_stories_more_do_not_turn_the_order_round(method):
    """Among three stories words are not weighed by those three alone."""
    tale = Narrative.from_sentences(TALE.read_text(encoding="utf-8").splitlines())
    others = [Narrative.from_sentences(["The wolf ate the goat."]), Narrative.from_sentences(["It rained."])]
    corpus = DocumentFrequencies.from_narratives([tale, *others])
    together = method(corpus).score(tale).scores
    assert spearmanr(method().score(tale).scores, together).statistic > 0.98


@pytest.mark.parametrize("method", METHODS)
def test_a_text_that_is_not_english_is_told_so(method):
    german = Narrative.from_sentences(["Es regnete.", "Der Wolf kam."], language="de")
    [note] = method().score(german).notes
    assert "English" in note
    assert "'de'" in note


@pytest.mark.parametrize("method", METHODS)
def test_the_english_table_is_for_english(method):
    """*man*, *war* and *die* are words of other stories there."""
    lines = ["Der Mann war alt, und die Frau war jung.", "Man rief: die Tür!", "Da kam ein Wolf."]
    for corpus in (None, DocumentFrequencies(3, {"war": 2, "die": 3})):
        german = method(corpus).score(Narrative.from_sentences(lines, language="de")).scores
        assert german == method(corpus, prior=0).score(Narrative.from_sentences(lines)).scores
        assert german != method(corpus).score(Narrative.from_sentences(lines)).scores


def test_signs_of_a_penn_tokenizer_are_looked_up_as_what_they_are():
    bundled = DocumentFrequencies.bundled()
    known = DocumentFrequencies(1, {}).beside(bundled, documents=10, words=["``", "''", "-lrb-", '"', "("])
    assert known.counts["``"] == known.counts["''"] == known.counts['"'] > 5
    assert known.counts["-lrb-"] == known.counts["("] > 0
