"""Divide the text of a story into units, what stands between them, and white space.

What stands between units goes with the units that it introduces: the heading of a chapter goes if the whole
chapter is cut, the heading of a scene with the scene, the name of a speaker with the speech. A title stays.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from barthes.narrative import BLANK_LINE, Narrative
from barthes.reading.document import fold
from barthes.reading.scene_breaks import is_ornament, is_scene_heading, is_transition
from barthes.reading.screenplay_lines import find_heading

# The ranks of what introduces units; a title stays. Headings of Markdown rank from _CHAPTER up.
_CHAPTER, _SCENE, _OTHER, _ASIDE, _TITLE = 4, 3, 2, 1, 0
_HEADING = re.compile(r"(#{1,6}) +\S")
_LINE_MARK = re.compile(r"(?:^|\n)[!~]$")
_CHUNK = re.compile(rf"({BLANK_LINE.pattern})")

Units = tuple[int, int]
"""A half-open range of units."""


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A part of a text.

    Attributes:
        text: Its characters.
        kind: ``unit``, ``mark`` (text between units) or ``blank``.
        units: Of these, at least one has to be kept if the piece is to stay; None if it always stays.
        before: So it is with these, for a line of stars: the earlier scenes of its chapter.
        is_inside: Whether it is a mark that is not shown on its own: a heading that is scored, or what
            Fountain needs at the beginning of a line.
    """

    text: str
    kind: str
    units: Units | None = None
    before: Units | None = None
    is_inside: bool = False

    def stays(self, gone: Collection[int]) -> bool:
        """Return whether the piece is part of the text without some units."""
        ranges = (each for each in (self.units, self.before) if each is not None)
        return all(any(k not in gone for k in range(*each)) for each in ranges)

    def to_dict(self) -> dict[str, Any]:
        """Return the piece as JSON values."""
        needs = [list(each) for each in (self.units, self.before) if each is not None]
        return {"text": self.text, "kind": self.kind, "needs": needs}


@dataclass(frozen=True, slots=True)
class _Draft:
    """A piece, and how it ranks among the marks; `place` is the unit that follows or that it is."""

    text: str
    kind: str
    place: int
    rank: int = _TITLE
    is_between: bool = False
    is_inside: bool = False
    start: int = 0


def divide_text(narrative: Narrative) -> list[TextPiece]:
    r"""Return the pieces of a narrative, which together give its text.

    >>> story = Narrative("A wolf came.\n\n***\n\nIt ate.", ((0, 12), (19, 26)))
    >>> [(piece.text, piece.units, piece.before) for piece in divide_text(story) if piece.kind != "blank"]
    [('A wolf came.', (0, 1), None), ('***', (1, 2), (0, 1)), ('It ate.', (1, 2), None)]
    """
    drafts = list(_draft_pieces(narrative))
    marks = [draft for draft in drafts if draft.kind == "mark"]
    ranks = {_CHAPTER, *(mark.rank for mark in marks)}
    places = {rank: [0, *(mark.place for mark in marks if mark.rank >= rank)] for rank in ranks}
    pieces = []
    for draft in drafts:
        units = before = None
        if draft.kind == "unit":
            units = (draft.place, draft.place + 1)
        elif draft.kind == "mark" and draft.rank > _TITLE:
            peers = places[draft.rank]
            later = bisect_right(peers, draft.place)
            units = (draft.place, peers[later] if later < len(peers) else len(narrative))
            if draft.is_between:
                chapters = places[_CHAPTER]
                before = (chapters[bisect_left(chapters, draft.place) - 1], draft.place)
            elif draft.is_inside and draft.rank == _ASIDE:
                units = (draft.place, _find_line_end(narrative, draft.place))
            elif draft.rank <= _OTHER and (speech := _find_speech(narrative, draft.start)):
                units = (max(units[0], speech[0]), speech[1])
                units = units if units[0] < units[1] else speech  # after it
            before = before if before is None or before[0] < before[1] else None
            units = units if units[0] < units[1] else None
        pieces.append(TextPiece(draft.text, draft.kind, units, before, draft.is_inside))
    return pieces


def join_pieces(pieces: Sequence[TextPiece], gone: Collection[int]) -> str:
    """Return the text without some units; where something is left out, the widest break around it stays."""
    out: list[str] = []
    blanks: list[str] = []
    for number, piece in enumerate(pieces):
        if piece.kind == "blank" and (out or not number):
            blanks.append(piece.text)
        elif piece.stays(gone) and piece.kind != "blank":
            out += [max(blanks, key=lambda gap: gap.count("\n"), default=""), piece.text]
            blanks = []
    return "".join([*out, *blanks[-1:]])


