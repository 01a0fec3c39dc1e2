from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.errors import EmptyNarrativeError, NarrativeError
from barthes.reading import read_text

stories = st.text(max_size=80).filter(lambda text: any(c.isprintable() and not c.isspace() for c in text))


def rebuild(narrative):
    gaps = narrative.gaps
    return gaps[0] + "".join(sentence.text + gap for sentence, gap in zip(narrative, gaps[1:], strict=True))


@given(stories, st.booleans())
@settings(deadline=None, max_examples=100)
def test_sentences_and_gaps_rebuild_the_text(text, sentences):
    narrative = read_text(text, sentences=sentences)
    assert rebuild(narrative) == narrative.text == text
    assert "".join(narrative.gaps).strip() == ""


def test_a_line_is_a_sentence_and_nothing_else_parts_it():
    text = "One.\x0bStill one.\x85Still\u2028one.\n\nTwo"
    assert [sentence.text for sentence in read_text(text, sentences=True)] == [text[:-5], "Two"]


def test_an_empty_text_is_named():
    with pytest.raises(EmptyNarrativeError, match="Wolf: it is empty"):
        read_text("", title="Wolf")
    with pytest.raises(EmptyNarrativeError, match="white space"):
        read_text(" \n", sentences=True)


def test_half_a_surrogate_pair_is_refused():
    with pytest.raises(NarrativeError, match="character 3 is half a surrogate pair"):
        read_text("A \ud800 wolf.")
