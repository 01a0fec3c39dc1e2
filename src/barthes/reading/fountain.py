"""Parse Fountain screenplays: plain text whose layout and marks tell the elements apart.

Follows the syntax of fountain.io; in addition, lines such as FADE IN: and FADE OUT. are transitions, and
transitions and headings in capitals need no blank lines around them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from barthes.narrative import Omitted
from barthes.reading.document import Draft
from barthes.reading.encoding import decode
from barthes.reading.screenplay import fill_draft
from barthes.reading.screenplay_lines import (
    TITLE_FIELD,
    Element,
    find_heading,
    is_cue,
    protect_line,
    read_mark,
    remove_emphasis,
)

_FIELD = re.compile(r"([A-Za-z][A-Za-z ]{0,40}):(.*)")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_NOTE = re.compile(r"\[\[(?!/?keep\]\])(?:[^\[\]\n]|\[(?!\[)|\](?!\])|\n(?!\n))*+\]\]")
_DIALOGUE_BLANK = "  "  # two spaces keep a speech together over a blank line


def parse(data: bytes, *, where: str) -> Draft:
    """Parse the bytes of a Fountain file."""
    text, note = decode(data, where=where)
    draft = Draft(notes=[note] if note else [])
    text = "\n".join(text.splitlines())
    for remark in (_COMMENT, _NOTE):
        text = remark.sub(lambda found: _keep_aside(draft, found[0]), text)
    blocks = _split_blocks(text.split("\n"))
    if blocks and (fields := _read_title_page(blocks[0])):
        draft.title = remove_emphasis(fields.get("title", ""))
        draft.author = remove_emphasis(fields.get("author") or fields.get("authors", ""))
        draft.add(" ".join(blocks[0]), mark="matter")
        draft.pending.append(Omitted(0, "\n".join(blocks[0]) + "\n\n", Element.TITLE_PAGE))
        del blocks[0]
    elements = ((kind, remove_emphasis(each)) for block in blocks for kind, each in _read_block(block))
    return fill_draft(elements, draft, where=where)


def _keep_aside(draft: Draft, remark: str) -> str:
    """Mark a note or a comment, which is not written back."""
    draft.add(remark.strip("[]/* "), mark="note")
    return ""


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
    return fields if any(map(TITLE_FIELD.match, block)) else {}


def _read_block(block: Sequence[str]) -> Iterator[tuple[Element, str]]:
    """Yield the elements between two blank lines."""
    lines = [line.strip() for line in block]
    if len(lines) > 1 and any(lines[1:]) and is_cue(lines[0]):
        yield Element.CUE, lines[0]
        yield from _read_speech(lines[1:])
        return
    heading = find_heading(lines[0])
    if heading:
        yield Element.SCENE, lines[0]
    action: list[str] = []
    for line in lines[1:] if heading else lines:
        marked = read_mark(line)
        if marked is None:
            action.append(line if line.startswith(("!", "~")) else protect_line(line))
            continue
        if any(action):
            yield Element.ACTION, "\n".join(action)
        action = []
        yield marked
    if any(action):
        yield Element.ACTION, "\n".join(action)


def _read_speech(lines: Sequence[str]) -> Iterator[tuple[Element, str]]:
    for line in lines:
        if line.startswith("(") and line.endswith(")"):
            yield Element.PARENTHETICAL, line
        elif line:
            yield Element.SPEECH, line if line.startswith("~") else protect_line(line)
