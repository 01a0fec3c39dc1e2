"""Parse Fountain screenplays: plain text whose layout and marks tell the elements apart.

Follows the syntax of fountain.io; in addition, lines such as FADE IN: and FADE OUT. are transitions, and
transitions and headings in capitals need no blank lines around them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from barthes.reading.encoding import decode
from barthes.reading.scene_breaks import (
    SCENE_BREAK,
    is_ornament,
    is_scene_heading,
    is_transition,
    names_place,
)
from barthes.reading.screenplay import Element, build_screenplay
from barthes.reading.story_document import Document, DocumentDraft

_FIELD = re.compile(r"([A-Za-z][A-Za-z ]{0,40}):(.*)")
_TITLE_KEYS = frozenset("title credit author authors source contact copyright".split())
_NUMBER = re.compile(r"\s*#[\w.-]+#$")  # of a scene
_NOTE = re.compile(r"\[\[(?:[^\[\]\n]|\[(?!\[)|\](?!\])|\n(?!\n))*+\]\]")
_MARK = re.compile(r"\\.|\*{1,3}|_", re.DOTALL)
_DIALOGUE_BLANK = "  "  # two spaces keep a speech together over a blank line


def parse(data: bytes, *, where: str, with_speakers: bool = False) -> Document:
    """Parse the bytes of a Fountain file."""
    text, note = decode(data, where=where)
    draft = DocumentDraft(notes=[note] if note else [])
    text, comments = _remove_comments("\n".join(text.splitlines()))
    draft.leave_out(Element.COMMENT.value, comments)
    text, notes = _NOTE.subn("", text)
    draft.leave_out(Element.NOTE.value, notes)
    blocks = _split_blocks(text.split("\n"))
    if blocks and (fields := _read_title_page(blocks[0])):
        draft.title = _remove_emphasis(fields.get("title", ""))
        draft.leave_out(Element.TITLE_PAGE.value)
        del blocks[0]
    elements = ((kind, _remove_emphasis(each)) for block in blocks for kind, each in _read_block(block))
    return build_screenplay(elements, draft, where=where, with_speakers=with_speakers)


def _remove_comments(text: str) -> tuple[str, int]:
    """Return a text without what stands between ``/*`` and ``*/``, and how many such parts there were.

    >>> _remove_comments("A /* cut */wolf came. /* open")
    ('A wolf came. /* open', 1)
    """
    kept: list[str] = []
    position = 0
    while (start := text.find("/*", position)) >= 0 and (end := text.find("*/", start + 2)) >= 0:
        kept.append(text[position:start])
        position = end + 2
    return "".join([*kept, text[position:]]), len(kept)


def _split_blocks(lines: Sequence[str]) -> list[list[str]]:
    """Return the runs of lines between blank lines; a line of two spaces inside a run is not blank."""
    runs = groupby(lines, key=lambda line: not line.strip() and line != _DIALOGUE_BLANK)
    blocks = ("\n".join(line.rstrip() for line in run) for is_blank, run in runs if not is_blank)
    return [block.strip("\n").split("\n") for block in blocks if block.strip("\n")]


def _read_title_page(block: Sequence[str]) -> dict[str, str]:
    """Return the fields of a title page; nothing if the first block of a file is not one."""
    fields: dict[str, str] = {}
    key = ""
    for line in block:
        if match := _FIELD.fullmatch(line):
            key = match[1].strip().lower()
            fields[key] = match[2].strip()
        elif key and line[:1] in (" ", "\t"):
            fields[key] = f"{fields[key]} {line.strip()}".strip()
        else:
            return {}
    return fields if _TITLE_KEYS & fields.keys() else {}


def _read_block(block: Sequence[str]) -> Iterator[tuple[Element, str]]:
    """Yield the elements between two blank lines."""
    lines = [line.strip() for line in block]
    if len(lines) > 1 and any(lines[1:]) and _is_cue(lines[0]):
        yield Element.CUE, lines[0]
        yield from _read_speech(lines[1:])
        return
    heading = _find_heading(lines[0])
    if heading:
        yield Element.SCENE, heading
    action: list[str] = []
    for line in lines[1:] if heading else lines:
        marked = _read_mark(line)
        if marked is None:
            action.append(line[1:].lstrip() if line[:1] in ("!", "~") else line)
            continue
        if any(action):
            yield Element.ACTION, "\n".join(action)
        action = []
        if marked[1]:
            yield marked
    if any(action):
        yield Element.ACTION, "\n".join(action)


def _read_speech(lines: Sequence[str]) -> Iterator[tuple[Element, str]]:
    for line in lines:
        if line.startswith("(") and line.endswith(")"):
            yield Element.PARENTHETICAL, line
        elif line:
            yield Element.SPEECH, line.removeprefix("~").lstrip()  # a sung line


def _read_mark(line: str) -> tuple[Element, str] | None:
    """Return the element that the mark at the start of a line says; without text if it is not one."""
    if is_ornament(line):
        is_page_break = set(line) == {"="}
        return Element.BREAK, "" if is_page_break else SCENE_BREAK
    if line.startswith("#"):
        return Element.SECTION, line
    if line.startswith("="):
        return Element.SYNOPSIS, line
    if line.startswith(">") and line.endswith("<"):
        return Element.CENTRED, line
    if line.startswith(">") or is_transition(line):
        return Element.TRANSITION, line
    if is_scene_heading(line):
        return Element.SCENE, _find_heading(line)
    return None


def _is_cue(line: str) -> bool:
    """Return whether a line with text after it names a speaker: in capitals, or after ``@``.

    >>> [_is_cue(line) for line in ("MARY (V.O.)", "@McAvoy", "R2D2 ^", "23", "BANG!", "INT. MILL", "Mary")]
    [True, True, True, False, False, False, False]
    """
    if line.startswith("@"):
        return len(line) > 1
    name = line.partition("(")[0].rstrip(" ^")
    is_marked = line[0] in "!.>#=~(" or name.endswith(("!", "?", ":")) or _find_heading(line)
    return name.isupper() and not is_marked


def _find_heading(line: str) -> str:
    """Return the heading of a scene without mark and number; nothing for another line.

    >>> _find_heading("INT. MILL - NIGHT #12#"), _find_heading(".Later"), _find_heading("... and then")
    ('INT. MILL - NIGHT', '.Later', '')
    """
    is_forced = line.startswith(".") and line[1:2] not in ("", ".", " ")
    begins = names_place(line.upper()) and (line[:3].isupper() or line[3:4] in "./")
    return _NUMBER.sub("", line) if is_forced or begins else ""


def _remove_emphasis(text: str) -> str:
    r"""Remove pairs of stars and underscores, and the backslashes before others, line by line.

    >>> _remove_emphasis(r"The *old* **wolf** _ran_, 2 * 3 \*and\* rested.")
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
