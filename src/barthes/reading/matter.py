"""Mark front and back matter: by its place before the first or after the last story, and by its form.

::

    THE BOOK OF WOLVES        title page: few words, in lines without sentences
    by Jane Doe
    PREFACE                   named like matter, and not in the contents or on a Roman page
    The Wolf                  ── the first story: from here to the last one, nothing is matter ──
    Notes of a Madman
    NOTES                     named like matter and not in the contents, or with the titles of the stories
    BY THE SAME AUTHOR        not in the contents, and like a title page, or with prices

A title alone decides nothing: “Notes of a Madman” is a story. In doubt, a section is a story.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from barthes.reading.document import Block, count_words
from barthes.reading.scene_breaks import is_scene_break
from barthes.reading.titles import ends_sentence, is_title, names_matter, normalize_title

_BYLINE = re.compile(r"(?:by|von|par|di|door|retold by|translated by|written by)\s+\w[^.!?]*", re.IGNORECASE)
_REFERENCE = re.compile(  # pages, volumes and prices
    r"\bpp?\.\s?\d|\bpages?\b\.?\s?\d|\d\s?pages\b|\bvol(?:ume|s)?\b\.?|\bibid\b|\bcf\.|\bop\. cit"
    r"|\bed\.|[$£€]\s?\d|\d[sd]\.|\bl\.c\.",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b1[5-9]\d\d\b|\b20\d\d\b")
_INITIALS = re.compile(r"\W*(?:[A-Z]\.\s?){2,4}\W*")
_LONGEST_TITLE_PAGE = 150  # words
_LONGEST_PREFACE = 3000  # words; a longer one is read like the rest
_LONGEST_PRINTED_LINE = 25  # words


@dataclass
class Section:
    """A heading and the blocks under it.

    Attributes:
        name: Its own title.
        above: The titles of the parts it is in.
        blocks: All of its blocks, with the headings.
        is_listed: Whether it belongs to the contents list or counts up; None if nothing says so.
        level: That of its heading.
        is_inner: Whether it is not in a contents list that is complete otherwise.
        is_part: Whether its heading is that of several chapters.
        is_opening: Whether it is what stands before the first heading.
    """

    name: str = ""
    above: str = ""
    blocks: list[Block] = field(default_factory=list)
    is_listed: bool | None = None
    level: int = 0
    is_inner: bool = False
    is_part: bool = False
    is_opening: bool = False

    @property
    def title(self) -> str:
        """Its title, with those of the parts it is in."""
        return ": ".join(filter(None, (self.above, self.name)))

    @property
    def text_blocks(self) -> list[Block]:
        """The blocks that are neither headings nor marked, nor lines of stars."""
        return [block for block in self.blocks if block.is_text and not is_scene_break(block.text)]

    @property
    def is_spoken(self) -> bool:
        """Whether somebody speaks in it, as in a play."""
        return any(
            block.mark == "speaker" or (block.marks[:1] and block.marks[0].kind == "speaker")
            for block in self.blocks
        )

    def mark_as_matter(self) -> None:
        """Mark all of it, also names of speakers and directions."""
        spoken = ("", "speaker", "direction")
        self.blocks = [
            block.mark_as("matter") if block.mark in spoken and not block.level else block
            for block in self.blocks
        ]


def mark_matter(sections: Sequence[Section], *, is_printed: bool) -> None:
    """Mark the sections before the first and after the last story that have the form of matter.

    `is_printed` says that the text was printed as a book: it may begin with lines of a title page.
    """
    if is_printed or len(sections) > 1:
        _mark_title_page(sections, is_printed=is_printed)
    for section in sections:
        if section.is_part and _is_title_page(section.text_blocks):
            section.mark_as_matter()
    is_play = any(section.is_spoken for section in sections)
    names = {normalize_title(section.name) for section in sections if section.name}
    for is_back, ordered in ((False, sections), (True, sections[::-1])):
        left = sum(bool(section.text_blocks) for section in sections)
        for section in ordered:
            if not section.text_blocks:
                continue
            is_edge = _is_outside(section, is_play=is_play) or (
                _is_appended(section, names) if is_back else _is_preface(section)
            )
            if left < 2 or not is_edge:
                break
            section.mark_as_matter()
            left -= 1


def _is_outside(section: Section, *, is_play: bool) -> bool:
    """Return whether a section that nothing lists is a title page, or is not spoken in a book of plays."""
    if not section.is_opening and section.is_listed is not False:
        return False
    printed = [block for block in section.blocks if block.is_text or block.mark == "matter"]
    return _is_title_page(printed) or (is_play and not section.is_spoken)


def _is_preface(section: Section) -> bool:
    is_short = _count_text(section) <= _LONGEST_PREFACE
    return is_short and names_matter(section.name) and _is_unlisted(section)


def _is_unlisted(section: Section) -> bool:
    return section.is_listed is False or _is_signed(section.text_blocks)


def _is_appended(section: Section, names: set[str]) -> bool:
    """Return whether a section after the stories is notes, an index or a catalogue."""
    is_named = names_matter(section.name)
    if section.is_listed:
        return is_named and (_is_signed(section.text_blocks) or _comments(section, names))
    return (is_named and _is_unlisted(section)) or _comments(section, names) or _refers(section.text_blocks)


def _comments(section: Section, names: set[str]) -> bool:
    """Return whether a section repeats the titles of the stories, above remarks on each."""
    unmarked = (block for block in section.blocks if not block.mark)
    lines = {normalize_title(block.line.split(".—")[0][:100]) for block in unmarked}
    repeated = lines & (names - {normalize_title(section.name)})
    return len(repeated) > 2 and 3 * len(repeated) > len(names)


def _refers(blocks: Sequence[Block]) -> bool:
    """Return whether at least half of the blocks refer to pages or books, or name prices."""
    return 2 * sum(_REFERENCE.search(block.text) is not None for block in blocks) >= len(blocks)


def _count_text(section: Section) -> int:
    return sum(count_words(block.text) for block in section.text_blocks)


def _is_title_page(blocks: Sequence[Block]) -> bool:
    """Return whether blocks are few words, and at least half of them lines without sentences."""
    blocks = [block for block in blocks if count_words(block.text)]
    words = sum(count_words(block.text) for block in blocks)
    printed = sum(_is_printed_line(block.text) for block in blocks)
    return words <= _LONGEST_TITLE_PAGE and 2 * printed >= len(blocks)


def _is_signed(blocks: Sequence[Block]) -> bool:
    """Return whether the last lines are initials, or a place and a year."""
    last = [block.line for block in blocks[-3:] if len(block.line.split()) <= 8]
    return any(_INITIALS.fullmatch(line) or _YEAR.search(line) for line in last)


def _mark_title_page(sections: Sequence[Section], *, is_printed: bool) -> None:
    """Mark the lines of a title page at the start of the text, and authors under titles."""
    is_first = True
    for number, section in enumerate(sections):
        for index, block in enumerate(section.blocks):
            if not block.is_text or is_scene_break(block.text):
                continue
            may_be_page = section.is_opening or (is_printed and is_first and not section.is_listed)
            is_line = is_byline(block.text) or (may_be_page and _is_printed_line(block.text))
            is_last = number == len(sections) - 1 and not any(b.is_text for b in section.blocks[index + 1 :])
            if not is_line or is_last:
                break
            section.blocks[index] = block.mark_as("matter")
        is_first = is_first and not section.text_blocks


def is_byline(text: str) -> bool:
    """Return whether a line names an author.

    >>> is_byline("by Jane Doe"), is_byline("By the river she slept.")
    (True, False)
    """
    return len(text.split()) <= 8 and _BYLINE.fullmatch(text.replace("_", "").strip()) is not None


def _is_printed_line(text: str) -> bool:
    """Return whether a paragraph reads like a line of a title page, not like a sentence or verse.

    >>> [_is_printed_line(text) for text in ("THE WOLF.", "by Jane Doe", "London, 1893", "So!")]
    [True, True, True, False]
    >>> _is_printed_line("Call me Wolf.")
    False
    """
    words = text.replace("_", "").split()
    end = text.rstrip('"”’»)_ \n')[-1:]
    if len(words) > _LONGEST_PRINTED_LINE or end in ("", "!", "?", "…"):
        return False
    if text.isupper() or is_byline(text):
        return True
    if ends_sentence(end):
        initials = (next(filter(str.isalnum, word), "") for word in words)
        return all(each.isupper() or not each.isalpha() for each in initials)
    return end not in ",;:—" and (len(words) <= 4 or is_title(" ".join(words)))
