from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.report.printable import printable


@pytest.mark.parametrize(
    "text",
    ["The wolf came.", "क्‍ष", "می‌خواهم", "👩‍👩‍👧", "שָׁלוֹם \u200f!", "naïve — “yes”", "a\u2003b"],
)
def test_writing_of_all_kinds_stays(text):
    assert printable(text) == text


@pytest.mark.parametrize("character", ["\x1b", "\n", "\x07", "\x7f", "\x9b", "\udce9", "\u202e", "\u2066"])
def test_what_steers_a_terminal_is_replaced(character):
    assert printable(f"a{character}b") == "a�b"


def test_soft_hyphens_are_left_out():
    assert printable("wolf\u00adhound") == "wolfhound"


@given(st.text(st.characters()))
def test_nothing_unsafe_is_left_and_once_is_enough(text):
    shown = printable(text)
    assert not {unicodedata.category(character) for character in shown} & {"Cc", "Cs"}
    assert printable(shown) == shown
