from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.annotation.passages import find_passages

PROSE = (
    "The wolf came down from the hills at night and went from house to\n"
    "house. Nobody opened. Then he saw the light in the window of the\n"
    "mill, and there the miller sat and counted."
)


def part(text: str) -> list[str]:
    return [text[passage.start : passage.end] for passage in find_passages(text)]


LINE = "The wolf came down from the hills at night. " * 4


@pytest.mark.parametrize(
    ("text", "breaks"),
    [
        (PROSE, ()),
        (f"{PROSE}\nHe slept.", (len(PROSE) + 1,)),  # there was room left
        (f"{LINE}\n{LINE}\n{LINE}", (len(LINE) + 1, 2 * len(LINE) + 2)),  # whole paragraphs
    ],
)
def test_hard_breaks_are_distinguished_from_wrapped_lines(text, breaks):
    (passage,) = find_passages(text)
    assert (passage.start, passage.end, passage.breaks) == (0, len(text.rstrip()), breaks)


def test_items_part_passages_but_a_dash_in_wrapped_prose_does_not():
    assert part("To do\n1) sleep\n2) eat") == ["To do", "1) sleep", "2) eat"]
    dashed = PROSE.replace("\nhouse", "\n- the house").replace("\nmill", "\n- old mill")
    assert part(dashed) == [dashed]


def test_a_sentence_with_few_capitals_is_not_a_heading():
    text = "He saw the Tzar\nAnd ran away."
    assert part(text) == [text]
    assert part("The Tzar of All\nAnd he ran away.") == ["The Tzar of All", "And he ran away."]


@given(st.text(alphabet="aB.,- 1\n\t\r\x0b\u3000", max_size=80))
def test_every_word_is_in_a_passage(text):
    passages = list(find_passages(text))
    position = 0
    for passage in passages:
        assert text[position : passage.start].strip() == ""
        assert position <= passage.start < passage.end
        assert all(passage.start < offset < passage.end for offset in passage.breaks)
        assert text[passage.start : passage.end].strip() == text[passage.start : passage.end]
        position = passage.end
    assert text[position:].strip() == ""
