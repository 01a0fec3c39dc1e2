"""Where scenes begin: marks in the text, and shifts of topic in texts without marks."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.narrative import Narrative
from barthes.reading import read, read_chapters, read_text
from barthes.scenes import (
    choose_breaks,
    find_paragraph_starts,
    find_scene_breaks,
    find_scenes,
    find_words,
    measure_shifts,
    segment_scenes,
    weigh_words,
)
from tests.reading.conversion import make_zip

SENTENCES = ["The wolf came.", "It rained.", "The girl slept.", "A bell rang.", "Nobody heard it."]


def join(*gaps: str) -> Narrative:
    """Return the sentences with these gaps between them."""
    pieces = [piece for pair in zip(SENTENCES, [*gaps, ""], strict=False) for piece in pair]
    return read_text("".join(pieces))


def begin(narrative: Narrative) -> list[str]:
    return [str(narrative[index]) for index in find_scene_breaks(narrative)]


@pytest.mark.parametrize("mark", ["***", "* * *", "#", "###", "⁂", "---", "* * * * *", "~", "❦"])
@pytest.mark.parametrize("gap", ["\n\n{}\n\n", "\n\n\n\n    {}\n\n\n\n", "\n{}\n", "\r\n\r\n{}\r\n\r\n"])
def test_dividers_begin_scenes(gap, mark):
    narrative = join(" ", gap.format(mark), "\n\n", " ")
    assert begin(narrative) == ["The girl slept."]
    assert find_scenes(narrative).note == f"The text marks 1 break between scenes: 1 “{mark}”."


def test_a_divider_that_is_a_sentence_begins_its_scene():
    lines = ["The wolf came.", "***", "It rained.", "***", "It stopped."]
    assert find_scene_breaks(Narrative.from_sentences(lines)) == ()  # on the same line
    assert find_scene_breaks(read_text("\n".join(lines), sentences=True)) == (1, 3)


def test_a_divider_at_either_end_begins_nothing():
    assert find_scene_breaks(read_text("* * *\n\nThe wolf came. It rained.\n\n* * *\n")) == ()


@pytest.mark.parametrize("line", ["...", "“—”", "x * x", "A wolf * * * came."])
def test_other_lines_are_no_dividers(line):
    assert find_scene_breaks(read_text(f"The wolf came.\n\n{line}\n\nIt rained.")) == ()


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
    (found,) = find_scene_breaks(narrative)
    assert str(narrative[found]) == "It rained."
    assert narrative.gaps[found].strip() == heading


def test_sentences_are_no_screenplay_headings():
    text = "He slept.\n\nInternal doors were shut.\n\nINT. is short for interior.\n\nEXTREME COLD\n\nHe died."
    assert find_scene_breaks(read_text(text)) == ()


def test_chapters_begin_scenes_with_what_stands_around_them(tmp_path):
    file = tmp_path / "tale.txt"
    file.write_text(
        "CHAPTER I\n\nThe wolf came.\n\n\n\n* * *\n\n\n\nCHAPTER II\n\n\n\nIt rained.\n\nIt stopped."
    )
    assert begin(read(file)) == ["CHAPTER II"]


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


def test_scenes_inside_chapters_are_estimated_if_only_chapters_are_marked(tmp_path):
    file = tmp_path / "novel.txt"
    topics = ["wolf sheep hill", "king queen castle", "ship sea storm", "girl well frog"]
    scenes = ["\n\n".join(f"The {topic} and the {topic} once more." for _ in range(60)) for topic in topics]
    gap = "\n\n\n\n"
    chapters = [f"CHAPTER I{gap}{scenes[0]}\n\n{scenes[1]}", f"CHAPTER II{gap}{scenes[2]}\n\n{scenes[3]}"]
    file.write_text(gap.join([*chapters, f"CHAPTER III{gap}It rained.\n\nIt stopped."]))
    narrative = read(file)
    found = find_scenes(narrative, words=540)
    assert [str(narrative[index]) for index in found.breaks] == [
        "The king queen castle and the king queen castle once more.",
        "CHAPTER II",
        "The girl well frog and the girl well frog once more.",
        "CHAPTER III",
    ]
    assert found.note.startswith("Scenes inside the chapters were estimated")
    file.write_text(gap.join([*chapters, f"CHAPTER III{gap}It rained.\n\n***\n\nIt stopped."]))
    assert len(find_scenes(read(file), words=540).breaks) == 3, "the author marks scenes"


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
    assert find_scene_breaks(narrative) == ()


def tell(*topics: str, sentences: int = 12) -> Narrative:
    """Return a text without marks about one thing after the other, a paragraph a sentence."""
    lines = [
        f"The {topic} saw the {topic}’s {k % 3} other {topic}s by the {topic}."
        for topic in topics
        for k in range(sentences)
    ]
    return read_text("\n\n".join(lines), sentences=True)


def test_topics_are_told_apart():
    narrative = tell("wolf", "ship", "queen")
    assert segment_scenes(narrative, words=110) == (12, 24)
    scenes = find_scenes(narrative, words=110)
    assert scenes.breaks == (12, 24)
    assert scenes.note.startswith("Scenes were estimated from shifts of topic, about 110 words each")


def test_scenes_do_not_open_with_speech():
    lines = [("“Come,” said he." if k % 4 else "He came to her.") for k in range(40)]
    breaks = segment_scenes(read_text("\n\n".join(lines), sentences=True), words=30)
    assert breaks
    assert all(index % 4 == 0 for index in breaks)


def test_short_texts_are_one_scene():
    assert segment_scenes(Narrative.from_sentences(["A wolf came."])) == ()
    assert segment_scenes(Narrative.from_sentences(["1 2.", "3."])) == ()
    assert segment_scenes(Narrative.from_sentences(SENTENCES)) == ()
    assert find_scenes(Narrative.from_sentences(SENTENCES)).breaks == ()


def test_shifts_equal_a_plain_computation():
    narrative = tell("wolf", "ship")
    sentences = find_words(narrative)
    ends = np.cumsum([0, *map(len, sentences)])
    candidates = np.arange(1, len(narrative))
    cosines = []
    for index in candidates:
        before = [k for k in range(index) if ends[k] >= ends[index] - 20]
        after = [k for k in range(index, len(sentences)) if ends[k] - ends[index] < 20]
        cosines.append(_cosine(sentences, before, after))
    expected = (np.mean(cosines) - cosines) / np.std(cosines)
    assert measure_shifts(weigh_words(sentences), ends, candidates, compared=20) == pytest.approx(expected)


def _cosine(sentences, before, after):
    def weigh(indices):
        counts = {}
        for index in indices:
            for word in set(sentences[index]):
                rarity = np.log(len(sentences) / sum(word in each for each in sentences))
                counts[word] = counts.get(word, 0) + rarity
        return counts

    one, other = weigh(before), weigh(after)
    product = sum(weight * other.get(word, 0) for word, weight in one.items())
    return product / np.sqrt(sum(w * w for w in one.values()) * sum(w * w for w in other.values()))


@given(st.lists(st.tuples(st.integers(1, 9), st.floats(-2, 2)), min_size=2, max_size=8), st.integers(1, 20))
def test_chosen_breaks_are_the_best_of_all(paragraphs, words):
    ends = np.cumsum([0, *(count for count, _ in paragraphs)])
    gains = np.array([gain for _, gain in paragraphs[1:]])
    candidates = np.arange(1, len(paragraphs))

    def rate(breaks):
        edges = ends[[0, *breaks, len(paragraphs)]]
        uneven = sum(((stop - start) / words - 1) ** 2 for start, stop in pairwise(edges))
        return sum(gains[each - 1] for each in breaks) - 2 * uneven

    every = [
        list(each) for count in range(len(paragraphs)) for each in combinations(candidates.tolist(), count)
    ]
    chosen = choose_breaks(candidates, gains, ends, words=words, evenness=2)
    assert rate(list(chosen)) == pytest.approx(max(map(rate, every)))


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
    assert find_scene_breaks(narrative) == (2,)


def test_breaks_survive_in_word_documents(tmp_path):
    body = [f"<w:p><w:r><w:t>{line}</w:t></w:r></w:p>" for line in SENTENCES]
    body.insert(2, "<w:p><w:r><w:t>#</w:t></w:r></w:p>")
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    document = f'<w:document xmlns:w="{space}"><w:body>{"".join(body)}</w:body></w:document>'
    path = tmp_path / "tale.docx"
    path.write_bytes(make_zip({"[Content_Types].xml": "<Types/>", "word/document.xml": document}))
    assert find_scene_breaks(read(path)) == (2,)


def test_a_chapter_of_dividers_only_is_no_chapter(tmp_path):
    path = tmp_path / "tale.md"
    path.write_text(
        "# One\n\nA wolf came.\n\n# Two\n\n\\* \\* \\*\n\n# Three\n\nIt rained.\n", encoding="utf-8"
    )
    assert [narrative.text for narrative in read_chapters(path)] == ["A wolf came.", "It rained."]
