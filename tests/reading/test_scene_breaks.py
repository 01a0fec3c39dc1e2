"""Lines that separate scenes stay in the text and are not sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.errors import EmptyNarrativeError
from barthes.reading import read, read_text
from barthes.reading.scene_breaks import is_scene_break, mask_scene_breaks

BREAKS = [
    "***",
    "* * *",
    "#",
    "###",
    "⁂",
    "---",
    "- - -",
    "~",
    "* # *",
    "————",
    "INT. MILL - NIGHT",
    ".LATER",
]


@pytest.mark.parametrize("line", BREAKS)
@pytest.mark.parametrize("around", ["\n", "\n\n", "\r\n\r\n", "\n\t \n    "])
def test_a_scene_break_is_in_a_gap_and_not_a_sentence(line, around):
    text = f"The wolf came.{around}{line}{around}She hid. It rained."
    narrative = read_text(text)
    assert [str(sentence) for sentence in narrative] == ["The wolf came.", "She hid.", "It rained."]
    assert narrative.text == text
    assert narrative.gaps[1].strip() == line


@pytest.mark.parametrize(
    "line",
    ["—", "--", "...", "…", "?", "1", "# 3", "*Canis lupus", "Int, a wolf.", "EST MODUS", ".net", '."'],
)
def test_other_lines_are_sentences_as_before(line):
    assert not is_scene_break(line)
    assert line in [sentence.text for sentence in read_text(f"The wolf came.\n\n{line}\n\nShe hid.")]


def test_a_manuscript_with_breaks_alone_is_empty(tmp_path):
    path = tmp_path / "tale.txt"
    path.write_text("***\n\n#\n")
    with pytest.raises(EmptyNarrativeError, match=r"tale\.txt: there is nothing in it"):
        read(path)


def test_breaks_of_markdown_are_breaks(tmp_path):
    path = tmp_path / "tale.md"
    path.write_text(
        "# Part One\n\nA wolf came.\n\n---\n\nShe hid.\n\n#\n\nIt rained.\n\n# Part Two\n\n* * *\n"
    )
    narrative = read(path)
    assert [str(each) for each in narrative] == ["A wolf came.", "She hid.", "It rained."]
    assert [gap.strip() for gap in narrative.gaps] == ["", "***", "***", ""]


def test_lines_that_are_sentences_already_stay_as_they_are():
    assert [str(each) for each in read_text("One.\n***\nTwo.", sentences=True)] == ["One.", "***", "Two."]


@given(st.text(alphabet="a*#-. \n\r\u2028", max_size=60))
def test_masking_keeps_length_and_words(text):
    masked = mask_scene_breaks(text)
    assert len(masked) == len(text)
    assert masked.count("a") == text.count("a")
