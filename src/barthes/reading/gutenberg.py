"""Remove what Project Gutenberg adds to a text: header, licence, credits and the transcribers' marks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from barthes.reading.document import Block, DocumentDraft
from barthes.reading.titles import THE_END

_NAME = r"(?:THE |THIS )?PROJECT\s+GUTENBERG"
_START = re.compile(rf"\*\s?\*\s?\*\s*START\s+OF\s+{_NAME}", re.IGNORECASE)
_END = re.compile(
    rf"\*\s?\*\s?\*\s*(?:END\s+OF\s+{_NAME}|START: FULL LICENSE)"
    rf"|^[^\w\n]*(?:this is )?(?:the )?end of (?:{_NAME}|(?:the |this )?e-?text\b)",
    re.IGNORECASE | re.MULTILINE,
)
_SMALL_PRINT = re.compile(r"(?:\*+START\*+\s*)?THE SMALL PRINT|“?\"?Small Print!")
_SMALL_PRINT_END = re.compile(r"\*END\**\s*THE SMALL PRINT", re.IGNORECASE)
_MENTION = re.compile(r"project\s+gutenberg|\be-?texts?\b", re.IGNORECASE)
_FIELD = re.compile(
    r"(?:title|author|translator|editor|illustrator|(?:release|posting) date|language|edition"
    r"|character set encoding):|please take a look at the important information in this header",
    re.IGNORECASE,
)
_HEADER_BLOCKS = 30  # in which a header without a mark at its end may stand
_CREDIT = re.compile(
    r"(?:(?:this )?e-?(?:text|book) (?:was )?)?"
    r"(?:produced|prepared|transcribed|scanned|digitized) (?:by|from)\b"
    r"|credits?:|e-?text (?:produced|prepared) by|html version by",
    re.IGNORECASE,
)
_REMARK = re.compile(
    r"\[\s*(?:illustration|footnote|transcriber|sidenote|picture|plate|image)", re.IGNORECASE
)
_LONGEST_REMARK = 8  # paragraphs: a bracket that stays open longer was never closed
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
    marked = _START.search(text) or _SMALL_PRINT_END.search(text)
    return bool(marked or (_END.search(text) and "gutenberg" in text.casefold()))


def remove_gutenberg(draft: DocumentDraft) -> None:
    """Remove header, licence, credits, notes and marks from a draft, and count them; others stay the same."""
    start, end = _find_story(draft.blocks)
    if start == 0 and end is None:
        return
    draft.leave_out("header", start > 0)
    draft.leave_out("licence", end is not None)
    blocks = draft.blocks[start:end]
    if end is not None:
        text = draft.blocks[end].text
        mark = _END.search(text) or _SMALL_PRINT.search(text)
        blocks.append(replace(draft.blocks[end], text=text[: mark.start() if mark else 0].strip("* \n")))
    opening = [block for block in blocks[:_CREDIT_BLOCKS] if not _CREDIT.match(block.text)]
    draft.leave_out("transcriber's note", len(blocks[:_CREDIT_BLOCKS]) - len(opening))
    blocks = _join_remarks(opening + blocks[_CREDIT_BLOCKS:])
    cleaned = [_clean(block, draft) for block in _remove_notes(blocks, draft)]
    if draft.left_out["footnote"]:
        cleaned = [replace(block, text=_MARK.sub("", block.text)) for block in cleaned]
    draft.blocks = list(_drop_empty(cleaned))
    if len(draft.blocks) > 1 and THE_END.fullmatch(draft.blocks[-1].text):
        draft.blocks.pop()
        draft.leave_out("closing line")


def _drop_empty(blocks: list[Block]) -> Iterator[Block]:
    """Yield the blocks with text or anchors; blank lines before others count for the next."""
    gap = 0
    for block in blocks:
        gap = max(gap, block.gap)
        if block.text or block.anchors:
            yield replace(block, gap=gap)
            gap = 0


def _find_story(blocks: Sequence[Block]) -> tuple[int, int | None]:
    """Return the index of the first block of the story and that of the licence after it, if there is one."""
    start = _find(_START, blocks)
    closed = _find(_SMALL_PRINT_END, blocks) if start is None else None
    if closed is not None:
        opened = _find(_SMALL_PRINT, blocks) or 0
        end = _find(_END, blocks[:opened]) or opened
        first = _skip_header(blocks, end)
        before, after = (_count_words(part) for part in (blocks[first:end], blocks[closed + 1 :]))
        if before > after:
            return first, end
        start = closed
    first = 0 if start is None else start + 1
    licence = _find(_END, blocks, first)
    if start is None and licence is not None:
        first = _skip_header(blocks, licence)
    return first, licence


def _find(mark: re.Pattern[str], blocks: Sequence[Block], first: int = 0) -> int | None:
    return next((i for i in range(first, len(blocks)) if mark.search(blocks[i].text)), None)


def _skip_header(blocks: Sequence[Block], end: int) -> int:
    """Return the index after a header that has no mark at its end: what names Project Gutenberg, fields."""
    named = (i for i in range(min(end, _HEADER_BLOCKS)) if _MENTION.search(blocks[i].text))
    first = max(named, default=-1) + 1
    while 0 < first < end and _FIELD.match(blocks[first].text):
        first += 1
    return first


def _count_words(blocks: Sequence[Block]) -> int:
    return sum(len(block.text.split()) for block in blocks)


def _join_remarks(blocks: Sequence[Block]) -> list[Block]:
    """Join the paragraphs of remarks such as ``[Illustration: …]`` that run over several."""
    joined = []
    index = 0
    while index < len(blocks):
        count = _count_remark(blocks[each].text for each in range(index, len(blocks)))
        text = "\n\n".join(block.text for block in blocks[index : index + count])
        joined.append(replace(blocks[index], text=text))
        index += count
    return joined


def _count_remark(texts: Iterable[str]) -> int:
    """Return how many of some paragraphs a remark takes that begins in the first one; 1 without a remark.

    >>> _count_remark(["[Illustration: A wolf", "at night]", "It rained."]), _count_remark(["[Illustration"])
    (2, 1)
    """
    joined = ""
    for count, text in enumerate(islice(texts, _LONGEST_REMARK + 1), start=1):
        joined = f"{joined} {text}"
        if all(_find_closing(joined, mark.start()) for mark in _REMARK.finditer(joined)):
            return count
    return 1


def remove_remarks(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks without captions, footnotes and transcribers' notes in brackets."""
    return list(
        _drop_empty([replace(block, text=_cut_remarks(block.text)) for block in _join_remarks(blocks)])
    )


def _cut_remarks(text: str) -> str:
    """Return a paragraph without the remarks in it."""
    kept, position = [], 0
    for mark in _REMARK.finditer(text):
        end = _find_closing(text, mark.start())
        if end and mark.start() >= position:
            kept.append(text[position : mark.start()])
            position = end
    return " ".join([*kept, text[position:]]).strip()


def _find_closing(text: str, start: int) -> int:
    """Return the offset past the bracket that closes the one at `start`, or 0 if none does."""
    depth = 0
    for bracket in re.finditer(r"[\[\]]", text[start:]):
        depth += 1 if bracket[0] == "[" else -1
        if depth == 0:
            return start + bracket.end()
    return 0


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
