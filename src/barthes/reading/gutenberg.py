"""Mark what Project Gutenberg and its transcribers add to a text: header, licence, credits, remarks.

::

    Title: The Wolf                                header; title, author and language are read from it
    *** START OF THE PROJECT GUTENBERG EBOOK …     header
    Produced by Jane Doe                           header
    [Illustration: The wolf at the door]           caption
    A wolf came to the door.[1]                    text, with a note
    [Footnote 1: In 1893.]                         note
    *** END OF THE PROJECT GUTENBERG EBOOK …       licence, to the end of the file
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from barthes.reading.document import Block, Draft, Mark, count_words
from barthes.reading.printing import INLINE_PAGE, NOTE_MARK, NOTE_START

_NAME = r"(?:THE |THIS )?PROJECT\s+GUTENBERG"
_START = re.compile(rf"\*\s?\*\s?\*\s*START\s+OF\s+{_NAME}", re.IGNORECASE)
_END = re.compile(
    rf"\*\s?\*\s?\*\s*(?:END\s+OF\s+{_NAME}|START: FULL LICENSE)"
    rf"|^[^\w\n]*(?:this is )?(?:the )?end of (?:{_NAME}|(?:the |this )?e-?text\b)",
    re.IGNORECASE | re.MULTILINE,
)
_SMALL_PRINT = re.compile(r"(?:\*+START\*+\s*)?THE SMALL PRINT|“?\"?Small Print!?")
_SMALL_PRINT_END = re.compile(r"\*END\**\s*THE SMALL PRINT", re.IGNORECASE)
_MENTION = re.compile(r"project\s+gutenberg|\be-?texts?\b", re.IGNORECASE)
_HEADER_BLOCKS = 30  # in which a header without a mark at its end may stand
_CREDIT = re.compile(
    r"(?:(?:this )?e-?(?:text|book) (?:was )?)?"
    r"(?:produced|prepared|transcribed|scanned|digitized) (?:by|from)\b"
    r"|credits?:|e-?text (?:produced|prepared) by|html version by|note: project gutenberg",
    re.IGNORECASE,
)
_TRANSCRIBER = re.compile(r"\W*transcriber['’]?s?['’]? notes?\b", re.IGNORECASE)
_REMARK_GAP = 2  # blank lines inside a note of the transcribers
_LONGEST_NOTE = 40  # paragraphs
_CREDIT_BLOCKS = 12  # blocks after the header in which credits may stand
_REMARK = re.compile(
    r"\[\s*(?:(?P<caption>illustrations?|picture|plate|image|frontispiece)|(?P<note>footnote|sidenote)"
    r"|transcriber)",
    re.IGNORECASE,
)
_BRACKET = re.compile(r"[\[\]]")
_LONGEST_REMARK = 12  # paragraphs: a bracket that stays open longer was never closed
_NOTES_TITLE = re.compile(r"(?:foot|end)?notes?:?", re.IGNORECASE)
_EMPHASIS = re.compile(r"(?<!\w)_(?=[^_]{1,400}_(?!\w))|(?<=\S)_(?!\w)")
_FIELD = re.compile(r"^(Title|Author|Language):[^\S\n]*(\S.*?)\s*$", re.MULTILINE)
_FIELDS = re.compile(r"(?:title|author|translator|editor|(?:release|posting) date|language|edition):", re.I)
_LANGUAGES = "english=en german=de french=fr spanish=es italian=it dutch=nl portuguese=pt finnish=fi "
_LANGUAGES += "swedish=sv danish=da latin=la greek=el"


def mark_gutenberg(draft: Draft) -> bool:
    """Mark header, licence and credits; return whether the text has any."""
    blocks = draft.blocks
    start, end = _find_edges(blocks)
    named = [index for index in _find(_MENTION, blocks[:_HEADER_BLOCKS]) if end is None or index < end]
    is_named = bool(named) or (end is not None and "gutenberg" in blocks[end].text.lower())
    if start < 0 and (end is None or not is_named):
        return False
    first, last = start + 1, len(blocks) if end is None else end
    if start < 0:
        first = max(named, default=-1) + 1
        first += sum(
            1 for _ in takewhile(_FIELDS.match, (block.text for block in blocks[first:last])) if first
        )
    for index in range(first):
        _read_fields(blocks[index].text, draft)
        blocks[index] = blocks[index].mark_as("header")
    if (
        end is not None
        and (sign := _END.search(blocks[last].text))
        and blocks[last].text[: sign.start()].strip()
    ):
        blocks[last] = add_marks(blocks[last], [Mark(sign.start(), len(blocks[last].text), "licence")])
        last += 1
    for index in range(last, len(blocks)):
        blocks[index] = blocks[index].mark_as("licence")
    for index in range(first, min(first + _CREDIT_BLOCKS, last)):
        if _CREDIT.match(blocks[index].text):
            blocks[index] = blocks[index].mark_as("header")
    return True


def mark_transcribers_notes(draft: Draft) -> None:
    """Mark the notes of transcribers: up to a larger gap in plain text, else up to the next heading."""
    blocks, rest, is_headed = draft.blocks, 0, False
    for index, block in enumerate(blocks):
        if not block.text or block.mark:
            continue
        rest -= 1
        if _TRANSCRIBER.match(block.text):
            rest, is_headed = _LONGEST_NOTE, block.level > 0
        elif block.level or block.gap > _REMARK_GAP or not (draft.raw or is_headed):
            rest = 0
        if rest > 0:
            blocks[index] = block.mark_as("header")


def _find_edges(blocks: Sequence[Block]) -> tuple[int, int | None]:
    """Return the index of the block that ends the header, or -1, and of the one that begins the licence.

    In the first books, terms in small print stood before the text or after it.
    """
    start = max(_find(_START, blocks), default=-1)
    opened, closed = next(_find(_SMALL_PRINT, blocks), None), max(_find(_SMALL_PRINT_END, blocks), default=-1)
    if start < 0 and opened is not None and closed >= 0:
        last = next(_find(_END, blocks[:opened]), opened)
        head = max(_find(_MENTION, blocks[:last]), default=-1) + 1
        before, after = (
            sum(count_words(each.text) for each in part)
            for part in (blocks[head:opened], blocks[closed + 1 :])
        )
        if before > after:
            return -1, last
        start = closed
    end = next(_find(_END, blocks[start + 1 :]), None)
    return start, None if end is None else start + 1 + end


def _find(sign: re.Pattern[str], blocks: Sequence[Block]) -> Iterator[int]:
    return (index for index, block in enumerate(blocks) if sign.search(block.text))


def _read_fields(text: str, draft: Draft) -> None:
    """Take title, author and language from a header."""
    codes = dict(pair.split("=") for pair in _LANGUAGES.split())
    for key, value in _FIELD.findall(text[:5_000]):
        if key == "Title":
            draft.title = draft.title or value
        elif key == "Author":
            draft.author = draft.author or value
        else:
            draft.language = draft.language or codes.get(value.lower(), "")


def mark_remarks(draft: Draft) -> None:
    """Mark captions, footnotes and page numbers that transcribers set in brackets."""
    _mark_brackets(draft)
    _mark_lists_of_notes(draft.blocks)
    signs = _mark_notes_by_sign(draft.blocks)
    for index, block in enumerate(draft.blocks):
        if block.text and not block.mark and not block.spans:
            found = [Mark(*sign.span(), "furniture") for sign in INLINE_PAGE.finditer(block.text)]
            leading = (sign for sign in NOTE_MARK.finditer(block.text) if _bare(sign[0]) in signs)
            found += [Mark(*sign.span(), "note") for sign in leading]
            draft.blocks[index] = add_marks(block, found)


def _bare(sign: str) -> str:
    """Return the number or letter in the sign of a note.

    >>> _bare("[Footnote 12: "), _bare("(3)"), _bare("*")
    ('12', '3', '*')
    """
    return re.sub(r"footnote|[\W_]+", "", sign, flags=re.IGNORECASE) or sign.strip()


def _mark_notes_by_sign(blocks: list[Block]) -> set[str]:
    """Mark paragraphs that begin with a sign that leads to them from above; return all signs."""
    signs: set[str] = set()
    above: set[str] = set()
    for index, block in enumerate(blocks):
        start = NOTE_START.match(block.text) if block.text and not block.level else None
        sign = start[0].strip() if start else ""
        if block.mark == "note" or any(m.kind == "note" for m in block.marks):
            parts = [block.text] if block.mark else [block.text[m.start : m.end] for m in block.marks]
            signs |= {_bare(found[0]) for part in parts if (found := NOTE_START.match(part))}
        elif not block.mark and sign in above and not sign.isalnum():
            blocks[index] = block.mark_as("note")
            signs.add(_bare(sign))
            above.discard(sign)
        elif not block.mark:
            above |= {found[0] for found in NOTE_MARK.finditer(block.text) if found.start()}
    return signs


def add_marks(block: Block, marks: Sequence[Mark]) -> Block:
    """Return a block with more marks; one that overlaps an earlier one is not added."""
    kept: list[Mark] = []
    for mark in sorted([*block.marks, *marks], key=lambda mark: (mark.start, -mark.end)):
        if mark.start < mark.end and (not kept or mark.start >= kept[-1].end):
            kept.append(mark)
    if len(kept) == 1 and not "".join([block.text[: kept[0].start], block.text[kept[0].end :]]).strip(
        "_ *\n."
    ):
        return block.mark_as(kept[0].kind)
    return replace(block, marks=tuple(kept))


def _mark_brackets(draft: Draft) -> None:
    """Mark remarks such as ``[Illustration: …]``, which may run over several paragraphs."""
    blocks = draft.blocks
    index = 0
    while index < len(blocks):
        block = blocks[index]
        marks, following = list[Mark](), index + 1
        for remark in _REMARK.finditer(block.text) if block.text and not block.mark else ():
            kind = remark.lastgroup or "note"
            if marks and remark.start() < marks[-1].end:
                continue
            if end := _find_closing(block.text, remark.start()):
                marks.append(Mark(remark.start(), end, kind))
            elif not (count := _count_remark(blocks, index, remark.start())):
                break  # what is never closed is text
            else:
                marks.append(Mark(remark.start(), len(block.text), kind))
                following = index + count
                for inside in range(index + 1, following):
                    blocks[inside] = blocks[inside].mark_as(kind)
        if marks:
            blocks[index] = add_marks(block, marks)
        index = following


def _count_remark(blocks: Sequence[Block], first: int, start: int) -> int:
    """Return how many blocks a remark takes that is not closed in the first; 0 if it never is.

    >>> _count_remark([Block("[Illustration: A wolf"), Block("at night]"), Block("It rained.")], 0, 0)
    2
    """
    joined = blocks[first].text[start:]
    for count, block in enumerate(blocks[first + 1 : first + _LONGEST_REMARK], start=2):
        joined = f"{joined} {block.text}"
        if end := _find_closing(joined, 0):
            return count if end >= len(joined.rstrip()) else 0
    return 0


def _find_closing(text: str, start: int) -> int:
    """Return the offset past the bracket that closes the one at `start`, or 0 if none does."""
    depth = 0
    for bracket in _BRACKET.finditer(text, start):
        depth += 1 if bracket[0] == "[" else -1
        if depth == 0:
            return bracket.end()
    return 0


def _mark_lists_of_notes(blocks: list[Block]) -> None:
    """Mark the footnotes that stand together under a title of their own, each after its sign."""
    is_inside = False
    for index, block in enumerate(blocks):
        if block.mark or not block.text:
            continue
        if _NOTES_TITLE.fullmatch(block.line):
            following = next((each for each in blocks[index + 1 :] if each.text), None)
            is_inside = following is not None and _is_note(following)
        else:
            is_inside = is_inside and _is_note(block)
        if is_inside:
            blocks[index] = block.mark_as("note")


def _is_note(block: Block) -> bool:
    return not block.level and NOTE_START.match(block.text) is not None


def drop_emphasis(block: Block) -> Block:
    """Return a block without the underscores that stand for italics; marks move.

    >>> drop_emphasis(Block("The _grey_ wolf_pack.")).text
    'The grey wolf_pack.'
    """
    return block.cut([Mark(*sign.span(), "") for sign in _EMPHASIS.finditer(block.text)])
