"""`scripts/check_texts.py`: how well texts are read."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest

from barthes.narrative import Narrative
from barthes.reading.formats import find_format
from tests.reading.printing import Printer
from tests.reading.writers import WRITERS

PLAY = """\
WOLF. Open the door, little goat.

GOAT: No! you have a rough voice. The \ufb01re is out.

WOLF.

Open the door, little goat.

ACT II.
"""


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[1] / "scripts")
    return importlib.import_module("check_texts")


def test_what_is_counted(script, tmp_path, capsys):
    (tmp_path / "play.txt").write_text(PLAY, encoding="utf-8")
    (tmp_path / "lines.txt").write_text(
        "Chapter 1\n\nit rained.\n\nChapter 2\n\nIt rained.", encoding="utf-8"
    )
    assert script.main([str(tmp_path), "--format", "json"]) == 0
    lines, play = json.loads(capsys.readouterr().out)
    assert (lines["chapters"], lines["lower_case"], lines["speakers"], lines["lost"]) == (2, 1, 0, None)
    assert (play["chapters"], play["ligatures"]) == (0, 1)
    assert play["repeats"] >= 2


def test_speakers_are_names_in_capitals_that_occur_again(script):
    assert script.find_speakers(PLAY.split("\n")) == ["WOLF. Open the door, little goat.", "WOLF."]


def test_every_occurrence_of_a_repeat_counts(script):
    story = Narrative.from_sentences(["Open the\ndoor.", "No.", "Open the door."])
    assert script.count_repeats(story) == 2


def test_files_that_cannot_be_read_are_listed(script, tmp_path, capsys):
    (tmp_path / "a.pdf").write_bytes(Printer().to_pdf())
    (tmp_path / "b.txt").write_text("The wolf came.", encoding="utf-8")
    assert script.main([str(tmp_path / "a.pdf"), str(tmp_path / "b.txt")]) == 2
    header, broken, read = capsys.readouterr().out.splitlines()
    assert "lower case" in header
    assert "is broken" in broken
    assert read.split()[1:] == ["1", "0", "0.0", "%", "0", "0", "0", "–"]
    script.main([str(tmp_path), "--format", "tsv"])
    assert [line.count("\t") for line in capsys.readouterr().out.splitlines()] == [8, 8, 8]


def test_words_that_the_markup_has_and_we_do_not(script, tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<p>The wolf came.</p><p hidden>One two.</p><h1>The End</h1>", encoding="utf-8")
    assert script.check_text(page).lost == round(6 / 23, 4)


@pytest.mark.parametrize("write", WRITERS)
def test_nothing_is_lost_of_any_format(script, tmp_path, write):
    ending, data = write(
        [("The Mill", "A wolf came."), ("The Well", "A girl wept."), ("Notes", "It rained.")]
    )
    path = tmp_path / f"tales{ending}"
    path.write_bytes(data)
    expected = script.extract_text(data, find_format(data, where="", name=path.name))
    assert expected is None or "The Well" in " ".join(expected.split())
    assert not script.check_text(path).lost
