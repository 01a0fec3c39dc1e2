"""Remove what Project Gutenberg adds to a text: header, licence, credits and the transcribers' marks."""

from __future__ import annotations

import re
from dataclasses import replace

from barthes.reading.story_document import Block, DocumentDraft

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
_INSIDE = r"\b[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]"  # the rest of a bracket, with brackets inside it
_REMARKS = {
    kind: re.compile(pattern, re.IGNORECASE)
    for kind, pattern in (
        ("illustration", rf"\[\s*Illustrations?{_INSIDE}"),
        ("transcriber's note", rf"\[\s*Transcriber['’]?s?['’]? notes?{_INSIDE}"),
        ("footnote", rf"\[\s*Footnote{_INSIDE}"),
        ("page number", r"\[\s*(?:Pg\.?|Page|p\.)\s*[\divxlc]+\s*\]|\{\d{1,4}\}"),
    )
}
_NOTES_TITLE = re.compile(r"(?:foot|end)?notes?:?", re.IGNORECASE)
_NOTE = re.compile(r"(?:\[(?:\d{1,3}|[A-Z]|\*)\]|\d{1,3}\.|\*{1,3})\s*\S")
_MARK = re.compile(r"(?<=\S)\s?\[(?:\d{1,3}|[A-Z]|\*)\]")
_EMPHASIS = re.compile(r"(?<!\w)_([^_]{1,400}?)_(?!\w)")
_CREDIT_BLOCKS = 12  # blocks after the header in which credits may stand


def has_gutenberg_marks(text: str) -> bool:
    """Return whether a text carries Project Gutenberg's marks.

    >>> has_gutenberg_marks("*** START OF THE PROJECT GUTENBERG EBOOK THE CRANE ***\\n\\nA crane flew.")
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


def remove_gutenberg(draft: DocumentDraft) -> None:
    """Remove header, licence, credits, notes and marks from a draft, and count them; others stay the same."""
    start = next((i for i, block in enumerate(draft.blocks) if _START.search(block.text)), None)
    ends = (i for i, block in enumerate(draft.blocks) if _END.search(block.text))
    end = next((i for i in ends if start is None or i > start), None)
    if start is None and end is None:
        return
    draft.leave_out("header", start is not None)
    draft.leave_out("licence", end is not None)
    blocks = draft.blocks[0 if start is None else start + 1 : end]
    opening = [block for block in blocks[:_CREDIT_BLOCKS] if not _CREDIT.match(block.text)]
    draft.leave_out("transcriber's note", len(blocks[:_CREDIT_BLOCKS]) - len(opening))
    blocks = opening + blocks[_CREDIT_BLOCKS:]
    cleaned = [_clean(block, draft) for block in _remove_notes(blocks, draft)]
    if draft.left_out["footnote"]:
        cleaned = [replace(block, text=_MARK.sub("", block.text)) for block in cleaned]
    draft.blocks = [block for block in cleaned if block.text or block.anchors]


def _remove_notes(blocks: list[Block], draft: DocumentDraft) -> list[Block]:
    """Remove the footnotes that stand together under a title of their own."""
    kept: list[Block] = []
    inside = False
    for index, block in enumerate(blocks):
        if _NOTES_TITLE.fullmatch(block.text.strip()) and index + 1 < len(blocks):
            inside = _NOTE.match(blocks[index + 1].text) is not None
            if inside:
                continue
        if inside and _NOTE.match(block.text):
            draft.leave_out("footnote")
        else:
            inside = False
            kept.append(block)
    return kept


def _clean(block: Block, draft: DocumentDraft) -> Block:
    text = block.text
    for kind, pattern in _REMARKS.items():
        text, count = pattern.subn("", text)
        draft.leave_out(kind, count)
    return replace(block, text=_EMPHASIS.sub(r"\1", text).strip())
