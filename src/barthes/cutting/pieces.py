"""Divide the text of a story into units, what stands between them, and white space.

What stands between units goes with the units that it introduces, and a line of stars or a transition is
written only between two of them::

    The Wolf                title: stays
    # Chapter I             mark  ──┐ goes if all units up to the next heading of its rank are cut
    ANNA. Who is it?        mark, unit
    * * *                   break ──┤ goes if all units up to the next break are cut, or all above it
    It ate.                 unit    │
    # Chapter II            mark  ──┘
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from barthes.narrative import BLANK_LINE, Narrative
from barthes.reading.document import fold
from barthes.reading.scene_breaks import is_ornament, is_scene_heading, is_transition
from barthes.reading.screenplay_lines import find_heading

# The ranks of marks: each reaches to the next one of its rank or a higher one. Headings of Markdown rank from
# _CHAPTER up; _INSIDE is a parenthetical or a note in a speech.
_CHAPTER, _SCENE, _OTHER, _INSIDE, _TITLE = 4, 3, 2, 1, 0
_HEADING = re.compile(r"(#{1,6}) +\S")
_LINE_MARK = re.compile(r"(?:^|\n)[!~]$")

Units = tuple[int, int]
"""A half-open range of units."""


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A part of a text.

    Attributes:
        text: Its characters.
        kind: ``unit``, ``mark`` or ``break`` (text between units), ``prefix`` (what Fountain needs at the
            beginning of a line) or ``blank``.
        units: Of these, at least one has to be kept if the piece is to stay; None if it always stays.
    """

    text: str
    kind: str
    units: Units | None = None

    def stays(self, gone: Collection[int]) -> bool:
        """Return whether the piece is part of the text without some units."""
        return self.units is None or any(k not in gone for k in range(*self.units))

    def to_dict(self) -> dict[str, Any]:
        """Return the piece as JSON values."""
        return {"text": self.text, "kind": self.kind, "units": self.units and list(self.units)}


@dataclass(frozen=True, slots=True)
class _Draft:
    """A piece that does not know its units yet; `place` is the unit that follows or that it is."""

    text: str
    kind: str
    place: int
    rank: int = _TITLE
    start: int = 0


def divide_text(narrative: Narrative) -> list[TextPiece]:
    r"""Return the pieces of a narrative, which together give its text.

    >>> story = Narrative("A wolf came.\n\n***\n\nIt ate.", ((0, 12), (19, 26)))
    >>> [(piece.text, piece.units) for piece in divide_text(story) if piece.kind != "blank"]
    [('A wolf came.', (0, 1)), ('***', (1, 2)), ('It ate.', (1, 2))]
    """
    drafts = list(_draft_pieces(narrative))
    marks = [draft for draft in drafts if draft.kind in ("mark", "break")]
    places = {rank: [each.place for each in marks if each.rank >= rank] for rank in {m.rank for m in marks}}
    return [TextPiece(each.text, each.kind, _find_units(narrative, each, places)) for each in drafts]


def join_pieces(pieces: Sequence[TextPiece], gone: Collection[int]) -> str:
    """Return the text without some units; where something is left out, the widest break around it stays.

    The script `cut.js` of the page does the same.
    """
    out: list[str] = []
    blanks: list[str] = []
    is_cut, written = False, ""  # whether the last unit was left out, and the kind of the last piece written
    for number, piece in enumerate(pieces):
        stays = piece.stays(gone)
        is_cut = not stays if piece.kind == "unit" else is_cut
        if piece.kind == "blank":
            blanks += [piece.text] if out or not number else []
        elif stays and (piece.kind != "break" or written == "unit" or not is_cut):
            out += [max(blanks, key=lambda gap: gap.count("\n"), default=""), piece.text]
            blanks = []
            written = piece.kind
    return "".join([*out, *blanks[-1:]])


def _draft_pieces(narrative: Narrative) -> Iterator[_Draft]:
    position = 0
    for sentence, gap in zip(narrative, narrative.gaps, strict=False):
        yield from _divide_gap(narrative, gap, position, sentence.index)
        yield _Draft(sentence.text, "unit", sentence.index)
        position = sentence.end
    yield from _divide_gap(narrative, narrative.gaps[-1], position, len(narrative))


