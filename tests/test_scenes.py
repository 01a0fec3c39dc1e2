"""Where scenes begin: marks in the text, and equal lengths in texts without marks."""

from __future__ import annotations

from itertools import pairwise

import pytest

from barthes.narrative import Narrative
from barthes.reading import read, read_chapters, read_text
from barthes.scenes import find_paragraph_starts, find_scenes
from tests.reading.conversion import make_zip

SENTENCES = ["The wolf came.", "It rained.", "The girl slept.", "A bell rang.", "Nobody heard it."]


def join(*gaps: str) -> Narrative:
    """Return the sentences with these gaps between them."""
    pieces = [piece for pair in zip(SENTENCES, [*gaps, ""], strict=False) for piece in pair]
    return read_text("".join(pieces))


def begin(narrative: Narrative) -> list[str]:
    return [str(narrative[index]) for index in find_scenes(narrative).breaks]


@pytest.mark.parametrize("mark", ["***", "* * *", "#", "###", "⁂", "---", "* * * * *", "~", "❦"])
@pytest.mark.parametrize("gap", ["\n\n{}\n\n", "\n\n\n\n    {}\n\n\n\n", "\n{}\n", "\r\n\r\n{}\r\n\r\n"])
def test_dividers_begin_scenes(gap, mark):
    narrative = join(" ", gap.format(mark), "\n\n", " ")
    assert begin(narrative) == ["The girl slept."]
    assert find_scenes(narrative).note == f"The text marks 1 break between scenes: 1 “{mark}”."


def test_a_divider_that_is_a_sentence_begins_its_scene():
    lines = ["The wolf came.", "***", "It rained.", "***", "It stopped."]
    assert find_scenes(Narrative.from_sentences(lines)).breaks == ()  # on the same line
    assert find_scenes(read_text("\n".join(lines), sentences=True)).breaks == (1, 3)


def test_a_divider_at_either_end_begins_nothing():
    assert find_scenes(read_text("* * *\n\nThe wolf came. It rained.\n\n* * *\n")).breaks == ()


@pytest.mark.parametrize("line", ["...", "“—”", "x * x", "A wolf * * * came."])
def test_other_lines_are_no_dividers(line):
    assert find_scenes(read_text(f"The wolf came.\n\n{line}\n\nIt rained.")).breaks == ()


@pytest.mark.parametrize(
    "heading",
    [
        "INT. MILL - NIGHT",
        "EXT. THE WELL",
        "12A INT./EXT. CAR (MOVING) - DAY",
        "I/E CART - DAWN",
        "EST. A TOWN",
    ],
)
def test_screenplay_headings_begin_scenes(heading):
    text = f"INT. HOUSE - DAY\n\nThe wolf came in.\n\n{heading}\n\nIt rained."
    narrative = read_text(text)
    (found,) = find_scenes(narrative).breaks
    assert str(narrative[found]) == "It rained."
    assert narrative.gaps[found].strip() == heading


def test_sentences_are_no_screenplay_headings():
    text = "He slept.\n\nInternal doors were shut.\n\nINT. is short for interior.\n\nEXTREME COLD\n\nHe died."
    assert find_scenes(read_text(text)).breaks == ()


def test_chapters_begin_scenes_with_what_stands_around_them(tmp_path):
    file = tmp_path / "tale.txt"
    file.write_text(
        "CHAPTER I\n\nThe wolf came.\n\n\n\n* * *\n\n\n\nCHAPTER II\n\n\n\nIt rained.\n\nIt stopped."
    )
    assert begin(read(file)) == ["It rained."]


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        (["## I", "A wolf.", "***", "## II", "It ate.", "***", "## III", "It slept."], "2 between chapters"),
        (
            ["# I", "A wolf.", "# II", "***", "It ate.", "***", "# III", "***", "It slept."],
            "2 between chapters",
        ),
        (["## I", "A wolf.", "***", "It ate.", "## II", "It slept."], "1 “***”, 1 between chapters"),
        (
            ["# A", "## I", "A wolf.", "## II", "It ran.", "***", "# B", "## I", "It ate."],
            "2 between chapters",
        ),
    ],
)
def test_stars_beside_the_heading_of_a_chapter_count_once(tmp_path, parts, found):
    file = tmp_path / "tale.md"
    file.write_text("\n\n".join(parts))
    scenes = find_scenes(read(file))
    assert scenes.breaks == (1, 2)
    assert scenes.note == f"The text marks 2 breaks between scenes: {found}."


def test_chapters_without_other_marks_are_divided_by_length(tmp_path):
    file = tmp_path / "novel.txt"
    long = "\n\n".join(f"The wolf came to the house number {k} again." for k in range(60))
    gap = "\n\n\n\n"
    chapters = [
        f"CHAPTER I{gap}{long}",
        f"CHAPTER II{gap}{long}",
        f"CHAPTER III{gap}It rained.\n\nIt stopped.",
    ]
    file.write_text(gap.join(chapters))
    narrative = read(file)
    found = find_scenes(narrative, words=270)
    chapters = [60, 120]
    assert len(found.breaks) == 4
    assert found.breaks[0] < chapters[0] < found.breaks[2] < chapters[1]
    assert "about 270 words" in found.note
    file.write_text(file.read_text().replace("It rained.", "It rained.\n\n***"))
    assert len(find_scenes(read(file), words=270).breaks) == 3, "the author marks scenes"


