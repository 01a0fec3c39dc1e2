"""Plain text files: kept character for character, unless Project Gutenberg wrapped them."""

from __future__ import annotations

import re
from dataclasses import replace

from barthes.reading.blocks import Block, Gathering
from barthes.reading.chapters import arrange
from barthes.reading.contents import leave_out_contents
from barthes.reading.document import Chapter, Document
from barthes.reading.encoding import decode
from barthes.reading.gutenberg import has_wrapping, unwrap_gutenberg
from barthes.reading.headings import mark_headings

__all__ = ["parse"]

_BLANK = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
_FIELD = re.compile(r"^(Title|Language):\s*(\S.*?)\s*$", re.MULTILINE)
_LANGUAGES = {
    "english": "en",
    "german": "de",
    "french": "fr",
    "spanish": "es",
    "italian": "it",
    "dutch": "nl",
    "portuguese": "pt",
    "finnish": "fi",
    "swedish": "sv",
    "danish": "da",
    "latin": "la",
    "greek": "el",
}


def parse(data: bytes, *, where: str) -> Document:
    """The document in the bytes of a text file.

    Its `text` is all of the file. Chapters are found by their headings (“Chapter 3”, bare numbers), and their
    texts begin behind them.

    Raises:
        UnknownEncodingError: It is not text.
        EmptyNarrativeError: There is nothing but Gutenberg's wrapping in it.
    """
    text, note = decode(data, where=where)
    gathering = Gathering(notes=[note] if note else [])
    if not text.strip():
        return Document((Chapter("", text),), notes=tuple(gathering.notes))
    wrapped = has_wrapping(text)
    gathering.blocks = _part(text)
    if wrapped:
        _read_header(text, gathering)
        unwrap_gutenberg(gathering)
        leave_out_contents(gathering)
    gathering.blocks = mark_headings(gathering.blocks)
    has_chapters = any(block.level for block in gathering.blocks)
    if not wrapped and not has_chapters:
        return Document((Chapter("", text),), notes=tuple(gathering.notes))
    document = arrange(gathering, where=where)
    return document if wrapped else replace(document, text=text, title="", left_out={})


def _part(text: str) -> list[Block]:
    """The paragraphs, with the line breaks inside them."""
    parts = _BLANK.split(text.replace("\r\n", "\n").replace("\r", "\n").replace("\x1a", ""))
    lines = ("\n".join(line.strip() for line in part.split("\n")).strip() for part in parts)
    return [Block(part) for part in lines if part]


def _read_header(text: str, gathering: Gathering) -> None:
    """The title and language that Gutenberg's header gives."""
    for key, value in _FIELD.findall(text[:5_000]):
        if key == "Title":
            gathering.title = gathering.title or value
        else:
            gathering.language = gathering.language or _LANGUAGES.get(value.lower(), "")
