"""Project Gutenberg's wrapping: header, licence, credits and the transcribers' own signs."""

from __future__ import annotations

import re
from dataclasses import replace

from barthes.reading.blocks import Block, Gathering

__all__ = ["has_wrapping", "strip_gutenberg", "unwrap_gutenberg"]

_NAME = r"(?:THE |THIS )?PROJECT\s+GUTENBERG"
_START = re.compile(
    rf"\*\s?\*\s?\*\s*START\s+OF\s+{_NAME}|\*END\*?\s*THE SMALL PRINT|\*END THE SMALL PRINT", re.IGNORECASE
)
_END = re.compile(
    rf"\*\s?\*\s?\*\s*END\s+OF\s+{_NAME}|^[^\S\n]*End of (?:the )?Project Gutenberg",
    re.IGNORECASE | re.MULTILINE,
)
_LINE = re.compile(r"^[ \t]*\*\*\* ?(START|END) OF (?:THE|THIS) PROJECT GUTENBERG[^\n]*\n?", re.M | re.I)
_CREDIT = re.compile(
    r"(?:(?:this )?e-?(?:text|book) (?:was )?)?"
    r"(?:produced|prepared|transcribed|scanned|digitized) (?:by|from)\b"
    r"|credits?:|e-?text (?:produced|prepared) by|html version by",
    re.IGNORECASE,
)
_REMARKS = (
    ("illustration", re.compile(r"\[\s*Illustrations?\b[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]", re.IGNORECASE)),
    (
        "transcriber's note",
        re.compile(
            r"\[\s*Transcriber['’]?s?['’]? notes?\b[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]", re.IGNORECASE
        ),
    ),
    ("footnote", re.compile(r"\[\s*Footnote\b[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]", re.IGNORECASE)),
    ("page number", re.compile(r"\[\s*(?:Pg\.?|Page|p\.)\s*[\divxlc]+\s*\]|\{\d{1,4}\}", re.IGNORECASE)),
)
_NOTES_TITLE = re.compile(r"(?:foot|end)?notes?:?", re.IGNORECASE)
_NOTE = re.compile(r"(?:\[(?:\d{1,3}|[A-Z]|\*)\]|\d{1,3}\.|\*{1,3})\s*\S")
_MARK = re.compile(r"(?<=\S)\s?\[(?:\d{1,3}|[A-Z]|\*)\]")
_EMPHASIS = re.compile(r"(?<!\w)_([^_]{1,400}?)_(?!\w)")
_SEARCHED = 12  # blocks after the header in which credits may stand


def has_wrapping(text: str) -> bool:
    """Whether a text carries Project Gutenberg's marks.

    >>> has_wrapping("*** START OF THE PROJECT GUTENBERG EBOOK THE CRANE ***\\n\\nA crane flew.")
    True
    """
    return bool(_START.search(text) or (_END.search(text) and "gutenberg" in text.casefold()))


def strip_gutenberg(text: str) -> str:
    r"""Return what stands between the two marking lines of Project Gutenberg; all of it without them.

    >>> strip_gutenberg("Header\n*** START OF THE PROJECT GUTENBERG EBOOK WOLF ***\nA wolf came.")
    'A wolf came.'
    """
    for mark in reversed(list(_LINE.finditer(text))):
        text = text[mark.end() :] if mark[1].upper() == "START" else text[: mark.start()]
    return text


def unwrap_gutenberg(gathering: Gathering) -> None:
    """Take the wrapping off a gathering, and count what is left out; nothing happens to other texts."""
    start = next((i for i, block in enumerate(gathering.blocks) if _START.search(block.text)), None)
    ends = (i for i, block in enumerate(gathering.blocks) if _END.search(block.text) and i != start)
    end = next((i for i in ends if start is None or i > start), None)
    if start is None and end is None:
        return
    gathering.leave_out("header", start is not None)
    gathering.leave_out("licence", end is not None)
    blocks = gathering.blocks[0 if start is None else start + 1 : end]
    blocks = _leave_out_credits(blocks, gathering)
    blocks = _leave_out_notes(blocks, gathering)
    cleaned = [_clean(block, gathering) for block in blocks]
    if gathering.left_out["footnote"]:
        cleaned = [replace(block, text=_MARK.sub("", block.text)) for block in cleaned]
    gathering.blocks = [block for block in cleaned if block.text or block.anchors]


def _leave_out_credits(blocks: list[Block], gathering: Gathering) -> list[Block]:
    kept = []
    for index, block in enumerate(blocks):
        if index < _SEARCHED and _CREDIT.match(block.text):
            gathering.leave_out("transcriber's note")
        else:
            kept.append(block)
    return kept


def _leave_out_notes(blocks: list[Block], gathering: Gathering) -> list[Block]:
    """Take out the footnotes that stand together under a title of their own."""
    kept: list[Block] = []
    inside = False
    for index, block in enumerate(blocks):
        if _NOTES_TITLE.fullmatch(block.text.strip()) and index + 1 < len(blocks):
            inside = _NOTE.match(blocks[index + 1].text) is not None
            if inside:
                continue
        if inside and _NOTE.match(block.text):
            gathering.leave_out("footnote")
        else:
            inside = False
            kept.append(block)
    return kept


def _clean(block: Block, gathering: Gathering) -> Block:
    text = block.text
    for kind, pattern in _REMARKS:
        text, count = pattern.subn("", text)
        gathering.leave_out(kind, count)
    return replace(block, text=_EMPHASIS.sub(r"\1", text).strip())
