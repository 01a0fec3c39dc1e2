"""Parse plain text files: kept character for character, unless Project Gutenberg wrapped them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from barthes.reading.chapters import build_document
from barthes.reading.contents_table import remove_contents
from barthes.reading.document import Block, Chapter, Document, DocumentDraft
from barthes.reading.encoding import decode
from barthes.reading.gutenberg import has_gutenberg_marks, remove_gutenberg
from barthes.reading.headings import mark_headings
from barthes.reading.scene_breaks import is_scene_break
from barthes.reading.titles import is_numbered, reads_like_title

_LONGEST_TITLE = 60  # characters
_SALUTATION = re.compile(
    r"(?:my )?dear(?:est)?\b|(?:liebe[rs]?|ch[eè]re?|querid[oa]|car[oa]|beste)\b", re.IGNORECASE
)
_FIRST_GAP = 9  # blank lines that the start of a text counts for
_FIELD = re.compile(r"^(Title|Author|Language):[^\S\n]*(\S.*?)\s*$", re.MULTILINE)
_LANGUAGES = "english=en german=de french=fr spanish=es italian=it dutch=nl portuguese=pt finnish=fi "
_LANGUAGES += "swedish=sv danish=da latin=la greek=el"


def parse(data: bytes, *, where: str) -> Document:
    """Parse the bytes of a text file.

    The `text` of the document is the whole file. Chapters are found by their headings (“Chapter 3”, bare
    numbers), and their texts begin after them. A first paragraph that reads like a title is the title; it
    stays in the text but is not one of its sentences.
    """
    text, note = decode(data, where=where)
    draft = DocumentDraft(notes=[note] if note else [], written_as="txt")
    wrapped = has_gutenberg_marks(text)
    draft.blocks = split_paragraphs(text)
    if wrapped:
        _read_header(text, draft)
        remove_gutenberg(draft)
    opening = draft.blocks[:2]
    remove_contents(draft)
    mark_headings(draft)
    if wrapped:
        return build_document(draft, where=where)
    first = draft.blocks[0] if draft.blocks else None
    is_heading = bool(first and first.level and opening[0].text == first.text)
    title = "" if is_heading else _find_title(opening)
    start = len(text) - len(text.lstrip()) + len(opening[0].text) if title else 0
    whole = Chapter("", text, start=start)
    if not any(block.level for block in draft.blocks):
        return Document((whole,), title, notes=tuple(draft.notes))
    if title and first == opening[0]:
        draft.leave_out("title")
        del draft.blocks[0]
    return replace(build_document(draft, where=where), whole=whole, title=title)


def _find_title(blocks: Sequence[Block]) -> str:
    """Return the first paragraph if it reads like a title and others follow; else an empty string."""
    if len(blocks) < 2 or blocks[0].level or is_numbered(blocks[0].text) or is_scene_break(blocks[0].text):
        return ""
    return " ".join(blocks[0].text.split()) if _is_title(blocks[0].text) else ""


def _is_title(text: str) -> bool:
    """Return whether a first paragraph is surely a title: what is taken for one is not scored.

    >>> [_is_title(text) for text in ("The Old Wolf", "RAIN", "Rain", "Dear Mother", "London, 3 May 1893")]
    [True, True, False, False, False]
    """
    if len(text) > _LONGEST_TITLE or not reads_like_title(text) or _SALUTATION.match(text):
        return False
    if not text[-1].isalpha() or any(each.isdigit() or each == "," for each in text):
        return False
    letters = [[each for each in word if each.isalpha()] for word in text.split()]
    capitals = sum(word[0].isupper() for word in letters if word)
    return capitals > 1 or all(each.isupper() for word in letters for each in word)


def split_paragraphs(text: str) -> list[Block]:
    """Split a text at blank lines, which are counted; line breaks inside the paragraphs stay."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x1a", "").split("\n")
    blocks: list[Block] = []
    gap = _FIRST_GAP
    for is_blank, group in groupby(lines, key=lambda line: not line.strip()):
        own = list(group)
        if is_blank:
            gap = max(gap, len(own))
        else:
            indent = len(own[0]) - len(own[0].lstrip())
            blocks.append(Block("\n".join(map(str.strip, own)), gap=gap, indent=indent))
            gap = 0
    return blocks


def _read_header(text: str, draft: DocumentDraft) -> None:
    """Take title, author and language from Gutenberg's header."""
    codes = dict(pair.split("=") for pair in _LANGUAGES.split())
    for key, value in _FIELD.findall(text[:5_000]):
        if key == "Title":
            draft.title = draft.title or value
        elif key == "Author":
            draft.author = draft.author or value
        else:
            draft.language = draft.language or codes.get(value.lower(), "")
