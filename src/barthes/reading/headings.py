"""Mark the headings of a text whose format does not: plain text, and PDFs with letters of one size.

Chapters of a novel are found by their wording (“Chapter 3”) or their numbers, stories of a collection by the
table of contents and the layout. Whichever are more divide the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from barthes.reading.document import Block, DocumentDraft
from barthes.reading.story_headings import clean_heading, find_stories, is_punctuated, split_ruled, tells
from barthes.reading.titles import (
    BARE,
    NUMBERED,
    NUMERALS,
    PART_STORY,
    clean_title,
    is_matter,
    is_numbered,
    normalize_title,
    reads_like_title,
    to_number,
)

_SINGLE = re.compile(
    r"(?:prologue|epilogue|preface|foreword|introduction|prolog|epilog|vorwort)[.:]?", re.IGNORECASE
)
_LONGEST_HEADING = 16  # words
_WORD_NUMBERS = {word: number for number, word in enumerate(NUMERALS, start=1)}
_PARTS = frozenset("part book teil buch partie livre parte libro".split())
_PART_LEVEL, _CHAPTER_LEVEL, _SECTION_LEVEL = 1, 2, 3
_MATTER = "part of the front or back matter"


def mark_headings(draft: DocumentDraft) -> None:
    """Mark the blocks of a draft that are headings, and note how they were found.

    Prefaces, notes and indexes of a collection are left out. Nothing is marked unless there are two chapters.
    """
    blocks, ruled = split_ruled(draft.blocks)
    parts = _find_chapters(blocks)
    chapters = {index: level for index, level in parts.items() if level == _CHAPTER_LEVEL}
    restarts = _count_restarts(blocks, parts)
    stories = find_stories(blocks, parts, draft, ruled)
    if stories is None or (not restarts and len(chapters) >= len(stories.places)):
        if len(parts) > 1:
            draft.blocks = _apply(blocks, parts)
            draft.division = _describe_numbers(restarts)
        return
    if restarts and any(NUMBERED.match(blocks[index].text) for index in chapters):
        # “Chapter 1” starts again under each title: the titles are those of parts.
        draft.blocks = _apply(blocks, parts | dict.fromkeys(stories.places, _PART_LEVEL))
    else:
        levels = {
            index: max(level, _SECTION_LEVEL) if index in chapters else level
            for index, level in parts.items()
        }
        titled = [
            replace(block, text=clean_title(clean_heading(block)) or block.text)
            if index in stories.places
            else block
            for index, block in enumerate(blocks)
        ]
        marked = _apply(
            titled, levels | dict.fromkeys(stories.places, _CHAPTER_LEVEL), stories.start, stories.end
        )
        draft.leave_out(_MATTER, (stories.start > 0) + (stories.end < len(blocks)))
        draft.blocks = _remove_matter(marked, draft)
        draft.chapter_level = _CHAPTER_LEVEL
    draft.division = f"found by {stories.how} (confidence: {stories.confidence})"


def _apply(
    blocks: Sequence[Block], levels: dict[int, int], start: int = 0, end: int | None = None
) -> list[Block]:
    """Return a range of the blocks, headings on one line; a short line after “Chapter 3” is its title."""
    marked: list[Block] = []
    above = ""  # the title that a “First Story” belongs to
    for index, block in enumerate(blocks[start:end], start):
        last = marked[-1] if marked else None
        if index in levels:
            text = _join_lines(block.text)
            if PART_STORY.fullmatch(normalize_title(text)) and above:
                text = f"{above}: {text}"
            else:
                above = text
            marked.append(replace(block, text=text, level=levels[index]))
        elif last is not None and last.level and is_numbered(last.text) and reads_like_title(block.text):
            marked[-1] = replace(last, text=f"{last.text.rstrip('.:')}: {_join_lines(block.text)}")
        else:
            marked.append(block)
    return marked


def _join_lines(text: str) -> str:
    first, *rest = (" ".join(line.split()) for line in text.strip().split("\n"))
    if not rest:
        return first
    return f"{first.rstrip('.:')}: {' '.join(rest)}" if is_numbered(first) else " ".join([first, *rest])


def _remove_matter(blocks: Sequence[Block], draft: DocumentDraft) -> list[Block]:
    """Return the blocks without prefaces, notes and lists, which are counted.

    Too few words for a story belong to the story before them, with their heading.
    """
    sections: list[list[Block]] = [[]]
    for block in blocks:
        if block.level in (_PART_LEVEL, _CHAPTER_LEVEL):
            sections.append([])
        sections[-1].append(block)
    kept: list[Block] = []
    for section in filter(None, sections):
        heading, *text = section
        is_short = bool(heading.level and text) and not tells(text)
        if is_matter(heading.text) or (is_short and not any(map(is_punctuated, text))):
            draft.leave_out(_MATTER)
        else:
            kept += [replace(block, level=0) for block in section] if is_short and kept else section
    return kept


def _describe_numbers(restarts: int) -> str:
    if not restarts:
        return "found by their numbers (confidence: high)"
    times = "once" if restarts == 1 else f"{restarts} times"
    return f"found by their numbers, which start again {times} without a title (confidence: low)"


def _find_chapters(blocks: Sequence[Block]) -> dict[int, int]:
    """Return the levels of headings by wording or number.

    “Chapter” and its like with a number are headings, and so are bare numbers that count up from one.
    """
    bare = _find_bare_numbers(blocks)
    levels: dict[int, int] = {}
    for index, block in enumerate(blocks):
        if index in bare or _reads_like_heading(block.text):
            is_part = block.text.split()[0].lower() in _PARTS
            levels[index] = _PART_LEVEL if is_part else _CHAPTER_LEVEL
    return levels


def _count_restarts(blocks: Sequence[Block], levels: dict[int, int]) -> int:
    """Return how often the numbers of headings with the same word start again within a part."""
    last: dict[str, int] = {}
    restarts = 0
    for index, level in levels.items():
        if level == _PART_LEVEL:
            last = {}
            continue
        word, *rest = re.findall(r"\w+", blocks[index].text) or [""]
        kind, digits = ("", word) if to_number(word.upper()) else (word.lower(), rest[0] if rest else "")
        number = to_number(digits.upper()) or _WORD_NUMBERS.get(digits.lower(), 0)
        restarts += 0 < number <= last.get(kind, 0)
        last[kind] = number
    return restarts


def _find_bare_numbers(blocks: Sequence[Block]) -> frozenset[int]:
    """Return the indexes of blocks that count 1, 2, 3 … and may start again; other numbers are skipped."""
    runs: list[list[int]] = [[]]
    for index, block in enumerate(blocks):
        match = BARE.fullmatch(block.text.strip())
        number = to_number(match[1]) if match else None
        if number == len(runs[-1]) + 1:
            runs[-1].append(index)
        elif number == 1:
            runs.append([index])
    return frozenset(index for run in runs if len(run) > 1 for index in run)


def _reads_like_heading(text: str) -> bool:
    lines = text.split("\n")
    first = lines[0].strip()
    if len(lines) > 3 or len(text.split()) > _LONGEST_HEADING:
        return False
    if _SINGLE.fullmatch(text.strip()):
        return True
    match = NUMBERED.match(first)
    if match is None or (len(lines) > 1 and not is_numbered(first)):
        return False
    # “Part one was over, and she wept.” is a sentence; “Chapter 3. The Fog.” is not.
    rest = first[match.end() :].strip()
    return not rest or match[0][-1] in ".:—–-" or not rest[0].islower()
