import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.baselines.words import count_words, split_narrative, split_words
from barthes.narrative import Narrative


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The wolf came.", ["The", "wolf", "came", "."]),
        ("I can't, won't, don't!", ["I", "ca", "n't", ",", "wo", "n't", ",", "do", "n't", "!"]),
        ("She'll see it's the king's.", ["She", "'ll", "see", "it", "'s", "the", "king", "'s", "."]),
        ("DON'T!", ["DO", "N'T", "!"]),
        ("the sisters' well-known ass", ["the", "sisters", "'", "well-known", "ass"]),
        ("Wait... what?!--no", ["Wait", "...", "what", "?", "!", "--", "no"]),
        ("a _very_ old man", ["a", "_", "very", "_", "old", "man"]),
        ("in 1812, № 7", ["in", "1812", ",", "№", "7"]),
        ("Es war einmal ein König", ["Es", "war", "einmal", "ein", "König"]),
        ("- an item", ["-", "an", "item"]),
    ],
)
def test_words_and_punctuation_are_separated(text, words):
    assert split_words(text) == words


def test_typography_does_not_matter():
    assert split_words("“It’s …” — ‘no’") == split_words("\"It's ...\" -- 'no'")


@given(st.text())
def test_nothing_is_lost_but_white_space(text):
    kept = "".join(split_words(text))
    plain = unicodedata.normalize("NFC", text).translate(
        {0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"', 0x2014: "--", 0x2026: "..."}
    )
    assert kept == "".join(plain.split())


@given(st.text())
def test_composed_and_decomposed_accents_are_the_same_words(text):
    assert split_words(unicodedata.normalize("NFD", text)) == split_words(text)


@settings(max_examples=30)
@given(st.lists(st.text().filter(str.strip), min_size=1))
def test_a_narrative_is_split_sentence_by_sentence(sentences):
    narrative = Narrative.from_sentences(sentences)
    words = split_narrative(narrative)
    assert len(words) == len(narrative)
    assert all(words)


@pytest.mark.parametrize(
    ("text", "count"),
    [("The wolf came.", 3), ("I don't know.", 3), ("a well-known ass", 3), ("* * *", 0), ("“Yes—no!”", 2)],
)
def test_counting_words_without_punctuation(text, count):
    assert count_words(text) == count
