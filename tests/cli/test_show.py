"""`barthes show`: events and removals of each sentence."""

from __future__ import annotations

import json

import pytest

from tests.cli.commands import check_refused, run
from tests.reading.conversion import make_epub

TEXT = 'The wolf ate the goat. "Put on your coat," said the fox.\n\nIt\nrained.\n'
SHOWN = """\
   1  The wolf ate the goat.
      · ate            ARG0 [The wolf]   ARG1 [the goat]
      SD   —
      VA   The wolf did the goat.
      PAA  Someone did something.

   2  "Put on your coat," said the fox.
      · Put … on       ARG1 [your coat]
      · said           ARG0 [the fox]   ARG1 [Put on your coat]
      SD   —
      VA   "Do on your coat," did the fox.
      PAA  "Do on something," did someone.

   3  It rained.
      · rained
      SD   —
      VA   It did.
      PAA  It did.
"""


@pytest.fixture
def tale(tmp_path):
    path = tmp_path / "tale.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_text_for_people(tale):
    assert run("show", tale) == (0, SHOWN, "")
    lines = run("show", tale, "--sentence", 1)[1].splitlines()
    assert lines[0] == "   1  The wolf ate the goat."
    assert lines == SHOWN.splitlines()[:5]


def test_json_has_offsets(tale):
    found = json.loads(run("show", tale, "--format", "json")[1])
    assert found["story"] == str(tale)  # as `barthes score` calls it
    assert [row["index"] for row in found["sentences"]] == [0, 1, 2]
    row = found["sentences"][1]
    put, said = row["events"]
    start = TEXT.index("Put")
    assert put["predicate"] == {"text": "Put", "start": start, "end": start + 3, "tag": "VB", "lemma": "put"}
    assert [particle["text"] for particle in put["particles"]] == ["on"]
    assert [argument["role"] for argument in said["arguments"]] == ["ARG0", "ARG1"]
    spans = [put["predicate"], *put["particles"], *(s for a in said["arguments"] for s in a["spans"]), row]
    assert all(TEXT[span["start"] : span["end"]] == span["text"] for span in spans)
    removed = {"sd": "", "va": '"Do on your coat," did the fox.', "paa": '"Do on something," did someone.'}
    assert row["removals"] == removed
    assert found["sentences"][2]["removals"]["va"] == "It\ndid."


def test_chapters_and_split_sentences(tmp_path):
    book = tmp_path / "book.epub"
    book.write_bytes(make_epub().data)
    found = json.loads(run("show", book, "--chapter", 2, "--sentences", "--format", "json")[1])
    assert (found["story"], len(found["sentences"])) == (f"{book}: The Bell", 2)
    check_refused(["show", book, "--chapter", 9], "there is no chapter 9")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--sentence", 9], "there is no sentence 9; the story has 3"),
        (["--sentence", 0], "--sentence"),
    ],
)
def test_wrong_arguments_are_explained(tale, options, message):
    check_refused(["show", tale, *options], message)
    check_refused(["show", "nowhere.txt"], "no such file")


def test_structure_lists_what_barthes_chapters_lists(tmp_path):
    book = tmp_path / "book.txt"
    book.write_text("CHAPTER I\n\nA wolf came.\n\nCHAPTER II\n\nIt rained.\n", encoding="utf-8")
    code, out, _ = run("show", book, "--structure")
    assert code == 0
    assert "CHAPTER II" in out
    assert out == run("chapters", book)[1]
