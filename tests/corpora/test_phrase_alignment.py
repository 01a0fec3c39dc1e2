from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.corpora import telegraphic
from barthes.corpora.corpus import MalformedError
from barthes.corpora.telegraphic import align_phrases, find_words, fold_words

WORDS = st.lists(st.sampled_from("abc"), max_size=7)


def rate(words, phrases, found):
    """Return what an alignment is worth: a word each, less a half for each gap inside a phrase."""
    score, before = 0.0, -1
    for phrase, places in zip(phrases, found, strict=True):
        for k, (word, place) in enumerate(zip(phrase, places, strict=True)):
            if place is not None:
                assert words[place] == word
                assert place > before
                contiguous = k == 0 or places[k - 1] == place - 1
                score, before = score + (1.0 if contiguous else 0.5), place
    return score


def try_all(words, phrases):
    """Return the worth of the best of all alignments."""
    flat = [word for phrase in phrases for word in phrase]
    best = 0.0
    for size in range(1, min(len(flat), len(words)) + 1):
        for chosen in combinations(range(len(flat)), size):
            for places in combinations(range(len(words)), size):
                if all(flat[i] == words[place] for i, place in zip(chosen, places, strict=True)):
                    found = dict(zip(chosen, places, strict=True))
                    numbers = iter(range(len(flat)))
                    shaped = [[found.get(next(numbers)) for _ in phrase] for phrase in phrases]
                    best = max(best, rate(words, phrases, shaped))
    return best


@given(words=WORDS, phrases=st.lists(st.lists(st.sampled_from("abcd"), max_size=3), max_size=3))
def test_no_alignment_is_better(words, phrases):
    found = align_phrases(words, phrases)
    assert [len(places) for places in found] == [len(phrase) for phrase in phrases]
    assert rate(words, phrases, found) == try_all(words, phrases)


@given(text=st.text("ab .'’", max_size=20), data=st.data())
def test_what_was_taken_from_a_text_is_found(text, data):
    words = fold_words(text)
    chosen = [data.draw(st.booleans()) for _ in words]
    phrases = [[word] for word, taken in zip(words, chosen, strict=True) if taken]
    found = align_phrases(words, phrases)
    assert all(place is not None for [place] in found)


def test_case_punctuation_and_quotes_do_not_matter():
    text = "“Don’t go,” SAID the well-known Wolf."
    assert fold_words("'don't go' said the well known wolf") == fold_words(text)
    assert [text[start:end] for start, end in find_words(text)][:3] == ["Don", "t", "go"]


def test_a_phrase_stays_together_where_it_can():
    words = fold_words("He came. She sang. He came home and she slept.")
    assert align_phrases(words, [["he", "came", "home"], ["she"]]) == [[4, 5, 6], [8]]
    assert align_phrases(words, [["she"], ["he"]]) == [[2], [4]]
    assert align_phrases(words, [["home"], ["he"]]) in ([[6], [None]], [[None], [4]])
    assert align_phrases([], [["a"]]) == [[None]]
    assert align_phrases(["a"], []) == []


def test_what_is_too_long_is_refused(monkeypatch):
    monkeypatch.setattr(telegraphic, "MAX_CELLS", 10)
    with pytest.raises(MalformedError, match="3 words of phrases and 4 of text are too many to align"):
        align_phrases(list("abcd"), [list("abc")])
