from __future__ import annotations

import pytest

from barthes.annotation.events import Token
from barthes.removal.rewriting import is_verb, name_do_form


def tokens(*pairs):
    return [Token(i * 20, i * 20 + len(text), text, tag) for i, (text, tag) in enumerate(pairs)]


@pytest.mark.parametrize(
    ("text", "tag", "expected"),
    [
        ("sing", "VB", "do"),
        ("sing", "VBP", "do"),
        ("sang", "VBD", "did"),
        ("singing", "VBG", "doing"),
        ("sung", "VBN", "done"),
        ("sings", "VBZ", "does"),
        ("Sang", "VBD", "Did"),
        ("SANG", "VBD", "DID"),
        ("X", "VBZ", "Does"),
        ("had", "VBD", "did"),
        ("'ve", "VBP", "do"),
        *((form, "VBZ", "be") for form in "am is are was were be been being 'm 're 's ’s".split()),
        ("Was", "VBD", "Be"),
    ],
)
def test_the_tag_chooses_the_form(text, tag, expected):
    assert name_do_form(tokens((text, tag)), 0) == expected


def test_a_contracted_has_is_distinguished_from_is():
    assert name_do_form(tokens(("'s", "VBZ"), ("never", "RB"), ("been", "VBN")), 0) == "does"
    assert name_do_form(tokens(("'s", "VBZ"), ("never", "RB"), ("here", "RB")), 0) == "be"
    assert name_do_form(tokens(("is", "VBZ"), ("been", "VBN")), 0) == "be"


@pytest.mark.parametrize(
    ("text", "tag", "expected"),
    [("sing", "VB", True), ("can", "MD", False), ("song", "NN", False), ("x", "", False), ("—", "VB", False)],
)
def test_only_verbs_with_a_form_of_do_are_verbs(text, tag, expected):
    assert is_verb(*tokens((text, tag))) is expected
