from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.reading import narrate, read, read_chapters
from tests.reading.parsing import parser

parse = parser(".txt")

PLAIN = (
    "A Title\r\n\r\nCHAPTER 1. The Fog\r\n\r\nIt rained.\r\nStill.\r\n\r\n"
    "Chapter 2\r\n\r\nThe Wolf\r\n\r\nA wolf came.\r\n"
)


def titles(text):
    return [chapter.title for chapter in parse(text.encode(), where="x").chapters]


def test_plain_text_stays_as_it_is_and_has_chapters():
    document = parse(PLAIN.encode(), where="x")
    assert document.join().text == PLAIN
    assert [(each.title, each.text) for each in document.chapters] == [
        ("CHAPTER 1. The Fog", "It rained.\nStill."),
        ("Chapter 2: The Wolf", "A wolf came."),
    ]


letters = st.one_of(st.characters(codec="utf-8", exclude_categories=["Cc"]), st.sampled_from("\n\r\t 1I.*"))


@given(st.text(letters, max_size=200))
def test_no_plain_text_is_changed(text):
    if "gutenberg" not in text.casefold() and any(map(str.isalnum, text)):
        assert parse(b"\xef\xbb\xbf" + text.encode(), where="x").join().text == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I\n\nIt rained.\n\nII\n\nHe came.\n\nIII\n\nHe went.", ["I", "II", "III"]),
        ("1.\n\nIt rained.\n\n2.\n\nHe came.", ["1.", "2."]),
        ("It rained.\n\nIV\n\nHe came.\n\nX\n\nHe went.", [""]),
        (
            "Prologue\n\nIt rained.\n\nChapter One\n\nHe came.\n\nChapter Two\n\nHe fell.",
            ["Prologue", "Chapter One", "Chapter Two"],
        ),
        ("Kapitel 1\n\nEs regnete.\n\nKapitel 2\n\nEr kam.", ["Kapitel 1", "Kapitel 2"]),
        ("Part one was over.\n\nPart two began, and she wept.", [""]),
        (
            "PART I\n\nCHAPTER I\n\nIt rained.\n\nCHAPTER II\n\nHe came.",
            ["PART I: CHAPTER I", "PART I: CHAPTER II"],
        ),
        ("Chapter 1\n\nIt rained, and that was all there was.", [""]),
    ],
)
def test_headings_are_found_by_their_wording(text, expected):
    assert titles(text) == expected


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("The Ferryman’s Daughter\n\nA ferryman lived here.", "The Ferryman’s Daughter"),
        ("  THE WOLF \r\n\r\nA wolf came.", "THE WOLF"),
        ("The Wolf\n\nChapter 1\n\nA wolf came.\n\nChapter 2\n\nIt left.", "The Wolf"),
        ("A wolf came\n\nIt rained.", ""),
        ("“Stop!”\n\nIt rained.", ""),
        ("The Wolf", ""),
        ("I\n\nA wolf came.\n\nII\n\nIt left.", ""),
        ("A\nWolf\n\nIt rained.", ""),
        ("Rain\n\nIt rained.", ""),
        ("Dear Mother\n\nIt rained.", ""),
        ("London, 3 May 1893\n\nIt rained.", ""),
        ("Krieg Und Frieden " * 4 + "\n\nEs regnete.", ""),
        ("»WER DA?«\n\nEs regnete.", ""),
        ("很久以前，有一只狼住在森林里。它很饿。\n\n狼来了。下雨了。", ""),
        ("एक भेड़िया आया।\n\nबारिश हुई।", ""),
        ("ВОЙНА И МИР\n\nШёл дождь.", "ВОЙНА И МИР"),
    ],
)
def test_a_first_paragraph_may_be_the_title(text, title):
    document = parse(text.encode(), where="x")
    assert document.title == title
    assert document.join().text == text


def test_a_title_is_not_a_sentence():
    document = parse(b"\n The  Old Wolf \n\nA wolf came. It rained.", where="x")
    story = narrate(document, name="x.txt")
    assert story.title == "The Old Wolf"
    assert [str(sentence) for sentence in story] == ["A wolf came.", "It rained."]
    assert story.text[story[0].start :].startswith("A wolf came.")
    assert story.notes == ("38 % of the words are not scored: 3 heading.",)
    given = narrate(document, name="x.txt", sentences=True)
    assert [str(sentence) for sentence in given] == ["The Old Wolf", "A wolf came. It rained."]
    assert given.notes == ()


def test_a_title_before_chapters_is_not_a_sentence():
    prologue = "Nobody knew where the wolf lived."
    text = f"My Title\n\n{prologue}\n\nChapter 1\n\nA wolf came.\n\nChapter 2\n\nIt rained."
    document = parse(text.encode(), where="x")
    story = narrate(document)
    expected = [prologue, "A wolf came.", "It rained."]
    assert ([str(sentence) for sentence in story], story.text) == (expected, text)
    assert [chapter.text for chapter in document.chapters] == [prologue, "A wolf came.", "It rained."]
    assert story.notes[1] == "3 chapters found by their numbers (confidence: medium)."


@pytest.mark.parametrize("opening", ["从前有一只狼。", "एक भेड़िया आया।"])
def test_sentences_without_capitals_are_neither_titles_nor_title_pages(opening):
    document = parse(f"{opening}\n\nChapter 1\n\n狼来了。\n\nChapter 2\n\n下雨了。".encode(), where="x")
    found = [(chapter.title, chapter.text) for chapter in document.chapters]
    assert found == [("", opening), ("Chapter 1", "狼来了。"), ("Chapter 2", "下雨了。")]


def test_headings_in_capitals_need_no_more_blank_lines_than_paragraphs(tmp_path):
    tales = tmp_path / "tales.txt"
    names = ("THE TWO BROTHERS", "THE OLD FISHERMAN", "THE LAZY GIRL")
    text = "Once there was a mill beside a river. " * 4
    tales.write_text("\n\n".join(f"{name}\n\n{text}" for name in names), encoding="utf-8")
    assert [each.title for each in read_chapters(tales, title="")] == list(names)
    whole = read(tales)
    assert len(whole) == 12
    assert "3 stories or chapters" in whole.notes[-1]
    assert read(tales, chapter=2).notes[-1] != whole.notes[-1]