def _divide_gap(narrative: Narrative, gap: str, position: int, place: int) -> Iterator[_Draft]:
    """Yield the paragraphs of a gap as marks, and the white space around them."""
    prefix = gap[-1:] if narrative.written_as == "fountain" and _LINE_MARK.search(gap) else ""
    gap = gap.removesuffix(prefix)
    edges = [0, *(found.start() for found in BLANK_LINE.finditer(gap)), len(gap)]
    end = 0
    for first, last in pairwise(edges):
        if text := gap[first:last].strip():
            start = gap.index(text, first)
            yield from _draft_blank(gap[end:start], place)
            end = start + len(text)
            kind = "break" if _is_break(narrative, text) else "mark"
            is_title = place == 0 and last < len(gap)  # not before the unit, on its line
            rank = _rank(narrative, text, (position, gap), position + start, is_title=is_title)
            yield _Draft(text, kind, place, rank, position + start)
    yield from _draft_blank(gap[end:], place)
    if prefix:
        yield _Draft(prefix, "prefix", place)


def _draft_blank(text: str, place: int) -> Iterator[_Draft]:
    if text:
        yield _Draft(text, "blank", place)


def _rank(narrative: Narrative, text: str, gap: tuple[int, str], start: int, *, is_title: bool) -> int:
    """Return the rank of a mark, which begins at `start` in a gap, given by its position and its text."""
    is_script = narrative.written_as == "fountain"
    if heading := _HEADING.match(text):
        return _CHAPTER + 6 - len(heading[1])
    edges = (gap[0], gap[0] + len(gap[1]))
    first, last = (bisect_left(narrative.chapters, (edge, "")) for edge in edges)
    if any(fold(text) in fold(title) for _, title in narrative.chapters[first:last]):
        return _CHAPTER
    if is_script and text.startswith("="):  # a page break, or a synopsis
        return _OTHER if is_ornament(text) else _SCENE
    if _is_break(narrative, text) or is_scene_heading(text) or (is_script and find_heading(text)):
        return _SCENE
    passage = bisect_left(narrative.passages, start, key=lambda passage: passage.end + 1)
    if passage < len(narrative.passages) and narrative.passages[passage].start < start:
        return _INSIDE
    return _TITLE if is_title else _OTHER


def _is_break(narrative: Narrative, text: str) -> bool:
    """Return whether a mark stands between two scenes: a line of stars, or a transition of a screenplay."""
    is_script = narrative.written_as == "fountain"
    return is_ornament(text.replace("\\", "")) or (
        is_script and (is_transition(text) or text.startswith(">"))
    )


def _find_units(narrative: Narrative, draft: _Draft, places: Mapping[int, Sequence[int]]) -> Units | None:
    """Return the units with which a piece stays or goes; None if it always stays."""
    first, last = draft.place, draft.place + 1
    if draft.kind == "unit":
        return first, last
    if draft.kind == "prefix":
        return first, _find_line_end(narrative, first)
    if draft.kind == "blank" or draft.rank == _TITLE:
        return None
    peers = places[draft.rank]
    later = bisect_right(peers, first)
    last = peers[later] if later < len(peers) else len(narrative)
    if draft.rank <= _OTHER and (speech := _find_speech(narrative, draft.start)):
        first, last = (max(first, speech[0]), speech[1]) if first < speech[1] else speech
    return (first, last) if first < last else None


def _find_speech(narrative: Narrative, start: int) -> Units | None:
    """Return the units of the passage of a screenplay that a mark introduces, is inside of or ends."""
    place = bisect_left(narrative.passages, start, key=lambda passage: passage.end + 1)
    if place == len(narrative.passages):
        return None
    passage = narrative.passages[place]
    if BLANK_LINE.search(narrative.text, start, max(start, passage.start)):
        return None
    first = bisect_right(narrative.spans, passage.start, key=lambda span: span[1])
    last = bisect_left(narrative.spans, passage.end, key=lambda span: span[0])
    return (first, last) if first < last else None


def _find_line_end(narrative: Narrative, first: int) -> int:
    """Return the first unit after `first` that begins on a line of its own."""
    spans, count = narrative.spans, len(narrative)
    breaks = (k for k in range(first + 1, count) if "\n" in narrative.text[spans[k - 1][1] : spans[k][0]])
    return next(breaks, count)