def test_scenes_of_a_play_are_not_divided(tmp_path):
    file = tmp_path / "play.txt"
    speeches = "\n\n".join(f"ANNA. The wolf came {n} times.\n\nBEN. He came for sheep." for n in range(90))
    file.write_text(f"SCENE I\n\n{speeches}\n\nSCENE II\n\n{speeches}\n")
    assert find_scenes(read(file)).note == "The text marks 1 break between scenes: 1 scene heading."


def test_gaps_wider_than_between_paragraphs_begin_scenes():
    assert begin(join("\n\n", "\n\n\n\n", "\n\n", "\n \n \n\n ")) == ["The girl slept.", "Nobody heard it."]
    assert begin(join("\n\n", "\n\n\n", "\n\n", "\n\n")) == []  # one line more is carelessness
    assert begin(join("\n\n\n\n", "\n\n\n\n", "\n\n\n\n", "\n\n\n\n")) == []
    scenes = find_scenes(join("\n\n", "\n\n\n\n", "\n\n", "\n\n\n\n"))
    assert scenes.note == "The text marks 2 breaks between scenes: 2 wide gaps."


def test_a_rare_blank_line_begins_a_scene_where_paragraphs_are_lines():
    lines = [f"The wolf came to house {k}. Nobody opened." for k in range(20)]
    text = "\n".join([*lines[:9], "", *lines[9:]])
    assert begin(read_text(text)) == ["The wolf came to house 9."]
    stanzas = "\n\n".join("\n".join(lines[k : k + 4]) for k in range(0, 20, 4))
    assert begin(read_text(stanzas)) == []
    assert begin(read_text(stanzas, sentences=True)) == []


def test_line_breaks_of_wrapped_text_are_not_paragraphs():
    wrapped = (
        "The wolf came down from the hills at night and went from house to\nhouse. Nobody opened, and he\n"
        "went on.\nThen he saw the light in the window of the mill, where the old\nmiller sat and counted."
    )
    narrative = read_text(f"{wrapped}\n\n{wrapped}\n\n{wrapped}")
    assert find_paragraph_starts(narrative) == [3, 6]
    assert find_scenes(narrative).breaks == ()


@pytest.mark.parametrize("words", [20, 45, 1000])
def test_parts_of_unmarked_text_have_about_equal_lengths(words):
    narrative = read_text("\n\n".join(f"The wolf came. He ate {k} sheep again." for k in range(30)))
    found = find_scenes(narrative, words=words)
    assert len(found.breaks) == round(30 * 8 / words) - 1 if words < 200 else found.breaks == ()
    assert set(found.breaks) <= set(find_paragraph_starts(narrative))
    edges = [0, *found.breaks, len(narrative)]
    lengths = [4 * (stop - start) for start, stop in pairwise(edges)]
    assert max(lengths) - min(lengths) <= 16


def test_short_texts_are_one_scene():
    for lines in (["A wolf came."], ["1 2.", "3."], SENTENCES):
        assert find_scenes(Narrative.from_sentences(lines)).breaks == ()


PARAGRAPHS = [f"<p>{line}</p>" for line in SENTENCES]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tale.md", "\n\n***\n\n".join(["\n\n".join(SENTENCES[:2]), "\n\n".join(SENTENCES[2:])])),
        ("tale.md", "\n\n#\n\n".join(["\n\n".join(SENTENCES[:2]), "\n\n".join(SENTENCES[2:])])),
        ("tale.html", f"<h1>Wolf</h1><hr>{PARAGRAPHS[0]}{PARAGRAPHS[1]}<hr/>{''.join(PARAGRAPHS[2:])}<hr>"),
        ("tale.html", f"{''.join(PARAGRAPHS[:2])}<p>* * *</p>{''.join(PARAGRAPHS[2:])}"),
        ("tale.txt", "\n\n".join([*SENTENCES[:2], "* * *", *SENTENCES[2:]])),
        ("tale.txt", "\n\n".join([*SENTENCES[:2], "#", *SENTENCES[2:]])),
        ("tale.txt", "\n".join([*SENTENCES[:2], "#", *SENTENCES[2:]])),
        ("tale.txt", "\n\n".join([*SENTENCES[:2], "", *SENTENCES[2:]])),
    ],
    ids=[
        "Markdown rule",
        "Markdown #",
        "HTML rule",
        "HTML stars",
        "stars",
        "manuscript",
        "manuscript, single lines",
        "gap",
    ],
)
def test_breaks_survive_reading(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    narrative = read(path)
    assert [str(sentence) for sentence in narrative] == SENTENCES
    assert find_scenes(narrative).breaks == (2,)


def test_breaks_survive_in_word_documents(tmp_path):
    body = [f"<w:p><w:r><w:t>{line}</w:t></w:r></w:p>" for line in SENTENCES]
    body.insert(2, "<w:p><w:r><w:t>#</w:t></w:r></w:p>")
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    document = f'<w:document xmlns:w="{space}"><w:body>{"".join(body)}</w:body></w:document>'
    path = tmp_path / "tale.docx"
    path.write_bytes(make_zip({"[Content_Types].xml": "<Types/>", "word/document.xml": document}))
    assert find_scenes(read(path)).breaks == (2,)


def test_a_chapter_of_dividers_only_is_no_chapter(tmp_path):
    path = tmp_path / "tale.md"
    path.write_text(
        "# One\n\nA wolf came.\n\n# Two\n\n\\* \\* \\*\n\n# Three\n\nIt rained.\n", encoding="utf-8"
    )
    assert [narrative.text for narrative in read_chapters(path)] == ["A wolf came.", "It rained."]
