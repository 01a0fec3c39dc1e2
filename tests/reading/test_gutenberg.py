from __future__ import annotations

import pytest

from tests.reading.parsing import parser

parse_page = parser(".html")
parse = parser(".txt")


START = "*** START OF THE PROJECT GUTENBERG EBOOK THE WOLF ***"
END = "*** END OF THE PROJECT GUTENBERG EBOOK THE WOLF ***"
SMALL_PRINT = "Small print\n\n*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*"
STORY_ABOUT_IT = "She read a Project Gutenberg ebook. *** It rained."


def wrap(text):
    return f"Title: The Wolf\nLanguage: German\n\n{START}\n\n{text}\n\n{END}\n\nSection 1. Terms."


@pytest.mark.parametrize(
    ("text", "story"),
    [
        (wrap("Ein Wolf kam.\n\nEs regnete."), "Ein Wolf kam.\n\nEs regnete."),
        (
            f"{SMALL_PRINT}\n\nA wolf.\n\nEnd of Project Gutenberg's The Wolf\n",
            "A wolf.",
        ),
        (f"A wolf came.\n\n{END}\n\nTerms.", "A wolf came."),
        (
            wrap("A _very_ big wolf[1].\n\n[Footnote 1: Canis [sic].]\n\n[Pg 12] It rained {13} hard."),
            "A very big wolf.\n\n It rained hard.",
        ),
        (wrap("The map said [1] wolf."), "The map said [1] wolf."),
        (STORY_ABOUT_IT, STORY_ABOUT_IT),
    ],
)
def test_wrapping_and_transcribers_marks_are_left_out(text, story):
    document = parse(text.encode(), where="x")
    assert document.join().text == story


OLD_HEADER = "<p>The Project Gutenberg Etext of The Wolf</p><p>Copyright laws change.</p><p>[Etext #12]</p>"
OLD_END = "<p>*START*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*START*</p><p>You can sue us.</p>"
OLD_END += "<p>*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*</p>"
TALE = "<p>A wolf came to the door.</p><p>It rained all night.</p>"
FOUND = "A wolf came to the door.\n\nIt rained all night."


@pytest.mark.parametrize(
    "body",
    [
        f"{OLD_HEADER}{TALE}{OLD_END}",
        f"{OLD_HEADER}{TALE}<p>End of this Project Gutenberg Etext of The Wolf</p>{OLD_END}",
        f"{OLD_HEADER}{OLD_END}{TALE}<p>End of the Project\nGutenberg Etext of The Wolf</p>",
        f"{OLD_HEADER}{TALE.replace('</p>', '<br>', 2).replace('<br>', '</p>', 1)}End of this etext.</p>",
        f"{OLD_HEADER}{TALE}{OLD_END.replace('*START*', '')}",
        f"{OLD_HEADER}<p>Title: The Wolf</p><p>Author: J. Doe</p>{TALE}{OLD_END}",
    ],
    ids=[
        "small print at the end",
        "after a last line",
        "small print first",
        "in the last paragraph",
        "no mark",
        "fields",
    ],
)
def test_the_small_print_may_stand_at_either_end(body):
    document = parse_page(f"<html><body>{body}</body></html>", where="x")
    assert document.join().text == FOUND


TITLE_PAGE = "THE WOLF\n\nA Tale for Winter Nights\n\nBY\n\nJANE DOE, M.A.\n\nLONDON\nDoe & Sons\n1893\n\n"
PICTURE = "[Illustration: The wolf.\n\n_From a drawing_ [1890]\n\nby J. Doe]\n\n"


def test_title_pages_and_remarks_over_several_paragraphs_are_left_out():
    document = parse(
        wrap(f"{TITLE_PAGE}{PICTURE}“Stop!”\n\n{PICTURE}It rained [all night.").encode(), where="x"
    )
    assert document.join().text == "“Stop!”\n\nIt rained [all night."


def test_a_title_page_under_a_heading_of_its_own_is_left_out():
    page = "<h2>THE WOLF</h2><p>by J. Doe</p><p>Illustrated by B. Roe</p><p>LONDON: ROE &amp; CO. 1899</p>"
    tale = "<h3>CHAPTER I</h3><p>A wolf came.</p><h3>CHAPTER II</h3><p>It rained.</p><p>THE END</p>"
    document = parse_page(f"<html><body>{OLD_HEADER}{page}{tale}{OLD_END}</body></html>", where="x")
    assert [(each.title, each.text) for each in document.chapters] == [
        ("CHAPTER I", "A wolf came."),
        ("CHAPTER II", "It rained."),
    ]


def test_only_the_last_line_is_a_closing_line():
    assert parse(wrap("The end.\n\nIt rained.").encode(), where="x").join().text == "The end.\n\nIt rained."


def test_the_author_of_a_chapter_is_left_out():
    chapters = "CHAPTER I\n\nBy Jane Doe\n\nBy night it rained.\n\nCHAPTER II\n\nA wolf came."
    document = parse(wrap(chapters).encode(), where="x")
    assert [each.text for each in document.chapters] == ["By night it rained.", "A wolf came."]


def test_a_text_of_title_lines_is_kept():
    assert parse(wrap("THE WOLF\n\nJANE DOE").encode(), where="x").join().text == "JANE DOE"


def test_the_header_gives_title_and_language():
    document = parse(wrap("Ein Wolf kam.").encode(), where="x")
    assert (document.title, document.language) == ("The Wolf", "de")


def test_contents_end_where_the_chapters_begin():
    contents = "CONTENTS\n\nCHAPTER I\nThe Fog\n\nCHAPTER II\nThe Wolf"
    chapters = "CHAPTER I\n\nThe Fog\n\nIt rained.\n\nCHAPTER II\n\nThe Wolf\n\nA wolf came."
    document = parse(wrap(f"{contents}\n\n\n{chapters}").encode(), where="x")
    assert [each.title for each in document.chapters] == ["CHAPTER I: The Fog", "CHAPTER II: The Wolf"]


@pytest.mark.parametrize(("field", "author"), [("Author: J. Doe", "J. Doe"), ("Author:", "")])
def test_an_empty_field_does_not_take_the_next_line(field, author):
    header = f"Title: The Wolf\n{field}\nRelease date: May 1, 2001\n\n"
    assert parse((header + wrap("A wolf came.\n\nIt rained.")).encode(), where="x").author == author
