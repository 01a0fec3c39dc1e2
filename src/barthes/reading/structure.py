"""Make a document of a draft: mark what only the whole text shows, and divide it into chapters.

::

    draft ─▶ wrapping, remarks ─▶ contents ─▶ plays ─▶ headings ─▶ sections ─▶ matter ─▶ chapters
             (gutenberg)          (contents)  (plays)  (headings)              (matter)

The chapters begin at the headings of the highest level that divides the text; higher ones (Part One) go
before their titles, lower ones are headings inside them. What is marked stays out of the sentences of the
chapters and is listed, so that no word is lost: it is in a chapter or in `Document.marked`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise, takewhile

from barthes.errors import EmptyNarrativeError
from barthes.narrative import Omitted
from barthes.reading.contents import Entry, mark_contents
from barthes.reading.document import (
    Block,
    Chapter,
    Document,
    Draft,
    Mark,
    Marked,
    count_words,
    fold,
    join_parts,
)
from barthes.reading.gutenberg import drop_emphasis, mark_gutenberg, mark_remarks, mark_transcribers_notes
from barthes.reading.headings import CHAPTER, Headings, find_headings, is_running_text, split_at, split_ruled
from barthes.reading.matter import Section, is_byline, mark_matter
from barthes.reading.plays import mark_play
from barthes.reading.printing import CLOSING_LINE, PAGE_NUMBER, join_drop_caps
from barthes.reading.scene_breaks import is_scene_break, is_scene_heading
from barthes.reading.titles import clean_title, find_number, is_numbered, join_title, reads_like_title

_SALUTATION = re.compile(
    r"(?:my )?dear(?:est)?\b|(?:liebe[rs]?|ch[eè]re?|querid[oa]|car[oa]|beste)\b", re.IGNORECASE
)
_LINE = re.compile(r"[^\n]+")
_DIGITS = re.compile(r"\d")
_LONG_TITLE = 6  # words in capitals after a number: more than somebody shouts
_LONGEST_TITLE = 60  # characters of the first line of a text
_WRITTEN_BACK = ("heading",)


def build_document(
    draft: Draft, *, where: str, keep: Collection[str] = (), split: str | None = None
) -> Document:
    """Build a document from a draft.

    Args:
        draft: What a format has read.
        where: The name of the file in errors.
        keep: The kinds of marks (see `document.MARKS`) whose words are text of the story after all.
        split: A regular expression: lines that it finds are headings of chapters, and no others.

    Raises:
        EmptyNarrativeError: There is no text in it.
        ReadingError: `split` is not a regular expression, or finds nothing.
    """
    is_printed = mark_gutenberg(draft)
    mark_remarks(draft)
    mark_transcribers_notes(draft)
    if draft.written_as == "txt":
        draft.blocks = split_ruled(draft.blocks)
    _mark_title_line(draft)
    entries = mark_contents(draft)
    if not _has_speakers(draft.blocks):
        mark_play(draft)
    sections = _divide(draft, entries, split)
    mark_matter(sections, is_printed=is_printed)
    sections = _join_unlisted(sections)
    _mark_closing_line(sections, is_printed=is_printed)
    for section in sections:
        section.blocks = join_drop_caps(section.blocks)
        if is_printed:
            section.blocks = [drop_emphasis(block) for block in section.blocks]
    return _Builder(draft, keep, is_printed=is_printed).build(sections, where)


def _has_speakers(blocks: Iterable[Block]) -> bool:
    return any(
        block.mark == "speaker" or block.passages or any(mark.kind == "speaker" for mark in block.marks)
        for block in blocks
    )


def _mark_title_line(draft: Draft) -> None:
    """Mark title and author at the start; a single heading is the title."""
    blocks = draft.blocks
    texts = [index for index, block in enumerate(blocks) if block.is_text]
    filled = [index for index, block in enumerate(blocks) if block.text and not block.mark]
    highest = min((blocks[index].level for index in filled if blocks[index].level), default=0)
    headings = [index for index in filled if blocks[index].level == highest and highest]
    if not draft.title and len(headings) == 1 and headings[0] < (texts or [0])[0]:
        draft.title = "" if is_numbered(blocks[headings[0]].text) else join_title(blocks[headings[0]].text)
    opening = filled[: filled.index(texts[0]) + 2] if texts else filled
    for index in opening:
        is_title = bool(draft.title) and fold(blocks[index].text) == fold(draft.title)
        is_author = is_byline(blocks[index].text) and len(texts) > 1
        if is_author or (is_title and index in filled[:3]):
            blocks[index] = replace(blocks[index], mark="heading")


def _guess_title(draft: Draft, found: Headings) -> None:
    """Take the first line of plain text as its title, unless it is the heading of a story."""
    filled = [index for index, block in enumerate(draft.blocks) if block.text and not block.mark]
    if draft.title or len(filled) < 2 or (filled[0] in found.levels and filled[1] not in found.levels):
        return
    draft.title = _find_title(draft.blocks[filled[0]].text)
    if draft.title:
        found.levels.pop(filled[0], None)
        draft.blocks[filled[0]] = replace(draft.blocks[filled[0]], mark="heading")


def _find_title(text: str) -> str:
    """Return a first paragraph if it is surely a title: what is taken for one is not scored.

    >>> [_find_title(text) for text in ("The Old Wolf", "RAIN", "Rain", "Dear Mother", "London, 3 May 1893")]
    ['The Old Wolf', 'RAIN', '', '', '']
    """
    if len(text) > _LONGEST_TITLE or not reads_like_title(text) or _SALUTATION.match(text):
        return ""
    if is_numbered(text) or is_scene_break(text) or not text[-1].isalpha() or re.search(r"[\d,]", text):
        return ""
    letters = [[each for each in word if each.isalpha()] for word in text.split()]
    capitals = sum(word[0].isupper() for word in letters if word)
    is_sure = capitals > 1 or all(each.isupper() for word in letters for each in word)
    return " ".join(text.split()) if is_sure else ""


def _divide(draft: Draft, entries: Sequence[Entry], split: str | None) -> list[Section]:
    """Return the sections of a draft, first what stands before the first heading."""
    if split is not None:
        draft.blocks = split_at(draft.blocks, split)
        levels = {index: block.level for index, block in enumerate(draft.blocks) if block.level}
        found, level = Headings(levels, f"the pattern {split!r}", "given"), CHAPTER
    else:
        found = find_headings(draft, entries)
        _merge_titles(draft.blocks, found)
        if draft.raw:
            _guess_title(draft, found)
        level = draft.chapter_level or choose_level(draft.blocks, found)
    draft.division = draft.division or (
        f"found by {found.how} (confidence: {found.confidence})" if found.how else ""
    )
    for index in (each for each in found.levels if not draft.blocks[each].mark):
        draft.blocks[index] = replace(draft.blocks[index], level=found.levels[index])
    if draft.raw:
        _mark_page_numbers(draft.blocks)
    return _gather(draft.blocks, found, level)


def _mark_page_numbers(blocks: list[Block]) -> None:
    """Mark lines that are numbers of pages, if there are several."""
    found = [
        index
        for index, block in enumerate(blocks)
        if block.is_text and PAGE_NUMBER.fullmatch(block.text) and _DIGITS.search(block.text)
    ]
    for index in found if len(found) > 2 else ():
        blocks[index] = blocks[index].mark_as("furniture")


def _merge_titles(blocks: Sequence[Block], found: Headings) -> None:
    """Make a title, or a paragraph in capitals, after “Chapter 3” part of the heading."""
    filled = [index for index, block in enumerate(blocks) if block.text and not block.mark]
    for index, following in pairwise(filled):
        if index not in found.levels or not is_numbered(blocks[index].line):
            continue
        block = blocks[following]
        is_line = not block.marks and not is_scene_break(block.text)
        is_caps = bool(found.how) and block.text.isupper() and len(block.text.split()) >= _LONG_TITLE
        if is_line and (is_caps or reads_like_title(block.text)):
            found.levels.setdefault(following, found.levels[index])
        if following in found.levels and index in found.sequence:
            found.sequence |= {following}


def choose_level(blocks: Sequence[Block], found: Headings) -> int:
    """Return the level of the headings that divide the text into chapters; 0 if none do.

    It is the level of most headings that are listed or count up, if there are any, or else the highest of
    which two or more have running text under them.
    """
    levels = found.levels
    if found.how and CHAPTER in levels.values():
        return CHAPTER
    places = sorted(levels)
    edges = list(zip(places, [*places[1:], len(blocks)], strict=False))
    filled = [start for start, end in edges if any(block.is_text for block in blocks[start + 1 : end])]
    running = [start for start, end in edges if is_running_text(blocks[start + 1 : end])]
    listed = Counter(levels[index] for index in filled if index in found.sequence)
    if listed and listed.most_common(1)[0][1] > 2:
        return max(listed, key=lambda level: (listed[level], -level))
    for chosen in (running, filled):
        counts = Counter(levels[index] for index in chosen)
        direct = [level for level in sorted(counts) if counts[level] > 1]
        whole = Counter(levels.values())
        for level in direct:
            if 2 * counts[level] >= whole[level]:
                return level
    return 0


def _gather(blocks: Sequence[Block], found: Headings, level: int) -> list[Section]:
    """Return the sections: each begins at a heading of this level or a higher one."""
    counts = Counter(found.levels.values())
    sections = [Section(is_opening=True, is_listed=False if found.sequence else None)]
    parts: dict[int, str] = {}  # the headings above the chapters, by level
    for index, block in enumerate(blocks):
        own = found.levels.get(index, 0) if block.level and not block.mark else 0
        last = sections[-1]
        is_listed = index in found.sequence if found.sequence else None
        if own and _continues(last, own, level):
            last.name = f"{last.name.rstrip('.:')}: {_name(block, found)}"
            last.is_listed = last.is_listed or is_listed
            last.blocks.append(block)
            if own in parts:
                parts[own] = last.name
        elif not own or not level or own > level:
            last.blocks.append(block)
        else:
            parts = {each: name for each, name in parts.items() if each < own}
            name, above = _name(block, found), ": ".join(parts.values())
            is_inner = found.is_complete and index not in found.sequence
            section = Section(name, above, [block], is_listed, own, is_inner, is_part=own < level)
            sections.append(section)
            is_division = counts[own] > 1 or find_number(name) or found.how
            if section.is_part and is_division and not _has_text_at_once(blocks, index):
                parts[own] = name
    return sections


def _continues(section: Section, own: int, level: int) -> bool:
    """Return whether a heading of level `own` is the title after the number that begins a section."""
    is_next = own == section.level or (own > level and not section.is_part)
    return is_next and bool(section.name) and not section.text_blocks and is_numbered(section.name)


def _has_text_at_once(blocks: Sequence[Block], index: int) -> bool:
    """Return whether running text stands right under a heading, before the next."""
    return is_running_text(takewhile(lambda block: block.mark or not block.level, blocks[index + 1 :]))


def _name(block: Block, found: Headings) -> str:
    """Return a heading on one line; without its number, if it was not found by it."""
    title = join_title((drop_emphasis(block) if block.place[1] else block).text)  # plain text
    return title if not found.how or find_number(title) else clean_title(title)


def _join_unlisted(sections: Sequence[Section]) -> list[Section]:
    """Join sections that a complete table of contents does not list with the story before them."""
    joined: list[Section] = []
    is_inside = False
    for section in sections:
        is_inside = is_inside or bool(section.is_listed)
        is_matter = not section.text_blocks
        if joined and is_inside and section.is_inner and not is_matter:
            joined[-1].blocks += section.blocks
        else:
            joined.append(section)
    return joined


def _mark_closing_line(sections: Sequence[Section], *, is_printed: bool) -> None:
    """Mark “The End” under the last story, in capitals unless the text was printed as a book."""
    for section in reversed(sections):
        if texts := section.text_blocks:
            is_set = is_printed or texts[-1].text.isupper()
            if len(texts) > 1 and is_set and CLOSING_LINE.fullmatch(texts[-1].text):
                place = max(index for index, block in enumerate(section.blocks) if block is texts[-1])
                section.blocks[place] = texts[-1].mark_as("furniture")
            return


class _Builder:
    """Makes chapters of sections."""

    def __init__(self, draft: Draft, keep: Collection[str], *, is_printed: bool) -> None:
        self._draft = draft
        self._keep = keep
        self._is_raw = bool(draft.raw) and not is_printed
        self._deeper = int(draft.has_title_line and any(block.level == 1 for block in draft.blocks))
        self._marked: list[Marked] = []
        self._waiting: list[Omitted] = []
        self._raw_marks: list[Mark] = []

    def build(self, sections: Sequence[Section], where: str) -> Document:
        """Return the document."""
        draft = self._draft
        chapters, starts = list[tuple[str, list[Block]]](), list[int]()
        part: int | None = None  # where the heading of a part stands, before its first chapter
        for section in sections:
            kept = [block for each in section.blocks for block in self._keep_text(each)]
            heading = next((block for block in section.blocks if block.level), None)
            if any(not is_scene_break(block.text) for block in kept):
                start = (heading or kept[0]).place[0]
                starts.append(start if part is None else part)
                chapters.append((section.title, kept))
                part = None
            else:
                self._waiting += (line for block in kept for line in _omit(block))
                part = heading.place[0] if section.is_part and heading is not None else part
        if not chapters:
            raise self._explain_empty(where)
        blocks = chapters[-1][1]
        blocks[-1] = _write_after(blocks[-1], [*self._waiting, *draft.pending])
        made = tuple(join_parts(title, blocks) for title, blocks in chapters)
        whole = Chapter("", draft.raw, marks=tuple(sorted(self._raw_marks))) if self._is_raw else None
        if whole is not None and len(made) == 1 and not made[0].title:
            made = (whole,)
        return Document(
            made,
            draft.title or draft.file_title,
            draft.language,
            tuple(self._marked),
            tuple(draft.notes),
            whole,
            tuple(starts if whole else ()),
            draft.division if len(made) > 1 else "",
            draft.written_as,
            draft.author,
        )

    def _keep_text(self, block: Block) -> list[Block]:
        """Return a block as text of a chapter, if it is; note what is marked."""
        kind = block.mark or ("heading" if block.level else "")
        if not block.text:
            return []
        if kind and kind not in self._keep:
            self._marked.append(Marked(kind, block.text))
            self._raw_marks.append(Mark(*block.place, kind))
            if kind in _WRITTEN_BACK:
                self._waiting += _omit(block, self._name_heading(block))
            return []
        self._note_inner(block)
        if block.level:
            line = Omitted(0, "", self._name_heading(block))
            block = replace(block, text=" ".join(block.text.split()), omitted=(line, *block.omitted))
        block, found = replace(block, mark="", level=0).set_apart(self._keep)
        self._marked += found
        if block.marks and not count_words(block.cut(block.marks).text):
            return []  # nothing but marked parts
        if not block.text.strip():
            return []
        block = self._mark_scene_headings(block)
        waiting, self._waiting = self._waiting, []
        return [replace(block, omitted=(*waiting, *block.omitted))]

    def _name_heading(self, block: Block) -> str:
        """Return what a heading is in `Omitted`; below a title it is one level deeper."""
        return f"heading {min(block.level + self._deeper, 6)}" if block.level else ""

    def _mark_scene_headings(self, block: Block) -> Block:
        """Mark the headings of scenes in screenplays, which stay in the text."""
        lines = [line for line in _LINE.finditer(block.text) if is_scene_heading(line[0])]
        if not lines or "direction" in self._keep or block.spans:
            return block
        found = [Mark(*line.span(), "direction") for line in lines]
        self._marked += [Marked("direction", line[0]) for line in lines]
        marked = replace(block, marks=tuple(sorted({*block.marks, *found})))
        self._note_inner(replace(marked, marks=tuple(found)))
        return marked

    def _note_inner(self, block: Block) -> None:
        """Note where the marked parts of a block stand in the file."""
        if self._is_raw:
            start, end = block.place
            raw = self._draft.raw[start:end]
            solid = [start + index for index, each in enumerate(raw) if not each.isspace()]
            before = [0]
            for each in block.text:
                before.append(before[-1] + (not each.isspace()))
            for mark in block.marks:
                if mark.kind not in self._keep and before[mark.end] > before[mark.start]:
                    first, last = solid[before[mark.start]], solid[before[mark.end] - 1]
                    self._raw_marks.append(Mark(first, last + 1, mark.kind))

    def _explain_empty(self, where: str) -> EmptyNarrativeError:
        kinds = ", ".join(dict.fromkeys(each.kind for each in self._marked))
        problem = f"there is no running text in it{f' (only {kinds})' if kinds else ''}."
        if self._draft.written_as == "txt" and not kinds:
            problem = "there is nothing in it but white space." if self._draft.raw else "it is empty."
        if kinds:
            remedy = "Keep these words if they are the story."
            return EmptyNarrativeError(problem, where=where, remedy=remedy, option="keep")
        return EmptyNarrativeError(problem, where=where, remedy="Give a file with words in it.")


def _omit(block: Block, kind: str = "") -> list[Omitted]:
    """Return a block as lines before the text, with what was omitted before it."""
    if block.omitted and block.omitted[-1].replaced:
        own = block.omitted[-1]._replace(replaced=0, text=f"{block.omitted[-1].text}\n\n")
        return [*block.omitted[:-1], own]
    text = " ".join(block.text.split()) if kind else block.text
    return [*block.omitted, Omitted(0, f"{text}\n\n", kind)]


def _write_after(block: Block, lines: Sequence[Omitted]) -> Block:
    """Return the last block with the lines after it as `omitted`: line breaks stand before them."""
    texts = [line.text.rstrip("\n") for line in lines]
    breaks = ["\n\n", *(line.text[len(text) :] for line, text in zip(lines, texts, strict=True))]
    after = (
        line._replace(place=len(block.text), text=f"{gap}{text}")
        for line, text, gap in zip(lines, texts, breaks, strict=False)
    )
    return replace(block, omitted=(*block.omitted, *after))
