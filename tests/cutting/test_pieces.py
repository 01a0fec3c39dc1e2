"""What stands between units goes with the units that it introduces."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.cutting.pieces import divide_text, join_pieces
from barthes.narrative import Narrative, ScriptPassage
from barthes.reading import read
from barthes.units import regroup
from tests.strategies import narratives

BOOK = (
    "THE BOOK\n\nChapter I\nThe Start\n\nA wolf came. It ate.\n\n* * *\n\nThe king woke. He ran.\n\n"
    "Chapter II\n\nA girl sang.\n\n* * *\n\nShe left.\n\nChapter III\n\nThe end came. All slept.\n"
)
PLAY = (
    "ACT I\n\nSCENE I\n\nANNA. Who is it?\n\nBEN. The wolf. He is grey.\n\nANNA. [Rising] Which?\n\n"
    "BEN. The grey one.\n\nSCENE II\n\nANNA. I saw him. He ran.\n\n[Exit Ben.]\n\nBEN. So did I.\n\n"
    "ANNA. Good.\n\nBEN. Bye.\n"
)
SCRIPT = (
    "INT. MILL - NIGHT\n\nThe wolf comes.\n\nANNA\nWho is it?\n\nEXT. HILL - DAY\n\nThe sun shines.\n\n"
    "BEN\nThe wolf.\n\nANNA\nWhich?\n\nBEN\nThe grey one.\n\nINT. HOUSE - DAY\n\nAll sleep.\n"
)
SCENES = "A wolf came. It ate.\n\n***\n\nIt rained.\n\n***\n\nThe girl ran.\n\n***\n\nAll slept.\n"
CUTS = (
    "INT. MILL - NIGHT\n\nThe wolf comes.\n\nCUT TO:\n\nEXT. HILL - DAY\n\nIt rains.\n\nCUT TO:\n\n"
    "INT. HOUSE - DAY\n\nThe girl runs. She hides.\n\nFADE OUT."
)


@pytest.fixture
def divide(tmp_path):
    def divide(text, unit):
        path = tmp_path / ("story.fountain" if text == CUTS else "story.txt")
        path.write_text(text, encoding="utf-8")
        return divide_text(regroup(read(path), unit).restore())

    return divide


@pytest.mark.parametrize(
    ("text", "unit", "gone", "left"),
    [
        (BOOK, "scene", {0}, BOOK.replace("A wolf came. It ate.\n\n* * *\n\n", "")),
        (BOOK, "scene", {1}, BOOK.replace("* * *\n\nThe king woke. He ran.\n\n", "")),
        (BOOK, "scene", {2}, BOOK.replace("A girl sang.\n\n* * *\n\n", "")),
        (BOOK, "scene", {2, 3}, BOOK.replace("Chapter II\n\nA girl sang.\n\n* * *\n\nShe left.\n\n", "")),
        (BOOK, "scene", {0, 1}, "THE BOOK\n\n" + BOOK[BOOK.index("Chapter II\n") :]),
        (BOOK, "chapter", {0}, "THE BOOK\n\n" + BOOK[BOOK.index("Chapter II\n") :]),
        (SCENES, "sentence", {2}, SCENES.replace("It rained.\n\n***\n\n", "")),
        (SCENES, "sentence", {2, 3}, "A wolf came. It ate.\n\n***\n\nAll slept.\n"),
        (SCENES, "sentence", {0, 1, 3}, "It rained.\n\n***\n\nAll slept.\n"),
        (CUTS, "sentence", {1}, CUTS.replace("EXT. HILL - DAY\n\nIt rains.\n\nCUT TO:\n\n", "")),
        (PLAY, "scene", {0}, PLAY[PLAY.index("SCENE II") :]),
        (PLAY, "sentence", {0}, PLAY.replace("ANNA. Who is it?\n\n", "")),
        (PLAY, "sentence", {1}, PLAY.replace("The wolf. ", "")),
        (PLAY, "sentence", {1, 2}, PLAY.replace("BEN. The wolf. He is grey.\n\n", "")),
        (PLAY, "sentence", {5, 6}, PLAY.replace("ANNA. I saw him. He ran.\n\n", "")),
        (SCRIPT, "scene", {0}, SCRIPT[SCRIPT.index("EXT. HILL") :]),
        (SCRIPT, "scene", {1}, SCRIPT[: SCRIPT.index("EXT. HILL")] + SCRIPT[SCRIPT.index("INT. HOUSE") :]),
    ],
)
def test_headings_and_speakers_go_with_what_they_introduce(divide, text, unit, gone, left):
    pieces = divide(text, unit)
    assert "".join(piece.text for piece in pieces) == text
    assert join_pieces(pieces, set()) == text
    assert join_pieces(pieces, gone) == left


@given(narratives(min_size=2), st.data())
def test_pieces_are_the_text(narrative, data):
    pieces = divide_text(narrative)
    assert "".join(piece.text for piece in pieces) == narrative.text
    assert [piece.text for piece in pieces if piece.kind == "unit"] == [each.text for each in narrative]
    assert join_pieces(pieces, set()) == narrative.text
    gone = data.draw(st.sets(st.integers(0, len(narrative) - 2)))
    assert all(
        (k not in gone) is piece.stays(gone)
        for piece in pieces
        if piece.kind == "unit"
        for k in range(*piece.units)
    )


def test_a_long_book_is_divided():
    """A screenplay of 12,000 sentences."""
    script = "INT. ROOM - DAY\n\nThe wolf comes.\n\nANNA\nWho is it?\n\n" * 6_000
    spans = [found.span() for found in re.finditer(r"The wolf comes\.|Who is it\?", script)]
    passages = tuple(ScriptPassage(*span, "action") for span in spans)
    film = Narrative(script, tuple(spans), passages=passages, written_as="fountain")
    left = join_pieces(divide_text(film), set(range(1, 12_000, 2)))
    assert left == script.replace("ANNA\nWho is it?\n\n", "")
