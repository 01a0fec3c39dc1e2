from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.report.exports.words import find_words


def words(text, **options):
    return [text[start:end] for start, end in find_words(text, 0, len(text), **options)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Well-known—and 'quoted', isn't it?", "Well-known — and ' quoted ' , isn't it ?"),
        ("l’eau de Mme.", "l’eau de Mme ."),
        ("cafe\u0301 हिन्दी", "cafe\u0301 हिन्दी"),
        ("👍🏽", "👍 🏽"),
        ("--", "- -"),
    ],
)
def test_words(text, expected):
    assert words(text) == expected.split(" ")


def test_cuts():
    assert words("didn't", cuts=[3]) == ["did", "n't"]


@given(st.text(), st.sets(st.integers(0, 20)))
def test_every_character_but_white_space_is_in_one_word(text, cuts):
    spans = list(find_words(text, 0, len(text), cuts=cuts))
    assert "".join(text[start:end] for start, end in spans) == "".join(text.split())
    assert all(not start < cut < end for start, end in spans for cut in cuts)
