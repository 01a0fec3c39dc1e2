"""Baselines that weigh words, against the formulas done slowly and scikit-learn."""

import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr
from sklearn.metrics.pairwise import cosine_similarity

from barthes.baselines import Centroid, DocumentFrequencies, Similarity, Words
from barthes.baselines.word_methods import TfIdf
from barthes.baselines.words import split_words
from barthes.narrative import Narrative

sentences = st.lists(st.sampled_from(["the", "The", "wolf", "goat", "ate", "rain", ",", "!"]), min_size=1)


narratives = st.lists(sentences.map(" ".join), min_size=1, max_size=6).map(Narrative.from_sentences)


def slow_tfidf(story, corpus):
    """T3 by the letter: every count is made anew, on lists of lower-cased words."""
    scores = []
    for sentence in story:
        score = 0.0
        for word in sentence:
            tf = [other for line in story for other in line].count(word)
            df = len([text for text in corpus if [line for line in text if word in line]])
            score += tf / (tf + 1) * (math.log((1 + len(corpus)) / (1 + df)) + 1)
        scores.append(score)
    return scores


def lower_words(narrative):
    return [[word.lower() for word in split_words(sentence.text)] for sentence in narrative]


@given(st.lists(narratives, min_size=1, max_size=5))
def test_tfidf_is_what_the_formula_says(corpus):
    method = TfIdf(DocumentFrequencies.from_narratives(corpus))
    texts = [lower_words(narrative) for narrative in corpus]
    for narrative, text in zip(corpus, texts, strict=True):
        assert method.score(narrative).scores == pytest.approx(slow_tfidf(text, texts))


@given(narratives)
def test_tfidf_of_one_story_counts_it_beside_the_bundled_ones(narrative):
    bundled = DocumentFrequencies.bundled()
    text = lower_words(narrative)
    own = {word for line in text for word in line}
    counts = {**bundled.counts, **{word: bundled.counts.get(word, 0) + 1 for word in own}}
    together = DocumentFrequencies(bundled.documents + 1, counts)
    assert TfIdf().score(narrative).scores == pytest.approx(TfIdf(together).score(narrative).scores)


@given(st.lists(st.text().filter(str.strip), min_size=1).map(Narrative.from_sentences))
def test_any_text_has_finite_tfidf_above_zero(narrative):
    assert all(0 < score < math.inf for score in TfIdf().score(narrative).scores)


def test_rare_words_outweigh_common_ones():
    story = Narrative.from_sentences(
        ["And the king said it was so.", "Koshchei swallowed the samovar whole."]
    )
    common, rare = TfIdf().score(story).scores
    assert rare > common


def test_capitals_and_quotes_make_no_difference():
    plain = Narrative.from_sentences(['"It\'s the wolf," said she.', "The wolf came."])
    printed = Narrative.from_sentences(["“IT’S THE WOLF,” SAID SHE.", "the wolf came."])
    assert TfIdf().score(plain).scores == TfIdf().score(printed).scores


def test_tokens_can_come_from_a_corpus():
    story = Narrative.from_sentences(["can't", "wolf"])
    gold = {story.text: [["CA", "n't"], ["wolf"]]}

    def tokenize(narrative):
        return gold[narrative.text]

    frequencies = DocumentFrequencies.from_narratives([story], tokenize=tokenize)
    assert TfIdf(frequencies, tokenize=tokenize).score(story).scores == (1.0, 0.5)


def test_a_text_that_is_not_english_is_told_so():
    german = Narrative.from_sentences(["Es regnete.", "Der Wolf kam."], language="de", notes=["a note"])
    first, note = TfIdf().score(german).notes
    assert first == "a note"
    assert "English" in note
    assert "'de'" in note
    assert TfIdf(DocumentFrequencies.from_narratives([german])).score(german).notes == ("a note",)


def test_english_of_any_kind_needs_no_note():
    story = Narrative.from_sentences(["A wolf came."], language="en-GB")
    assert TfIdf().score(story).notes == ()


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
def test_story_vectors_note_other_languages(method):
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
