from __future__ import annotations

import pytest

from barthes.reading.plain_text import parse

START = "*** START OF THE PROJECT GUTENBERG EBOOK THE WOLF ***"
END = "*** END OF THE PROJECT GUTENBERG EBOOK THE WOLF ***"
SMALL_PRINT = "Small print\n\n*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*"
STORY_ABOUT_IT = "She read a Project Gutenberg ebook. *** It rained."


def wrap(text):
    return f"Title: The Wolf\nLanguage: German\n\n{START}\n\n{text}\n\n{END}\n\nSection 1. Terms."


@pytest.mark.parametrize(
    ("text", "story", "left_out"),
    [
        (wrap("Ein Wolf kam.\n\nEs regnete."), "Ein Wolf kam.\n\nEs regnete.", {"header": 1, "licence": 1}),
        (
            f"{SMALL_PRINT}\n\nA wolf.\n\nEnd of Project Gutenberg's The Wolf\n",
            "A wolf.",
            {"header": 1, "licence": 1},
        ),
        (f"A wolf came.\n\n{END}\n\nTerms.", "A wolf came.", {"licence": 1}),
        (
            wrap("A _very_ big wolf[1].\n\n[Footnote 1: Canis [sic].]\n\n[Pg 12] It rained {13} hard."),
            "A very big wolf.\n\nIt rained  hard.",
            {"header": 1, "licence": 1, "footnote": 1, "page number": 2},
        ),
        (wrap("The map said [1] wolf."), "The map said [1] wolf.", {"header": 1, "licence": 1}),
        (STORY_ABOUT_IT, STORY_ABOUT_IT, {}),
    ],
)
def test_wrapping_and_transcribers_marks_are_left_out(text, story, left_out):
    document = parse(text.encode(), where="x")
    assert (document.join().text, document.left_out) == (story, left_out)


def test_the_header_gives_title_and_language():
    document = parse(wrap("Ein Wolf kam.").encode(), where="x")
    assert (document.title, document.language) == ("The Wolf", "de")


def test_contents_end_where_the_chapters_begin():
    contents = "CONTENTS\n\nCHAPTER I\nThe Fog\n\nCHAPTER II\nThe Wolf"
    chapters = "CHAPTER I\n\nThe Fog\n\nIt rained.\n\nCHAPTER II\n\nThe Wolf\n\nA wolf came."
    document = parse(wrap(f"{contents}\n\n\n{chapters}").encode(), where="x")
    assert [each.title for each in document.chapters] == ["CHAPTER I: The Fog", "CHAPTER II: The Wolf"]
    assert document.left_out["table of contents"] == 1
