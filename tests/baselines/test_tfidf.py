import math
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.baselines.frequencies import DocumentFrequencies
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
def test_the_corpus_at_hand_gives_what_the_formula_says(corpus):
    method = TfIdf(DocumentFrequencies.from_narratives(corpus))
    texts = [lower_words(narrative) for narrative in corpus]
    for narrative, text in zip(corpus, texts, strict=True):
        assert method.score(narrative).scores == pytest.approx(slow_tfidf(text, texts))


@given(narratives)
def test_one_story_alone_is_one_more_tale_beside_the_bundled_ones(narrative):
    bundled = DocumentFrequencies.bundled()
    text = lower_words(narrative)
    own = {word for line in text for word in line}
    counts = {**bundled.counts, **{word: bundled.counts.get(word, 0) + 1 for word in own}}
    together = DocumentFrequencies(bundled.documents + 1, counts)
    assert TfIdf().score(narrative).scores == pytest.approx(TfIdf(together).score(narrative).scores)


@given(st.lists(st.text().filter(str.strip), min_size=1).map(Narrative.from_sentences))
def test_any_text_has_finite_scores_above_zero(narrative):
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


def test_it_travels_without_the_bundled_table():
    story = Narrative.from_sentences(["A wolf came.", "It rained."])
    sent = pickle.dumps(TfIdf())
    assert len(sent) < 1000
    assert pickle.loads(sent).score(story) == TfIdf().score(story)
