"""Marks in the text, and numbers of sentences."""

from __future__ import annotations

import pytest

from barthes.cutting.write_back import write_back
from barthes.errors import BarthesError
from barthes.marks import find_sentences, parse_numbers, remove_marks
from barthes.narrative import Narrative, ScriptPassage
from barthes.reading import narrate, parse_document, read_text

PLAIN = "It rained.\n\nThe wolf came. It ate.\n\nIt rained again."


@pytest.mark.parametrize(
    "text",
    [
        "It rained.\n\n[[keep]]The wolf came. It ate.[[/keep]]\n\nIt rained again.",
        "It rained.\n\n[[keep]] The wolf came. It ate. [[/keep]]\n\nIt rained again.",
        "It rained.\n\n[[KEEP]]\nThe wolf came. It ate.\n[[/keep]]\n\nIt rained again.",
    ],
)
def test_marks_leave_no_trace(text):
    story, marked = remove_marks(read_text(text, title="wolf"))
    assert (story.text, story.title) == (PLAIN, "wolf")
    assert list(map(str, story)) == ["It rained.", "The wolf came.", "It ate.", "It rained again."]
    assert find_sentences(story, marked) == {1, 2}
    assert [PLAIN[start:end] for start, end in marked] == ["The wolf came. It ate."]


@pytest.mark.parametrize("close", ["[[/keep]] ", " [[/keep]]"])
def test_marks_without_spaces_do_not_join_sentences(close):
    story, marked = remove_marks(read_text(f"It rained.[[keep]] A wolf came.{close}It ate. It slept."))
    assert str(story[0]) == "It rained."
    assert 1 in find_sentences(story, marked)


def test_what_a_mark_needs_in_markdown_goes_with_it():
    text = b"It rained. [[keep]]A wolf came[[/keep]]: it ate 2*3 sheep."
    story, _ = remove_marks(narrate(parse_document(text, where="x", name="x.md")))
    assert write_back(story).text == "It rained. A wolf came: it ate 2\\*3 sheep."


def test_passages_move_with_the_text():
    text = "[[keep]]A door creaks.[[/keep]]\n\nWho is there?"
    passages = (ScriptPassage(0, 31, "action"), ScriptPassage(33, 46, "dialogue", "MARY"))
    story, _ = remove_marks(Narrative(text, ((0, 31), (33, 46)), passages=passages))
    assert [(str(each), each.kind) for each in story] == [
        *(("A door creaks.", "action"), ("Who is there?", "dialogue"))
    ]


def test_a_mark_inside_a_sentence_protects_all_of_it():
    story, marked = remove_marks(read_text("It rained. The [[keep]]old[[/keep]] wolf came. It ate."))
    assert list(map(str, story)) == ["It rained.", "The old wolf came.", "It ate."]
    assert find_sentences(story, marked) == {1}


def test_a_text_without_marks_is_unchanged():
    story = read_text(PLAIN)
    assert remove_marks(story) == (story, ())


@pytest.mark.parametrize(
    "text", ["[[keep]] It rained.", "It [[/keep]] rained.", "[[keep]]a[[keep]]b[[/keep]]"]
)
def test_marks_come_in_pairs(text):
    with pytest.raises(BarthesError, match="has no counterpart"):
        remove_marks(read_text(text))


@pytest.mark.parametrize("text", ["", "x", "0", "3-1", "1,,2", "-2", "1.5"])
def test_bad_numbers_are_refused(text):
    with pytest.raises(BarthesError, match="is not the number of a sentence"):
        parse_numbers(text)


def test_numbers_count_from_one():
    assert parse_numbers(" 12-15, 20") == {11, 12, 13, 14, 19}
