from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.report.escaping import FileNames, escape_latex, escape_markdown, printable


def test_markdown():
    for sign in "\\`*_{}[]<>|#~$&":
        assert escape_markdown(f"a{sign}b") == f"a\\{sign}b"
    for start in ("-", "+", "1.", "12)", "="):
        assert escape_markdown(f"{start} x") == f"{start[:-1]}\\{start[-1]} x"


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a_b & 50 %", r"a\_b \& 50 \%"),
        ("\\ ~ ^", r"\textbackslash{} \textasciitilde{} \textasciicircum{}"),
        ("0.1–0.2†", r"0.1--0.2\textsuperscript{\textdagger}"),
        ("Žižek", "Žižek"),
    ],
)
def test_latex(text, escaped):
    assert escape_latex(text) == escaped


@pytest.mark.parametrize(
    "text",
    ["The wolf came.", "क्‍ष", "می‌خواهم", "👩‍👩‍👧", "שָׁלוֹם \u200f!", "naïve — “yes”", "a\u2003b"],
)
def test_writing_of_all_kinds_stays(text):
    assert printable(text) == text


@pytest.mark.parametrize("character", ["\x1b", "\n", "\x07", "\x7f", "\x9b", "\udce9", "\u202e", "\u2066"])
def test_what_steers_a_terminal_is_replaced(character):
    assert printable(f"a{character}b\u00adc") == "a�bc", "soft hyphens are left out"


@given(st.text(st.characters()))
def test_nothing_unsafe_is_left_and_once_is_enough(text):
    shown = printable(text)
    assert not {unicodedata.category(character) for character in shown} & {"Cc", "Cs"}
    assert printable(shown) == shown


@given(st.lists(st.text(max_size=20) | st.sampled_from(["a/b", "../A", "b.txt", "C:\\tales\\b", ".", "b-2"])))
def test_every_title_gets_a_name_of_its_own_that_stays_in_its_folder(titles):
    names = FileNames()
    given_names = [names.choose(title) for title in titles]
    assert len({name.lower() for name in given_names}) == len(titles)
    for name in given_names:
        assert 0 < len(name) <= 110
        assert not set(name) & set('/\\:*?"<>|\0\n')
        assert not name.startswith(".")


def test_names_of_devices_on_windows_are_not_given():
    names = FileNames()
    titles = ["con.txt", "NUL", "com1.part.txt", "contents", "lpt", "Aux."]
    safe = ["_con", "_NUL", "_com1.part", "contents", "lpt", "_Aux"]
    assert [names.choose(title) for title in titles] == safe
