"""The elements of screenplays, and how Fountain marks them: recognize its lines, and write them."""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import StrEnum
from itertools import accumulate

from barthes.narrative import Omitted, write_omitted
from barthes.reading.markdown import escape_character
from barthes.reading.scene_breaks import (
    SCENE_BREAK,
    is_ornament,
    is_scene_heading,
    is_transition,
    names_place,
)

_NUMBER = re.compile(r"\s*#[\w.-]+#$")  # of a scene
_MARK = re.compile(r"\\.|\*{1,3}|_", re.DOTALL)
_ESCAPED = re.compile(r"[*_\\]|(?<=\[)\[(?!/?keep\]\])")
_HIDDEN = re.compile(r"/\*|\[\[(?!/?keep\]\])")  # a comment or a note begins
_UNSPOKEN = re.compile(  # a song or a parenthetical, at the beginning of a line or where a cut may leave one
    r"(?:^|(?<=[.!?:…\"”’»)])\s+)(?:~|\((?=.*(?:[.!?…]\)|\)$)))", re.MULTILINE
)
TITLE_FIELD = re.compile(r"(?:title|credit|authors?|source|contact|copyright) *:", re.IGNORECASE)
"""What makes the first lines of a Fountain file a title page."""
_HEADING_START = 40  # characters that tell a heading, also “INT. MILL”, which is more than one part
_SENTENCE_END = re.compile(r"(?<=[.!?:…])\s+|\n")


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


def write_line(kind: Element, text: str) -> str:
    """Return a line that Fountain reads as an element; it has no shots and cast lists, which become action.

    >>> [write_line(Element.CUE, name) for name in ("ANNA (V.O.)", "Anna")]
    ['ANNA (V.O.)', '@Anna']
    >>> [write_line(Element.TRANSITION, line) for line in ("CUT TO:", "Later")]
    ['CUT TO:', '> Later']
    >>> [write_line(Element.SCENE, line) for line in ("Int. mill", "1984 #2#")]
    ['Int. mill', '.1984 #2#']
    """
    line = " ".join(text.split())
    line = write_omitted(line, find_escapes(line))
    if kind is Element.SCENE:
        return line if find_heading(line) else f".{line.lstrip('. ')}"
    if kind in (Element.SHOT, Element.CAST):
        return f"!{line}"
    if kind is Element.CUE:
        return line if is_cue(line) else f"@{line}"
    if kind is Element.PARENTHETICAL and not (line[0] == "(" and line[-1] == ")"):
        return f"({line})"
    if kind is Element.CENTRED and not line.startswith(">"):
        return f"> {line} <"
    if kind is Element.TRANSITION and not (is_transition(line) or line.startswith(">")):
        return f"> {line}"
    return line


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


def find_marks(text: str, sung: Collection[int] = ()) -> list[Omitted]:
    r"""Return the marks that a paragraph of action needs, so that Fountain reads it as it is.

    Lines that begin at the places `sung` get a tilde. If another line, or what is left of it after a cut,
    could be another element, all others begin with ``!``.

    >>> [[mark[:2] for mark in find_marks(text)] for text in ("He runs. CUT TO:", "He runs.", "A *B* C.")]
    [[(0, '!')], [], [(2, '\\*'), (4, '\\*')]]
    """
    starts = [0, *(each.end() for each in re.finditer("\n", text))]
    is_risky = any(
        part[0] in "!~" or read_mark(part) or TITLE_FIELD.match(part) or (len(starts) > 1 and is_cue(part))
        for part in filter(None, [*text.split("\n"), *_SENTENCE_END.split(text)])
    )
    beginnings = [0, *(each.end() for each in _SENTENCE_END.finditer(text))]
    is_risky = is_risky or any(find_heading(text[place : place + _HEADING_START]) for place in beginnings)
    songs = [Omitted(place, "~", plain="") for place in sung]
    forced = [Omitted(place, "!", plain="") for place in starts if is_risky and place not in sung]
    marks = [*songs, *forced, *find_escapes(text)]
    return sorted(marks, key=lambda mark: mark.place)


def find_escapes(text: str, *, is_speech: bool = False) -> list[Omitted]:
    """Return where a text needs backslashes, so that Fountain reads no emphasis, notes or comments.

    In a speech, it does not read songs and parentheticals either.
    """
    is_safe = remove_emphasis(text) == text and not _HIDDEN.search(text)
    places = set() if is_safe else {found.start() for found in _ESCAPED.finditer(text)}
    if is_speech:
        places |= {found.end() - 1 for found in _UNSPOKEN.finditer(text)}
    return [escape_character(text, place) for place in sorted(places)]
