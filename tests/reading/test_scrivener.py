"""Scrivener projects, as folders and zipped, whole and half synchronized."""

from __future__ import annotations

import os

import pytest

import barthes
from barthes.errors import BarthesError
from barthes.reading import find_stories, scrivener
from barthes.reading.formats import parse_document
from barthes.reading.source import read_bytes
from tests.reading.conversion import CHAPTERS, EXAMPLE, make_zip
from tests.reading.scrivener_projects import Item, make_project, make_tale, write_project

NOVEL = (
    Item("Prologue", text="It rained."),
    Item(
        "The Mill", Item("Night", text="The wolf came.\\par\\par It waited."), Item("Dawn", text="She hid.")
    ),
    Item("Cut", text="Nobody.", included=None),
    Item("Part Two", Item("Plans"), Item("End", text="He left."), text="Years passed."),
)


def parse(members):
    return parse_document(make_zip(members), where="tales/Novel.scriv", name="Novel.scriv")


def test_the_tale_as_a_project_gives_the_same_sentences(tmp_path):
    path = tmp_path / "tale.zip"
    path.write_bytes(make_tale().data)
    narrative = barthes.read(path)
    assert [str(each) for each in narrative] == [str(each) for each in barthes.read(EXAMPLE)]
    assert narrative.title == make_tale().title
    assert [gap.strip() for gap in narrative.gaps if gap.strip()] == ["***"] * 2
    titles = [each.title for each in barthes.read_chapters(path, title="")]
    assert titles == [title for title, _ in CHAPTERS]


@pytest.mark.parametrize("version", [2, 3])
def test_documents_are_read_in_the_order_of_the_binder(version):
    document = parse(make_project(*NOVEL, version=version))
    assert [(chapter.title, chapter.text) for chapter in document.chapters] == [
        ("Prologue", "It rained."),
        ("The Mill", "***\n\nThe wolf came.\n\nIt waited.\n\n***\n\nShe hid."),
        ("Part Two", "***\n\nYears passed.\n\n***\n\nHe left."),
    ]
    assert document.notes == (
        "These documents have no text, or it is not synchronized yet: “Plans”.",
        "Left out because not included in compile: “Cut”.",
    )
    assert document.title == "Novel"


def test_a_folder_is_read_and_never_changed(tmp_path):
    folder = write_project(tmp_path, make_project(*NOVEL))
    (folder / "Files" / "Data" / "04-AB" / "link.rtf").symlink_to(EXAMPLE)
    (folder / "Research.pdf").write_bytes(b"%PDF-")
    before = {path: path.lstat().st_mtime_ns for path in folder.rglob("*")}
    narrative = barthes.read(folder)
    assert len(narrative) == 6
    assert "Left out because not included in compile: “Cut”." in narrative.notes
    assert {path: path.lstat().st_mtime_ns for path in folder.rglob("*")} == before
    assert read_bytes(folder) == read_bytes(folder)
    assert find_stories([folder]) == find_stories([tmp_path]) == [folder]
    renamed = folder.rename(tmp_path / "Renamed")
    assert find_stories([tmp_path]) == [renamed]
    assert len(barthes.read(f"{renamed}{os.sep}")) == 6


def test_a_project_that_is_not_synchronized_says_what_is_missing(tmp_path):
    lost = {f"Files/Data/{number}-AB/content.rtf": None for number in ("02", "03")}
    lost |= {"Files/Data/07-AB/content.rtf": b"", "Novel (Anna's conflicted copy).scrivx": "<"}
    members = make_project(*NOVEL, **lost)
    folder = write_project(tmp_path, members)
    for narrative in (barthes.read(folder), barthes.reading.narrate(parse(members))):
        assert [str(each) for each in narrative] == ["It rained.", "Years passed."]
        assert narrative.notes[1].endswith("synchronized yet: “Night”, “Dawn”, “Plans”, “End”.")


ONE = Item("One", text="It rained.")
BINDER = "Novel.scriv/Novel.scrivx"


@pytest.mark.parametrize(
    ("members", "message"),
    [
        (
            make_project(ONE, **{"Files/Data/00-AB/content.rtf": b""}),
            "the texts of “One” are missing. Let the synchronization finish",
        ),
        (
            make_project(Item("One", text="It rained.", included="No")),
            "no document with text in its Draft folder is included in compile. Select",
        ),
        (make_project(), "there is no running text in it"),
        (
            make_project(ONE) | {BINDER: "<ScrivenerProject>"},
            "'Novel.scriv/Novel.scrivx' in it is not well-formed",
        ),
        (make_project(ONE) | {BINDER: "<ScrivenerProject/>"}, "has no Draft folder"),
        (make_project(ONE) | {BINDER: '<!DOCTYPE x [<!ENTITY a "ha">]><x/>'}, "declares the entity 'a'"),
        (make_project(ONE) | make_project(ONE, name="Other"), "it has 2 Scrivener projects"),
        (make_project(ONE, **{"Files/Data/00-AB/content.rtf": "{\\rtf1 It"}), "'One'.*ends too early"),
        (make_project(ONE, **{"Files/Data/00-AB/content.rtf": "It rained."}), "'One'.*not an RTF file"),
        ({"__MACOSX/._Novel.scrivx": "x"}, "it is a zip archive"),
    ],
)
def test_bad_projects_are_refused(members, message):
    with pytest.raises(BarthesError, match=message) as caught:
        parse(members)
    assert str(caught.value).startswith("tales/Novel.scriv")
    assert caught.value.remedy


def test_a_folder_without_a_binder_a_binder_alone_and_a_large_project(tmp_path, monkeypatch):
    (tmp_path / "Empty.scriv").mkdir()
    with pytest.raises(BarthesError, match=r"Empty\.scriv: this Scrivener project has no binder"):
        barthes.read(tmp_path / "Empty.scriv")
    folder = write_project(tmp_path, make_project(ONE))
    with pytest.raises(BarthesError, match=r"only the binder of a Scrivener project\. Give the folder"):
        barthes.read(folder / "Novel.scrivx")
    monkeypatch.setattr(scrivener, "LARGEST", 100)
    with pytest.raises(BarthesError, match=r"Novel\.scriv: the texts of this project are larger"):
        barthes.read(folder)


def test_tags_and_notes_in_the_text_are_removed():
    text = (
        r"<$Scr_Ps::0>It \{\\Scrv_annot \\color=\{\\R=1\} \\text=Why? \\end_Scrv_annot\}rained.<!$Scr_Ps::0>"
    )
    document = parse(make_project(Item("One", text=text)))
    assert document.join().text == "It rained."
    assert document.marked[-1].kind == "note"


def test_without_marks_every_document_is_included():
    document = parse(make_project(Item("One", text="It rained.", included=None)))
    assert document.join().text == "It rained."
