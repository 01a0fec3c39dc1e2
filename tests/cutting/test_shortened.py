"""The text that is left."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.cutting.shortened import remove_sentences
from barthes.reading import read_text
from tests.strategies import narratives

TEXT = "THE WOLF\n\nIt rained. Hard.\n\nA wolf came.\n\n* * *\n\nIt ate. It slept.\n"


@pytest.mark.parametrize(
    ("gone", "left"),
    [
        ({1}, "THE WOLF\n\nHard.\n\nA wolf came.\n\n* * *\n\nIt ate. It slept.\n"),
        ({1, 2}, "THE WOLF\n\nA wolf came.\n\n* * *\n\nIt ate. It slept.\n"),
        ({2, 3}, "THE WOLF\n\nIt rained.\n\n* * *\n\nIt ate. It slept.\n"),
        ({3, 4}, "THE WOLF\n\nIt rained. Hard.\n\n* * *\n\nIt slept.\n"),
        (set(), TEXT),
    ],
)
def test_paragraphs_and_other_text_stay(gone, left):
    whole = read_text(TEXT)
    sentences = [str(sentence) for sentence in whole]
    assert "It rained." in sentences
    shift = sentences.index("It rained.") - 1
    assert remove_sentences(whole, {k + shift if k < 4 else sentences.index("It ate.") for k in gone}) == left


@given(narratives(min_size=2), st.data())
def test_kept_sentences_stay_in_order(narrative, data):
    gone = data.draw(st.sets(st.integers(0, len(narrative) - 2)))
    kept = [sentence.text for sentence in narrative if sentence.index not in gone]
    left, place = remove_sentences(narrative, gone), 0
    for text in kept:
        place = left.index(text, place) + len(text)
