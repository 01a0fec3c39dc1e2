"""Paragraphs and chapters in place of sentences."""

from __future__ import annotations

from dataclasses import replace

import pytest

import barthes
from barthes.cache import ScoreCache
from barthes.errors import BarthesError, NarrativeError, UnknownNameError
from barthes.models.counting import CountingModel
from barthes.narrative import Narrative
from barthes.reading import read_text
from barthes.salience.removal_method import SentenceDeletion
from barthes.scorer import measurement_key
from barthes.units import find_groups, regroup

TEXT = "A wolf came. It ate a sheep.\n\nIt rained.\n\n\nThe girl ran home. She slept."
STORY = read_text(TEXT, title="The Wolf")
BOOK = """# Wolves

## One

A wolf came. It ate a sheep.

## Two

It rained. The girl ran home.

She slept.
"""


def test_paragraphs_end_at_blank_lines():
    found = regroup(STORY, "paragraph")
    assert found.unit == "paragraph"
    assert [unit.text for unit in found] == [
        "A wolf came. It ate a sheep.",
        "It rained.",
        "The girl ran home. She slept.",
    ]
    assert (found.text, found.title) == (STORY.text, STORY.title)


def test_without_blank_lines_paragraphs_end_at_line_breaks():
    lines = read_text("A wolf came. It ate.\nIt rained.\r\nShe slept.")
    assert [unit.text for unit in regroup(lines, "paragraph")] == [
        "A wolf came. It ate.",
        "It rained.",
        "She slept.",
    ]


@pytest.mark.parametrize("unit", ["paragraph", "scene", "chapter"])
def test_a_text_that_is_not_divided_is_refused(unit):
    with pytest.raises(
        NarrativeError, match=f"The Wolf: it has no {unit}s: .*Choose sentences, or another unit"
    ):
        regroup(read_text("A wolf came. It ate.", title="The Wolf"), unit)


def test_chapters_are_those_of_the_file(tmp_path):
    file = tmp_path / "book.md"
    file.write_text(BOOK)
    story = barthes.read(file)
    assert [" ".join(unit.text.split()) for unit in regroup(story, "chapter")] == [
        "A wolf came. It ate a sheep.",
        "It rained. The girl ran home. She slept.",
    ]
    assert [title for _, title in story.chapters] == ["One", "Two"]


def test_chapters_of_plain_text_begin_with_their_headings(tmp_path):
    file = tmp_path / "book.txt"
    file.write_text(BOOK.replace("## One", "CHAPTER I").replace("## Two", "CHAPTER II"))
    first, second = (" ".join(unit.text.split()) for unit in regroup(barthes.read(file), "chapter"))
    assert first.endswith("A wolf came. It ate a sheep.")
    assert second == "It rained. The girl ran home. She slept."


def test_a_note_says_how_scenes_were_found():
    scenes = regroup(read_text("A wolf came. It ate.\n\n***\n\nIt rained."), "scene")
    assert [unit.text for unit in scenes] == ["A wolf came. It ate.", "It rained."]
    assert scenes.notes == ("The text marks 1 break between scenes: 1 “***”.",)


def test_what_stands_between_sentences_is_not_scored(tmp_path):
    file = tmp_path / "play.txt"
    file.write_text(
        "SCENE I\n\nANNA. Who is it?\n\nBEN. The wolf.\n\nANNA. [Rising] Which?\n\nBEN. The grey one.\n\n"
        "SCENE II\n\nANNA. I saw him.\n\n[Exit Ben.]\n\nBEN. So did I.\n"
    )
    story = barthes.read(file)
    scenes = regroup(story, "scene")
    assert list(map(str, scenes)) == ["Who is it? The wolf. Which? The grey one.", "I saw him. So did I."]
    assert "[Rising]" in scenes[0].text
    model = CountingModel([story.text])
    found = barthes.score(story, method="sd", unit="scene", model=model)
    assert found.scores == SentenceDeletion(model).score(Narrative.from_sentences(map(str, scenes))).scores
    found.save(tmp_path / "scenes.json")
    assert barthes.Profile.load(tmp_path / "scenes.json").narrative == found.narrative
    method = SentenceDeletion(model)
    assert measurement_key(scenes, method) != measurement_key(replace(scenes, left_out=()), method)


