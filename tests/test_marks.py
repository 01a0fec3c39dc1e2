"""Marks in the text, and numbers of sentences."""

from __future__ import annotations

import pytest

import barthes
from barthes.cutting.write_back import write_back
from barthes.errors import BarthesError
from barthes.marks import find_overlapping, parse_numbers, remove_marks
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
    story = read_text(text, title="wolf")
    assert (story.text, story.title) == (PLAIN, "wolf")
    assert list(map(str, story)) == ["It rained.", "The wolf came.", "It ate.", "It rained again."]
    assert find_overlapping(story.spans, story.kept) == {1, 2}
    assert [PLAIN[start:end] for start, end in story.kept] == ["The wolf came. It ate."]


@pytest.mark.parametrize("close", ["[[/keep]] ", " [[/keep]]"])
def test_marks_without_spaces_do_not_join_sentences(close):
    story = read_text(f"It rained.[[keep]] A wolf came.{close}It ate. It slept.")
    assert str(story[0]) == "It rained."
    assert 1 in find_overlapping(story.spans, story.kept)


def test_what_a_mark_needs_in_markdown_goes_with_it():
    text = b"It rained. [[keep]]A wolf came[[/keep]]: it ate 2*3 sheep."
    story = narrate(parse_document(text, where="x", name="x.md"))
    assert write_back(story).text == "It rained. A wolf came: it ate 2\\*3 sheep."


def test_passages_move_with_the_text():
    text = "[[keep]]A door creaks.[[/keep]]\n\nWho is there?"
    passages = (ScriptPassage(0, 31, "action"), ScriptPassage(33, 46, "dialogue", "MARY"))
    story = remove_marks(Narrative(text, ((0, 31), (33, 46)), passages=passages))
    assert [(str(each), each.kind) for each in story] == [
        *(("A door creaks.", "action"), ("Who is there?", "dialogue"))
    ]


def test_a_mark_inside_a_sentence_protects_all_of_it():
    story = read_text("It rained. The [[keep]]old[[/keep]] wolf came. It ate.")
    assert list(map(str, story)) == ["It rained.", "The old wolf came.", "It ate."]
    assert find_overlapping(story.spans, story.kept) == {1}


def test_a_text_without_marks_is_unchanged():
    story = read_text(PLAIN)
    assert remove_marks(story) is story


MARKED = "It rained. [[skip]]A wolf came.[[/skip]] It ate. [[keep]]It slept.[[/keep]]"
SENTENCES = ["It rained.", "A wolf came.", "It ate.", "It slept."]


def test_every_way_to_read_a_story_removes_marks(tmp_path):
    (tmp_path / "tale.txt").write_text(MARKED)
    document = parse_document(MARKED.encode(), where="x", name="x.txt")
    stories = [
        barthes.read(tmp_path / "tale.txt"),
        *barthes.read_chapters(tmp_path / "tale.txt"),
        narrate(document),
        read_text(MARKED),
        barthes.score(MARKED, method="length").narrative,
        barthes.score(MARKED.replace(" [[", "\n[[").split("\n"), method="length").narrative,
    ]
    assert [list(map(str, story)) for story in stories] == [SENTENCES] * len(stories)
    for story in stories:
        assert find_overlapping(story.spans, story.skipped) == {1}
        assert find_overlapping(story.spans, story.kept) == {3}


def test_a_part_of_a_story_has_its_passages():
    part = read_text(MARKED)[1:3]
    assert [part.text[start:end] for start, end in part.skipped] == ["A wolf came."]
    assert part.kept == ()
    assert find_overlapping(read_text(MARKED)[3:].spans, read_text(MARKED)[3:].kept) == {0}


@pytest.mark.parametrize(
    "text", ["[[keep]] It rained.", "It [[/keep]] rained.", "[[keep]]a[[keep]]b[[/keep]]"]
)
def test_marks_come_in_pairs(text):
    with pytest.raises(BarthesError, match="has no counterpart"):
        read_text(text)


@pytest.mark.parametrize("text", ["", "x", "0", "3-1", "1,,2", "-2", "1.5"])
def test_bad_numbers_are_refused(text):
    with pytest.raises(BarthesError, match="is not the number of a sentence"):
        parse_numbers(text)


def test_numbers_count_from_one():
    assert parse_numbers(" 12-15, 20") == {11, 12, 13, 14, 19}
