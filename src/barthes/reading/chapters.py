"""From blocks to chapters: which headings part a document, and which only name it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from barthes.errors import EmptyNarrativeError
from barthes.reading.blocks import Block, Gathering
from barthes.reading.contents import leave_out_contents
from barthes.reading.document import Chapter, Document
from barthes.reading.gutenberg import unwrap_gutenberg
from barthes.reading.headings import is_numbered

__all__ = ["arrange"]

_BYLINE = re.compile(r"(?:by|von|par|di|door|retold by|translated by|written by)\s+\w[^.!?]*", re.IGNORECASE)
_LONGEST_TITLE_PAGE = 80  # words


def arrange(gathering: Gathering, *, where: str) -> Document:
    """The document that was gathered: wrapping and contents left out, headings turned into titles.

    The chapters begin at the headings of the highest level that parts the text, that is, of which there are
    two or more with text right behind them; higher ones (Part One) go before their titles, lower ones are
    left out. A heading alone is the title of the document.

    Raises:
        EmptyNarrativeError: There is no text in it.
    """
    gathering.blocks = [block for block in gathering.blocks if block.text]
    unwrap_gutenberg(gathering)
    leave_out_contents(gathering)
    blocks = _leave_out_title(gathering)
    level = _choose_level(blocks)
    sections = _part(blocks, level, gathering)
    if level is not None:
        sections = _leave_out_title_page(sections, gathering)
    chapters = tuple(section.to_chapter() for section in sections if section.blocks)
    if not chapters:
        remedy = "Give a file with words in it."
        raise EmptyNarrativeError("there is no running text in it.", where=where, remedy=remedy)
    return Document(
        chapters, gathering.title, gathering.language, dict(gathering.left_out), tuple(gathering.notes)
    )


@dataclass
class _Section:
    title: str
    blocks: list[Block] = field(default_factory=list)

    def to_chapter(self) -> Chapter:
        spans: list[tuple[int, int]] = []
        position = 0
        for block in self.blocks:
            spans += [(position + start, position + end) for start, end in block.spans]
            position += len(block.text) + len("\n\n")
        known = all(block.spans for block in self.blocks)
        text = "\n\n".join(block.text for block in self.blocks)
        return Chapter(self.title, text, tuple(spans) if known else ())


def _leave_out_title(gathering: Gathering) -> list[Block]:
    """The blocks without the title and author at their head; a lone heading becomes the title."""
    blocks = gathering.blocks
    first = next((index for index, block in enumerate(blocks) if not block.level), len(blocks))
    highest = min((block.level for block in blocks if block.level), default=0)
    headings = [block for block in blocks if block.level == highest and highest]
    if not gathering.title and len(headings) == 1 and headings[0] in blocks[:first]:
        gathering.title = "" if is_numbered(headings[0].text) else headings[0].text
    title = _fold(gathering.title)
    opening = blocks[: first + 2]
    kept = [
        block for block in opening if not (_fold(block.text) == title and title) and not _is_byline(block)
    ]
    return kept + blocks[first + 2 :]


def _is_byline(block: Block) -> bool:
    return len(block.text.split()) <= 8 and _BYLINE.fullmatch(block.text) is not None


def _choose_level(blocks: Sequence[Block]) -> int | None:
    """The level of the headings that part the text into chapters; nothing where none do."""
    for level in range(1, 7):
        places = [index for index, block in enumerate(blocks) if block.level == level]
        direct = sum(index + 1 < len(blocks) and not blocks[index + 1].level for index in places)
        if direct > 1 and direct * 2 >= len(places):
            return level
    return None


def _part(blocks: Sequence[Block], level: int | None, gathering: Gathering) -> list[_Section]:
    sections = [_Section("")]
    above: dict[int, str] = {}
    several = {each for each in range(1, 7) if sum(block.level == each for block in blocks) > 1}
    for block in blocks:
        if not block.level:
            sections[-1].blocks.append(block)
        elif level is None or block.level > level:
            gathering.leave_out("heading")
        elif block.level < level:
            above = {each: text for each, text in above.items() if each < block.level}
            if block.level in several or is_numbered(block.text):
                above[block.level] = block.text
            sections.append(_Section(": ".join(above.values())))
        else:
            last = sections[-1]
            lead = [last.title] if not last.blocks and is_numbered(last.title) else [*above.values()]
            sections.append(_Section(": ".join(filter(None, [*lead, block.text]))))
    return sections


def _leave_out_title_page(sections: list[_Section], gathering: Gathering) -> list[_Section]:
    """Take out what stands before the first chapter if there is no sentence in it."""
    first, *rest = sections
    words = sum(len(block.text.split()) for block in first.blocks)
    ends = any(block.text[-1] in ".!?…\"'”’" and len(block.text.split()) > 4 for block in first.blocks)
    if not first.blocks or words > _LONGEST_TITLE_PAGE or ends:
        return sections
    gathering.leave_out("title page")
    return rest


def _fold(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip().casefold()
