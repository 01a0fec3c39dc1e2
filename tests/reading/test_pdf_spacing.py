from __future__ import annotations

import pytest

from tests.reading.parsing import parser
from tests.reading.printing import IDENTITY, TIMES, build_pdf

parse = parser(".pdf")

HALF = TIMES.replace(b">>", b"/FirstChar 32 /LastChar 122 /Widths [250 %s] >>" % (b"500 " * 90))
"""A font whose letters are all half as wide as they are high, and twice as wide as a space."""


def read(*operators, font=HALF, size=10):
    page = b"BT /F1 %d Tf 60 500 Td %s ET" % (size, b"\n".join(operators))
    return parse(build_pdf([page], font=font), where="x").chapters[0].text


def set_apart(text, gap):
    """Each glyph by itself, at a distance in points."""
    return [b"(%s) Tj %f 0 Td" % (each.encode(), (2.5 if each == " " else 5) + gap) for each in text]


@pytest.mark.parametrize(
    ("operators", "text"),
    [
        ([b"[(W)135(A)135(VES came and A)120(VA)]TJ"], "WAVES came and AVA"),
        ([b"[(the)-250(wolf)-180(came)-400(in)]TJ"], "the wolf came in"),
        ([b"0.4 Tc (st) Tj (r) Tj 16.2 0 Td (eam and all the rest) Tj"], "stream and all the rest"),
        ([b"0 Tc (Winter') Tj 3 Tc 35 0 Td (sw) Tj 0 Tc 13 0 Td (olf) Tj"], "Winter's wolf"),
        ([b"(and the) Tj 37.5 0 Td [()-300(first)]TJ"], "and the first"),
        ([b"(and the) Tj 40 0 Td (wolf) Tj"], "and the wolf"),
        ([b"50 Tz (and the) Tj 16.25 0 Td (re) Tj"], "and there"),
        ([b"14 TL (and the) ' 1 0 (wolf) \""], "and the wolf"),
        ([b"1 0 0 1 80 400 Tm (st) Tj 10 4 Td (3) Tj 5 -4 Td (ream) Tj"], "st3ream"),
        (set_apart("the wolf came back", 2), "the wolf came back"),
        (
            set_apart("the ", 0) + set_apart("wolf ", 1.5) + set_apart("came back to us at ten", 0),
            "the wolf came back to us at ten",
        ),
        (
            [b"[(1)-1000(the)-330(wolf)%s(9)]TJ" % (b"-330(.)" * 20)],
            f"1 the wolf {'. ' * 19}.9",
        ),
        ([b"[(1)-2000(2)-2000(3)-2000(4)-2000(5)-2000(6)-2000(7)]TJ"], "1 2 3 4 5 6 7"),
    ],
    ids=[
        "kerning",
        "gaps of different width",
        "letter spacing moves what follows",
        "letter spacing for a space",
        "a gap before the first glyph",
        "a move",
        "narrowed letters",
        "the next line",
        "a raised mark",
        "letter spacing and spaces",
        "one word with letter spacing",
        "leaders of a table of contents",
        "cells of a table",
    ],
)
def test_words_are_kept_together_and_apart(operators, text):
    assert read(*operators) == text


def test_glyphs_of_two_bytes():
    font = IDENTITY.replace(b"/DW 500", b"/DW 100 /W [97 99 500 100 [500 500] 102 122 500]")
    codes = [text.encode("utf-16-be").hex().encode() for text in ("a wol", "f ca", "me")]
    page = b"<%s> Tj 21 0 Td <%s> Tj 16 0 Td <%s> Tj" % tuple(codes)
    assert read(b"/F1 10 Tf", page, font=font) == "a wolf came"


def test_text_without_widths_is_spaced_by_pypdf():
    assert read(b"(and the) Tj 60 0 Td (wolf) Tj", font=TIMES) == "and the wolf"


def test_operators_without_operands_are_skipped():
    assert read(b"(The wolf) Tj Tz 45 0 Td (came.) Tj") == "The wolf came."


def test_a_hyphen_before_a_capital_is_kept():
    assert read(b"14 TL (They met an Anglo-) Tj T* (Saxon wolf.) Tj") == "They met an Anglo-Saxon wolf."
