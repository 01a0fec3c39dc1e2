"""The elements of screenplays, and how Fountain marks them."""

from __future__ import annotations

import re
from enum import StrEnum
from itertools import accumulate

from barthes.reading.scene_breaks import (
    SCENE_BREAK,
    is_ornament,
    is_scene_heading,
    is_transition,
    names_place,
)

_NUMBER = re.compile(r"\s*#[\w.-]+#$")  # of a scene
_MARK = re.compile(r"\\.|\*{1,3}|_", re.DOTALL)
HIDDEN = re.compile(r"/\*|\[\[(?!/?keep\]\])")
"""Where a comment or a note begins."""

TITLE_FIELD = re.compile(r"(?:title|credit|authors?|source|contact|copyright) *:", re.IGNORECASE)
"""What makes the first lines of a Fountain file a title page."""


class Element(StrEnum):
    """A kind of element of a screenplay; its value is the name under which it is counted if left out."""

    ACTION = "action"
    SPEECH = "speech"
    SUNG = "sung line"
    SCENE = "scene heading"
    CUE = "character cue"
    SECTION = "section"
    BREAK = "scene break"
    PAGE_BREAK = "page break"
    PARENTHETICAL = "parenthetical"
    TRANSITION = "transition"
    SHOT = "shot"
    CENTRED = "centred line"
    SYNOPSIS = "synopsis"
    NOTE = "note"
    COMMENT = "comment"
    TITLE_PAGE = "title page"
    CAST = "cast list"


def read_mark(line: str) -> tuple[Element, str] | None:
    """Return the element that the mark at the start of a line says; None if there is no mark."""
    if line.startswith("!"):
        return None
    if is_ornament(line):
        return (Element.PAGE_BREAK, line) if set(line) == {"="} else (Element.BREAK, SCENE_BREAK)
    if line.startswith("#"):
        return Element.SECTION, line
    if line.startswith("="):
        return Element.SYNOPSIS, line
    if line.startswith(">") and line.endswith("<"):
        return Element.CENTRED, line
    if line.startswith(">") or is_transition(line):
        return Element.TRANSITION, line
    if is_scene_heading(line):
        return Element.SCENE, line
    return None


def is_cue(line: str) -> bool:
    """Return whether a line with text after it names a speaker: in capitals, or after ``@``.

    >>> [is_cue(line) for line in ("MARY (V.O.)", "@McAvoy", "R2D2 ^", "23", "BANG!", "INT. MILL", "Mary")]
    [True, True, True, False, False, False, False]
    """
    if line.startswith("@"):
        return len(line) > 1
    name = line.partition("(")[0].rstrip(" ^")
    is_marked = line[0] in "!.>#=~(" or name.endswith(("!", "?", ":")) or find_heading(line)
    return name.isupper() and not is_marked


def find_heading(line: str) -> str:
    """Return the heading of a scene without its number; nothing for another line.

    >>> find_heading("INT. MILL - NIGHT #12#"), find_heading(".Later"), find_heading("... and then")
    ('INT. MILL - NIGHT', '.Later', '')
    """
    is_forced = line.startswith(".") and line[1:2] not in ("", ".", " ")
    begins = names_place(line.upper()) and (line[:3].isupper() or line[3:4] in "./")
    return _NUMBER.sub("", line) if is_forced or begins else ""


def remove_emphasis(text: str) -> str:
    r"""Remove pairs of stars and underscores, and the backslashes before others, line by line.

    >>> remove_emphasis(r"The *old* **wolf** _ran_, 2 * 3 \*and\* rested.")
    'The old wolf ran, 2 * 3 *and* rested.'
    """
    return "\n".join(_remove_marks(line) for line in text.split("\n"))


def _remove_marks(line: str) -> str:
    opened: dict[str, int] = {}
    removed: set[int] = set()
    marks = list(_MARK.finditer(line))
    for index, mark in enumerate(marks):
        if mark[0] in opened and not line[mark.start() - 1].isspace():
            removed |= {index, opened.pop(mark[0])}
        elif mark[0][0] != "\\" and mark.end() < len(line) and not line[mark.end()].isspace():
            opened[mark[0]] = index
    pieces: list[str] = []
    position = 0
    for index, mark in enumerate(marks):
        kept = mark[0][1:] if mark[0][0] == "\\" else mark[0]
        pieces += [line[position : mark.start()], "" if index in removed else kept]
        position = mark.end()
    return "".join([*pieces, line[position:]])


def remove_line_marks(text: str) -> tuple[str, list[int]]:
    r"""Remove ``~`` before sung lines and ``!`` before others; return the text, and where the sung begin.

    >>> remove_line_marks("She sings.\n~ Tra la la\n!~Oh")
    ('She sings.\nTra la la\n~Oh', [11])
    """
    lines = text.split("\n")
    bare = [line[1:].lstrip() if line.startswith(("~", "!")) else line for line in lines]
    starts = accumulate((len(line) + 1 for line in bare), initial=0)
    sung = [start for start, line in zip(starts, lines, strict=False) if line.startswith("~")]
    return "\n".join(bare), sung


def protect_line(line: str) -> str:
    """Return a line that is not sung, with a mark for `remove_line_marks` if it needs one."""
    return f"!{line}" if line.startswith(("!", "~", "\\~")) else line