def test_only_sentences_are_regrouped():
    paragraphs = regroup(STORY, "paragraph")
    assert regroup(paragraphs, "paragraph") is paragraphs
    assert regroup(STORY, "sentence") is regroup(STORY, "event") is STORY
    assert regroup(paragraphs, "sentence") is paragraphs
    with pytest.raises(NarrativeError, match="divided into paragraphs, which cannot be regrouped"):
        regroup(paragraphs, "chapter")


def test_cached_scores_of_other_units_are_not_used(tmp_path):
    lines = read_text("A wolf came.\nIt rained.\nThe wolf ate.\nIt slept.")
    paragraphs = regroup(lines, "paragraph")
    assert paragraphs.spans == lines.spans
    cache = ScoreCache(tmp_path / "scores.sqlite3")
    model = CountingModel([lines.text])
    assert barthes.score(lines, model=model, window=16, cache=cache).unit == "sentence"
    method = SentenceDeletion(model, window=16)
    assert measurement_key(lines, method) != measurement_key(paragraphs, method)


def test_deleting_a_paragraph_is_deleting_its_text():
    model = CountingModel([TEXT])
    found = barthes.score(STORY, method="sd", unit="paragraph", model=model)
    texts = [str(unit) for unit in regroup(STORY, "paragraph")]
    plain = SentenceDeletion(model).score(Narrative.from_sentences(texts))
    assert found.scores == plain.scores
    assert (found.unit, found.influences) == ("paragraph", plain.influences)
    assert found.units[-1].reason == "nothing follows the last paragraph"


def test_methods_that_need_sentences_say_so():
    with pytest.raises(BarthesError, match=r"paragraphs are scored by .* sd.* not by va"):
        barthes.score(STORY, method="va", unit="paragraph", model=CountingModel([TEXT]))
    with pytest.raises(UnknownNameError, match="unit"):
        barthes.score(STORY, unit="verse", model=CountingModel([TEXT]))


def test_the_middle_of_long_units_is_left_out_of_windows():
    long = " ".join(f"The wolf number {k} came to the village." for k in range(12))
    story = regroup(read_text("\n\n".join([f"It rained. {long}"] * 4)), "paragraph")
    model = CountingModel([story.text])
    found = SentenceDeletion(model, window=100).score(story)
    assert found.window == 100
    assert "Only the first and last 24 tokens of 4 long paragraphs were read." in found.notes
    whole = SentenceDeletion(model).score(story)
    assert whole.window is None
    assert not any("long paragraphs" in note for note in whole.notes)


def test_saved_stories_keep_their_chapters(tmp_path):
    profile = barthes.score(replace(STORY, chapters=((0, "One"), (31, "Two"))), method="length")
    profile.save(tmp_path / "x.json")
    assert barthes.Profile.load(tmp_path / "x.json") == profile


def test_groups_are_the_longer_units_of_which_there_are_several():
    text = "One.\n\nI. A\n\nTwo. Three.\n\n***\n\nFour.\n\nII. B\n\nFive. Six.\n\nIII. C\n\nSeven. Eight."
    words = ["One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight"]
    spans = tuple((text.index(word), text.index(word) + len(word) + 1) for word in words)
    starts = tuple((text.index(title), title) for title in ("I. A", "II. B", "III. C"))
    story = Narrative(text, spans, chapters=starts)
    chapters, scenes = find_groups(story)
    assert (chapters.unit, chapters.starts, chapters.names) == (
        "chapter",
        (0, 4, 6),
        ("I. A", "II. B", "III. C"),
    )
    assert (scenes.unit, scenes.starts) == ("scene", (0, 1, 3, 4, 6))
    assert [groups.unit for groups in find_groups(regroup(story, "scene"))] == ["chapter"]
    assert find_groups(regroup(story, "chapter")) == ()
    assert find_groups(STORY) == ()
    assert find_groups(read_text("A wolf came. It rained. " * 3)) == ()
