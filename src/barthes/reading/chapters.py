"""Build the chapters of a document from its blocks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

from barthes.errors import EmptyNarrativeError
from barthes.narrative import Omitted, write_omitted
from barthes.reading.contents_table import remove_contents
from barthes.reading.document import Block, Document, DocumentDraft, Mark, describe_left_out, join_parts
from barthes.reading.drop_caps import join_drop_caps
from barthes.reading.gutenberg import remove_gutenberg
from barthes.reading.markdown import find_marks
from barthes.reading.scene_breaks import is_scene_break
from barthes.reading.titles import CAST_TITLE, ends_sentence, is_numbered, is_title

_BYLINE = re.compile(r"(?:by|von|par|di|door|retold by|translated by|written by)\s+\w[^.!?]*", re.IGNORECASE)
_LONGEST_TITLE_PAGE = 80  # words
_LONGEST_CAST_LIST = 400  # words
_LONGEST_PRINTED_LINE = 25  # words


def build_document(draft: DocumentDraft, *, where: str, keep: Collection[str] = ()) -> Document:
    """Build a document from a draft: remove wrapping and contents, and turn headings into titles.

    Marked words are in no chapter, unless their kind is one to `keep`.

    The chapters begin at the headings of the highest level that divides the text, that is, of which two or
    more are followed directly by text; higher ones (Part One) go before their titles, lower ones are left
    out. A single heading is the title of the document.

    Raises:
        EmptyNarrativeError: There is no text in it.
    """
    marked = set_apart_marked(draft, keep)
    draft.blocks = join_drop_caps([block for block in draft.blocks if block.text])
    remove_gutenberg(draft)
    remove_contents(draft)
    blocks = _keep_headings(draft, _remove_title(draft))
    level = draft.chapter_level or choose_level(blocks)
    sections = _divide(blocks, level, draft)
    told, waiting = list[tuple[str, list[Block]]](), list[Omitted]()
    for (title, paragraphs), count in zip(sections, _count_dropped(sections, level, draft), strict=True):
        is_told = not all(is_scene_break(block.text) for block in paragraphs[count:])
        waiting += map(_write, paragraphs[: count if is_told else None])
        if is_told:
            told.append((title, _carry(waiting, paragraphs[count:])))
            waiting = []
    if told:
        told[-1] = (told[-1][0], _append(told[-1][1], waiting))
    chapters = tuple(join_parts(title, paragraphs) for title, paragraphs in told)
    if not chapters:
        raise _explain_empty(draft, where)
    division = draft.division if len(chapters) > 1 else ""
    left_out, notes = dict(draft.left_out), tuple(draft.notes)
    return Document(
        chapters,
        draft.title,
        draft.language,
        left_out,
        notes,
        division=division,
        written_as=draft.written_as,
        author=draft.author,
        marked=tuple(marked),
    )


def set_apart_marked(draft: DocumentDraft, keep: Collection[str]) -> list[tuple[str, str]]:
    """Remove marked words from a draft and return them, with their kinds; those to keep lose their mark.

    Speakers and directions inside paragraphs stay in the text, with their marks.
    """
    marked: list[tuple[str, str]] = []
    blocks: list[Block] = []
    for block in draft.blocks:
        if block.mark and block.mark not in keep:
            marked.append((block.mark, block.text))
            if block.anchors:
                blocks.append(replace(block, text="", mark="", marks=()))
            continue
        block, found = _cut_marks(block, keep)
        marked += found
        blocks.append(block)
    draft.blocks = blocks
    return marked


def _cut_marks(block: Block, keep: Collection[str]) -> tuple[Block, list[tuple[str, str]]]:
    """Return a block without the marked words in it that do not stay, and these words."""
    marks = [mark for mark in block.marks if mark.kind not in keep]
    pieces, stay, found = list[str](), list[Mark](), list[tuple[str, str]]()
    position = removed = 0
    for mark in marks:
        found.append((mark.kind, block.text[mark.start : mark.end]))
        if mark.kind in ("speaker", "direction"):
            stay.append(Mark(mark.start - removed, mark.end - removed, mark.kind))
            continue
        pieces.append(block.text[position : mark.start])
        position = mark.end
        removed += mark.end - mark.start
    text = "".join([*pieces, block.text[position:]])
    return replace(block, text=text, mark="", marks=tuple(stay)), found


def _count_dropped(
    sections: Sequence[tuple[str, list[Block]]], level: int | None, draft: DocumentDraft
) -> list[int]:
    """Return how many paragraphs at the start of each section are a title page or a cast list."""
    counts = [0] * len(sections)
    if draft.left_out["header"] or draft.left_out["licence"]:  # of Project Gutenberg
        begin = next((index for index, (title, found) in enumerate(sections) if title and found), 0)
        counts = [
            _count_printed_lines(*section, draft, is_before=index < begin)
            for index, section in enumerate(sections)
        ]
    opening = sections[0][1]
    texts = [block.text for block in opening[counts[0] :] if not is_scene_break(block.text)]
    if level is not None and (kind := _name_opening(texts)):
        draft.leave_out(kind)
        counts[0] = len(opening)
    return counts


def _explain_empty(draft: DocumentDraft, where: str) -> EmptyNarrativeError:
    if draft.left_out["text box"]:
        problem = "all of its text is in text boxes, which are not read."
        remedy = "Move the text out of the boxes, or save it as plain text."
    else:
        left = describe_left_out(draft.left_out)
        problem = f"there is no running text in it{f' ({left[0].lower()}{left[1:-1]})' if left else ''}."
        remedy = "Give a file with words in it."
    return EmptyNarrativeError(problem, where=where, remedy=remedy)


def _remove_title(draft: DocumentDraft) -> list[Block]:
    """Return the blocks without title and author at their start; a single heading becomes the title."""
    blocks = draft.blocks
    first = next((index for index, block in enumerate(blocks) if not block.level), len(blocks))
    highest = min((block.level for block in blocks if block.level), default=0)
    headings = [block for block in blocks if block.level == highest and highest]
    if not draft.title and len(headings) == 1 and headings[0] in blocks[:first]:
        draft.title = "" if is_numbered(headings[0].text) else headings[0].text
    title = fold(draft.title)
    opening = [block for block in blocks[: first + 2] if not title or fold(block.text) != title]
    kept = [each for each in opening if not _is_byline(each.text)]
    return kept + blocks[first + 2 :]


def _keep_headings(draft: DocumentDraft, kept: Sequence[Block]) -> list[Block]:
    """Return the kept blocks; paragraphs have the headings and dropped paragraphs before them as `omitted`.

    In Markdown, headings are one level lower if the title of the document is one of these lines.
    """
    deeper = int(draft.has_title_line and any(block.level == 1 for block in draft.blocks))
    is_kept = set(map(id, kept))
    waiting: list[Omitted] = []
    found: list[Block] = []
    for block in draft.blocks:
        marked = _mark(block, draft.written_as, deeper)
        if block.level or id(block) not in is_kept:
            waiting.append(_write(marked))
        if id(block) in is_kept:
            found += [block] if block.level else _carry(waiting, [marked])
            waiting = waiting if block.level else []
    return _append(found, [*waiting, *draft.pending])


def _mark(block: Block, written_as: str, deeper: int) -> Block:
    """Return a block with the marks that headings need in Markdown and Fountain, and all text in Markdown."""
    is_marked = block.level and written_as != "txt"
    heading = [Omitted(0, f"{'#' * min(block.level + deeper, 6)} ", plain="")] if is_marked else []
    marks = find_marks(block.text, is_heading=block.level > 0) if written_as == "md" else []
    return replace(block, omitted=(*block.omitted, *heading, *marks)) if heading or marks else block


def _write(block: Block) -> Omitted:
    """Return a block as lines before the text."""
    plain = write_omitted(block.text, (each.remove_marks() for each in block.omitted))
    return Omitted(0, f"{write_omitted(block.text, block.omitted)}\n\n", plain=f"{plain}\n\n")


def _carry(lines: Sequence[Omitted], kept: list[Block]) -> list[Block]:
    """Return the kept paragraphs; the first has the lines before it as `omitted`."""
    return [replace(kept[0], omitted=(*lines, *kept[0].omitted)), *kept[1:]]


def _append(blocks: list[Block], lines: Sequence[Omitted]) -> list[Block]:
    """Return the blocks; the last paragraph has the lines after it as `omitted`."""
    last = max((index for index, block in enumerate(blocks) if not block.level), default=None)
    if last is not None:
        end = len(blocks[last].text)
        texts = ((line.text.strip(), line.remove_marks().text.strip()) for line in lines)
        after = (Omitted(end, f"\n\n{text}", plain=f"\n\n{plain}") for text, plain in texts)
        blocks[last] = replace(blocks[last], omitted=(*blocks[last].omitted, *after))
    return blocks


def choose_level(blocks: Sequence[Block]) -> int | None:
    """Return the level of the headings that divide the text into chapters; None if none do."""
    for level in range(1, 7):
        places = [index for index, block in enumerate(blocks) if block.level == level]
        direct = sum(index + 1 < len(blocks) and not blocks[index + 1].level for index in places)
        if direct > 1 and direct * 2 >= len(places):
            return level
    return None


def _divide(
    blocks: Sequence[Block], level: int | None, draft: DocumentDraft
) -> list[tuple[str, list[Block]]]:
    """Return the titles and paragraphs of the chapters, first what stands before the first heading."""
    sections: list[tuple[str, list[Block]]] = [("", [])]
    above: dict[int, str] = {}
    counts = Counter(block.level for block in blocks)
    for block in blocks:
        if not block.level:
            sections[-1][1].append(block)
        elif level is None or block.level > level:
            draft.leave_out("heading")
        elif block.level < level:
            above = {each: text for each, text in above.items() if each < block.level}
            if counts[block.level] > 1 or is_numbered(block.text):
                above[block.level] = block.text
            sections.append((": ".join(above.values()), []))
        else:
            title, paragraphs = sections[-1]
            lead = [title] if not paragraphs and is_numbered(title) else [*above.values()]
            sections.append((": ".join(filter(None, [*lead, block.text])), []))
    return sections


def _name_opening(texts: list[str]) -> str:
    """Return what stands before the first chapter: a title page, a cast list, or nothing if it is a text."""
    if _is_title_page(texts):
        return "title page"
    titles = (line.strip("_.: ") for text in texts for line in text.split("\n")[:1])
    is_short = sum(len(text.split()) for text in texts) <= _LONGEST_CAST_LIST
    return "cast list" if is_short and any(map(CAST_TITLE.fullmatch, titles)) else ""


def _is_title_page(texts: list[str]) -> bool:
    """Return whether what stands before the first chapter is short and has no sentence in it."""
    words = sum(len(text.split()) for text in texts)
    sentences = filter(ends_sentence, texts)
    has_sentence = any(len(text.split()) > 4 or text.lower() == text.upper() for text in sentences)
    return bool(texts) and words <= _LONGEST_TITLE_PAGE and not has_sentence


def _count_printed_lines(title: str, blocks: list[Block], draft: DocumentDraft, *, is_before: bool) -> int:
    """Return how many paragraphs name the author of a chapter; without a title, all lines of a title page.

    `is_before` says whether chapters with titles follow: if not, nothing but such lines is the text.
    """
    is_dropped = _is_byline if title else _is_printed_line
    kept = (index for index, block in enumerate(blocks) if not is_dropped(block.text))
    is_short = sum(len(block.text.split()) for block in blocks) <= _LONGEST_TITLE_PAGE
    first = next(kept, len(blocks) if is_before and is_short else 0)
    draft.leave_out("heading" if title else "title page", first > 0)
    return first


def _is_byline(text: str) -> bool:
    return len(text.split()) <= 8 and _BYLINE.fullmatch(text) is not None


def _is_printed_line(text: str) -> bool:
    """Return whether a paragraph reads like a line of a title page, not like a sentence or verse.

    >>> [_is_printed_line(text) for text in ("THE WOLF.", "by Jane Doe", "London, 1893", "So!")]
    [True, True, True, False]
    >>> _is_printed_line("Call me Wolf.")
    False
    """
    words = text.split()
    end = text.rstrip('"”’»)')[-1:]
    if len(words) > _LONGEST_PRINTED_LINE or end in ("", "!", "?", "…"):
        return False
    if text.isupper() or _is_byline(text):
        return True
    if ends_sentence(end):
        initials = (next(filter(str.isalnum, word), "") for word in words)
        return all(each.isupper() or not each.isalpha() for each in initials)
    return end not in ",;:—" and (len(words) <= 4 or is_title(text))


def fold(text: str) -> str:
    """Return the words of a text in lower case, for comparison."""
    return re.sub(r"\W+", " ", text).strip().casefold()
