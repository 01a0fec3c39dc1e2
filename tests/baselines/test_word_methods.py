"""Baselines that weigh words, against the formulas done slowly and scikit-learn."""

import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr
from sklearn.metrics.pairwise import cosine_similarity

from barthes.baselines import Centroid, DocumentFrequencies, Similarity, TfIdf, Words
from barthes.baselines.words import split_words
from barthes.narrative import Narrative

TALE = Path(__file__).parents[2] / "examples" / "the_ferrymans_daughter.sentences.txt"
ALL = pytest.mark.parametrize("method", [TfIdf, Words, Centroid, Similarity])
VECTORS = pytest.mark.parametrize("method", [Centroid, Similarity])
sentences = st.lists(st.sampled_from(["the", "The", "wolf", "goat", "ate", "rain", ",", "!"]), min_size=1)
narratives = st.lists(sentences.map(" ".join), min_size=1, max_size=6).map(Narrative.from_sentences)
corpora = st.lists(narratives, min_size=1, max_size=5)


def lower_words(narrative):
    return [[word.lower() for word in split_words(sentence.text)] for sentence in narrative]


def slow_tfidf(story, corpus):
    """T3 by the letter: every count is made again, on lists of lower-cased words."""
    scores = []
    for sentence in story:
        score = 0.0
        for word in sentence:
            tf = [other for line in story for other in line].count(word)
            df = len([text for text in corpus if [line for line in text if word in line]])
            score += tf / (tf + 1) * (math.log((1 + len(corpus)) / (1 + df)) + 1)
        scores.append(score)
    return scores


def slow_words(story, corpus):
    """The sum over distinct words of ln(N / df)."""

    def weigh(word):
        return math.log(len(corpus) / sum(any(word in line for line in text) for text in corpus))

    return [sum(weigh(word) for word in dict.fromkeys(sentence)) for sentence in story]


@pytest.mark.parametrize(("method", "slow"), [(TfIdf, slow_tfidf), (Words, slow_words)])
@settings(max_examples=40)
@given(corpus=corpora)
def test_scores_are_what_the_formula_says(method, slow, corpus):
    known = method(DocumentFrequencies.from_narratives(corpus))
    texts = [lower_words(narrative) for narrative in corpus]
    for narrative, text in zip(corpus, texts, strict=True):
        assert known.score(narrative).scores == pytest.approx(slow(text, texts))


def idf(word, frequencies):
    """ln((1 + N) / (1 + df)) + 1 with the bundled table as ten documents more."""
    bundled = DocumentFrequencies.bundled()
    df = frequencies.counts.get(word, 0) + 10 * bundled.counts.get(word, 0) / bundled.documents
    return math.log((1 + frequencies.documents + 10) / (1 + df)) + 1


@settings(max_examples=40)
@given(corpora)
def test_story_vectors_give_the_inner_product_and_the_cosine(corpus):
    frequencies = DocumentFrequencies.from_narratives(corpus)
    for narrative in corpus:
        lines = lower_words(narrative)
        vocabulary = sorted({word for line in lines for word in line})
        rows = np.array([[line.count(w) * idf(w, frequencies) for w in vocabulary] for line in lines])
        story = rows.sum(axis=0, keepdims=True)
        centroid = (rows @ story.T)[:, 0] / np.linalg.norm(story)
        assert Centroid(frequencies).score(narrative).scores == pytest.approx(tuple(centroid))
        cosine = tuple(cosine_similarity(rows, story)[:, 0])
        assert Similarity(frequencies).score(narrative).scores == pytest.approx(cosine)


@ALL
@settings(max_examples=30)
@given(narrative=st.lists(st.text().filter(str.strip), min_size=1).map(Narrative.from_sentences))
def test_any_text_has_finite_scores(method, narrative):
    scores = method().score(narrative).scores
    assert all(0 <= score < math.inf for score in scores)
    if method is TfIdf:
        assert all(scores)
    if method is Similarity:
        assert all(score <= 1 + 1e-12 for score in scores)


@pytest.mark.parametrize("method", [TfIdf, Words])
@settings(max_examples=20)
@given(narrative=narratives)
def test_a_story_alone_is_one_more_beside_the_bundled_ones(method, narrative):
    together = DocumentFrequencies.bundled().including(split_words(narrative.text))
    assert method().score(narrative).scores == pytest.approx(method(together).score(narrative).scores)


@VECTORS
@settings(max_examples=20)
@given(narrative=narratives)
def test_a_story_alone_is_a_corpus_of_one(method, narrative):
    corpus = DocumentFrequencies.from_narratives([narrative])
    assert method().score(narrative).scores == method(corpus).score(narrative).scores