def _draft_pieces(narrative: Narrative) -> Iterator[_Draft]:
    gaps, position, chapters = narrative.gaps, 0, dict(narrative.chapters)
    for sentence, gap in zip(narrative, gaps, strict=False):
        yield from _divide_gap(narrative, gap, position, sentence.index)
        heading = _find_heading(chapters.get(sentence.start, ""), sentence.text)
        if heading:
            rest = sentence.text[heading:]
            yield _Draft(sentence.text[:heading], "mark", sentence.index, _CHAPTER, is_inside=True)
            yield _Draft(rest[: len(rest) - len(rest.lstrip())], "blank", sentence.index)
            yield _Draft(rest.lstrip(), "unit", sentence.index)
        else:
            yield _Draft(sentence.text, "unit", sentence.index)
        position = sentence.end
    yield from _divide_gap(narrative, gaps[-1], position, len(narrative))


def _divide_gap(narrative: Narrative, gap: str, position: int, place: int) -> Iterator[_Draft]:
    """Yield the paragraphs of a gap as marks, and the white space around them."""
    first, last = (bisect_left(narrative.chapters, (edge, "")) for edge in (position, position + len(gap)))
    titles = [title for _, title in narrative.chapters[first:last]]
    line_mark = gap[-1:] if narrative.written_as == "fountain" and _LINE_MARK.search(gap) else ""
    blank, end = "", position
    chunks = _CHUNK.split(gap.removesuffix(line_mark))
    for number, chunk in enumerate(chunks):
        text, offset = chunk.strip(), end
        end += len(chunk)
        if not text:
            blank += chunk
            continue
        before, after = chunk[: chunk.index(text)], chunk[chunk.index(text) + len(text) :]
        if blank + before:
            yield _Draft(blank + before, "blank", place)
        is_last = number == len(chunks) - 1  # before the unit, on its line
        start = offset + len(before)
        rank = _rank(narrative, text, titles, place, start, is_last=is_last)
        yield _Draft(text, "mark", place, rank, _is_between(narrative, text), start=start)
        blank = after
    if blank:
        yield _Draft(blank, "blank", place)
    if line_mark:
        yield _Draft(line_mark, "mark", place, _ASIDE, is_inside=True, start=end)


def _rank(
    narrative: Narrative, text: str, titles: Sequence[str], place: int, start: int, *, is_last: bool
) -> int:
    is_script = narrative.written_as == "fountain"
    if heading := _HEADING.match(text):
        return _CHAPTER + 6 - len(heading[1])
    if any(fold(text) in fold(title) for title in titles):
        return _CHAPTER
    if is_script and text.startswith("="):  # a page break, or a synopsis
        return _OTHER if is_ornament(text) else _SCENE
    if _is_between(narrative, text) or is_scene_heading(text) or (is_script and find_heading(text)):
        return _SCENE
    passage = bisect_left(narrative.passages, start, key=lambda passage: passage.end + 1)
    if passage < len(narrative.passages) and narrative.passages[passage].start < start:
        return _ASIDE
    return _TITLE if place == 0 and not is_last else _OTHER


def _is_between(narrative: Narrative, text: str) -> bool:
    """Return whether a mark stands between two scenes: a line of stars, or a transition of a screenplay."""
    is_script = narrative.written_as == "fountain"
    return is_ornament(text.replace("\\", "")) or (
        is_script and (is_transition(text) or text.startswith(">"))
    )


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


def _find_heading(title: str, text: str) -> int:
    """Return the length of the heading of a chapter at the beginning of a unit, 0 if it has none."""
    if not title:
        return 0
    chunk = BLANK_LINE.split(text, maxsplit=1)[0]
    lines = [line.strip(" .:\t").casefold() for line in chunk.splitlines()]
    is_heading = len(chunk) < len(text) and all(line in title.casefold() for line in lines)
    return len(chunk.rstrip()) if is_heading else 0


def find_headings(narrative: Narrative) -> frozenset[int]:
    r"""Return the sentences that are headings of chapters or scenes.

    >>> text = "Chapter 1. The Well\n\nA wolf came."
    >>> spans, chapters = ((0, 10), (11, 19), (21, 33)), ((0, "Chapter 1. The Well"),)
    >>> sorted(find_headings(Narrative(text, spans, chapters=chapters)))
    [0, 1]
    """
    found = {sentence.index for sentence in narrative if is_scene_heading(str(sentence))}
    for start, title in narrative.chapters:
        blank = BLANK_LINE.search(narrative.text, start)
        first = bisect_left(narrative.spans, (start, 0))
        last = (
            bisect_right(narrative.spans, blank.start(), key=lambda span: span[1])
            if blank
            else len(narrative)
        )
        inside = (narrative[k] for k in range(first, last))
        found |= {each.index for each in inside if str(each).strip(" .:").casefold() in title.casefold()}
    return frozenset(found)
