from __future__ import annotations

from barthes.reading.plain_text import parse

START = "*** START OF THE PROJECT GUTENBERG EBOOK THE WOLF ***"
END = "*** END OF THE PROJECT GUTENBERG EBOOK THE WOLF ***"


def read(text):
    return parse(text.encode(), where="x")


def wrap(text):
    return f"Title: The Wolf\nLanguage: German\n\n{START}\n\n{text}\n\n{END}\n\nSection 1. Terms."


def test_header_and_licence_are_left_out():
    document = read(wrap("Ein Wolf kam.\n\nEs regnete."))
    assert document.join().text == "Ein Wolf kam.\n\nEs regnete."
    assert (document.title, document.language) == ("The Wolf", "de")
    assert document.left_out == {"header": 1, "licence": 1}


def test_older_wrappings_too():
    old = (
        "Small print\n\n*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*\n\nA wolf came.\n\n"
    )
    assert read(old + "End of Project Gutenberg's The Wolf, by Nobody\n").join().text == "A wolf came."
    assert read(f"A wolf came.\n\n{END}\n\nTerms.").join().text == "A wolf came."


def test_the_signs_of_transcribers_are_left_out():
    document = read(
        wrap("A _very_ big wolf[1] came.\n\n[Footnote 1: Canis lupus [sic].]\n\n[Pg 12] It rained {13} hard.")
    )
    assert document.join().text == "A very big wolf came.\n\nIt rained  hard."
    assert document.left_out == {"header": 1, "licence": 1, "footnote": 1, "page number": 2}


def test_brackets_of_the_story_stay_where_there_are_no_notes():
    assert "[1]" in read(wrap("The map said [1] wolf.")).join().text


def test_a_story_about_the_project_is_not_unwrapped():
    text = "She read a Project Gutenberg ebook. *** It rained."
    assert read(text).join().text == text
    assert read(text).left_out == {}


def test_contents_end_where_the_chapters_begin():
    contents = "CONTENTS\n\nCHAPTER I\nThe Fog\n\nCHAPTER II\nThe Wolf"
    chapters = "CHAPTER I\n\nThe Fog\n\nIt rained.\n\nCHAPTER II\n\nThe Wolf\n\nA wolf came."
    document = read(wrap(f"{contents}\n\n\n{chapters}"))
    assert [each.title for each in document.chapters] == ["CHAPTER I: The Fog", "CHAPTER II: The Wolf"]
    assert document.left_out["table of contents"] == 1