def test_rare_words_outweigh_common_ones():
    story = Narrative.from_sentences(
        ["And the king said it was so.", "Koshchei swallowed the samovar whole."]
    )
    for method in (TfIdf(), Words()):
        common, rare = method.score(story).scores
        assert rare > common
    bundled = DocumentFrequencies.bundled()
    [xylophone] = Words().score(Narrative.from_sentences(["xylophone"])).scores
    assert xylophone == pytest.approx(math.log(bundled.documents + 1)), "known to this story alone"


def test_capitals_and_quotes_make_no_difference():
    plain = Narrative.from_sentences(['"It\'s the wolf," said she.', "The wolf came."])
    printed = Narrative.from_sentences(["“IT’S THE WOLF,” SAID SHE.", "the wolf came."])
    assert TfIdf().score(plain).scores == TfIdf().score(printed).scores


def test_tokens_can_come_from_a_corpus():
    story = Narrative.from_sentences(["can't", "wolf"])

    def tokenize(narrative):
        return {story.text: [["CA", "n't"], ["wolf"]]}[narrative.text]

    frequencies = DocumentFrequencies.from_narratives([story], tokenize=tokenize)
    assert TfIdf(frequencies, tokenize=tokenize).score(story).scores == (1.0, 0.5)


@ALL
def test_a_text_that_is_not_english_has_a_note(method):
    german = Narrative.from_sentences(["Es regnete.", "Der Wolf kam."], language="de", notes=["a note"])
    first, note = method().score(german).notes
    assert first == "a note"
    assert "English" in note
    assert "'de'" in note
    assert method(DocumentFrequencies.from_narratives([german])).score(german).notes == ("a note",)
    british = Narrative.from_sentences(["A wolf came."], language="en-GB")
    assert method().score(british).notes == ()


def test_a_word_counts_once():
    once, twice = Words().score(Narrative.from_sentences(["A samovar.", "A samovar, a SAMOVAR."])).scores
    comma = Words().score(Narrative.from_sentences(["A samovar.", ","])).scores[1]
    assert twice == pytest.approx(once + comma)


def test_a_word_that_the_frequencies_do_not_know_counts_as_known_to_one():
    frequencies = DocumentFrequencies.count([["wolf"], ["rain"]])
    [score] = Words(frequencies).score(Narrative.from_sentences(["goat"])).scores
    assert score == pytest.approx(math.log(2))


@settings(max_examples=40)
@given(sentences, st.randoms())
def test_the_order_of_the_words_does_not_matter(words, random):
    """Not even the last digit: equal bags of words must tie."""
    shuffled = random.sample(words, len(words))
    one, other = Words().score(Narrative.from_sentences([" ".join(words), " ".join(shuffled)])).scores
    assert one == other


def test_a_method_is_pickled_without_the_bundled_table():
    assert len(pickle.dumps(Words())) < 1000


@VECTORS
def test_a_sentence_without_a_word_scores_nothing(method):
    story = Narrative.from_sentences(["A wolf came.", "…"])
    one = method(tokenize=lambda narrative: [["a", "wolf", "came"], []]).score(story).scores
    assert (one[0] > 0, one[1]) == (True, 0.0)
    assert method(tokenize=lambda narrative: [[], []]).score(story).scores == (0.0, 0.0)


def test_length_counts_for_the_centroid_and_not_for_the_similarity():
    story = Narrative.from_sentences(["wolf goat", "wolf goat wolf goat", "rain"])
    once, twice, _ = Centroid().score(story).scores
    assert twice == pytest.approx(2 * once)
    once, twice, _ = Similarity().score(story).scores
    assert twice == pytest.approx(once)


@VECTORS
def test_two_short_stories_more_do_not_turn_the_order_round(method):
    """Among three stories words are not weighed by those three alone."""
    tale = Narrative.from_sentences(TALE.read_text(encoding="utf-8").splitlines())
    others = [Narrative.from_sentences(["The wolf ate the goat."]), Narrative.from_sentences(["It rained."])]
    together = method(DocumentFrequencies.from_narratives([tale, *others])).score(tale).scores
    assert spearmanr(method().score(tale).scores, together).statistic > 0.98


@VECTORS
def test_the_english_table_is_for_english(method):
    """*man*, *war* and *die* are words of other stories there."""
    lines = ["Der Mann war alt, und die Frau war jung.", "Man rief: die Tür!", "Da kam ein Wolf."]
    for corpus in (None, DocumentFrequencies(3, {"war": 2, "die": 3})):
        german = method(corpus).score(Narrative.from_sentences(lines, language="de")).scores
        assert german == method(corpus, prior=0).score(Narrative.from_sentences(lines)).scores
        assert german != method(corpus).score(Narrative.from_sentences(lines)).scores
