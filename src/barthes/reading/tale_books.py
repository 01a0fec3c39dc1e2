"""Split books of tales, as Project Gutenberg prints them, into their tales.

A heading is a short paragraph with three or more blank lines before it, in capitals or in the capitals of
a title; with two it has to repeat an entry of the table of contents. Prefaces, tables, notes, lists,
everything after notes or an index that follow the first third of the book, and texts of less than
`MIN_TALE_WORDS` words are not tales. Books printed more closely are read by the next looser rule, and a text
without headings is one story.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from barthes.reading.encoding import decode
from barthes.reading.formats import Format, find_format, parse_document
from barthes.reading.story_document import Chapter, Document, describe_left_out
from barthes.reading.tale_cleaning import (
    Paragraph,
    clean_tale,
    is_divider,
    is_numbered_part,
    read_paragraphs,
)
from barthes.reading.titles import (
    BACK_MATTER,
    FRONT_MATTER,
    LONGEST_TITLE,
    PART_STORY,
    clean_title,
    is_matter,
    is_title,
    normalize_title,
)

MIN_TALE_WORDS = 40
"""What is shorter is a title page or a dedication (the shortest of the Grimms' tales have 100 words)."""

_LONG_OPENING = 100  # words without a heading at the start of a file that are a story, not a title page
_CREDITS = ("produced by", "e-text prepared", "project gutenberg", "proofread", "transcrib", "copyright")
_CONTENTS = re.compile(r"(?:the )?(?:table of )?contents")
_HeadingRule = Callable[[Paragraph, frozenset[str]], bool]


def read_tales(data: bytes, *, where: str, name: str) -> tuple[tuple[Chapter, ...], tuple[str, ...]]:
    """Return the stories in a file with their titles, and notes on how the file was read.

    Plain text is divided by its headings and the blank lines before them; other formats mark their chapters.
    Errors call the file `where`; the ending of its `name` distinguishes kinds of text.

    Raises:
        ReadingError: Its format is unknown, or it is damaged.
        EmptyNarrativeError: There is no running text in it.
    """
    if find_format(data, where=where, name=name) is Format.TEXT:
        text, note = decode(data, where=where)
        return split_tales(text), (note,) if note else ()
    document = parse_document(data, where=where, name=name)
    notes = (*document.notes, describe_left_out(document.left_out))
    return split_document(document), tuple(filter(None, notes))


def split_document(document: Document) -> tuple[Chapter, ...]:
    """Return the stories of a document: its chapters, or all of it where half of them are only numbered.

    >>> wolf = "A wolf came to the well and drank. " * 9
    >>> tales = Document((Chapter("Preface", wolf), Chapter("The Wolf", wolf), Chapter("The Well", wolf)))
    >>> [story.title for story in split_document(tales)]
    ['The Wolf', 'The Well']
    >>> novel = Document((Chapter("Chapter 1", wolf), Chapter("Chapter 2", wolf)))
    >>> len(split_document(novel))
    1
    """
    chapters = [chapter for chapter in document.chapters if not is_matter(chapter.title)]
    numbered = sum(not chapter.title or is_numbered_part(chapter.title) for chapter in chapters)
    if 2 * numbered >= len(chapters) or len(chapters) < 2:
        return split_tales("\n\n".join(chapter.text for chapter in chapters))
    texts = ("\n\n".join(clean_tale(read_paragraphs(chapter.text))) for chapter in chapters)
    return tuple(
        Chapter(clean_title(chapter.title), text)
        for chapter, text in zip(chapters, texts, strict=True)
        if len(text.split()) >= MIN_TALE_WORDS
    )


def split_tales(text: str) -> tuple[Chapter, ...]:
    r"""Return the tales of a book in plain text; a text that is not a book of tales is one story.

    A story without a title has an empty one. A text in which nothing is told gives no story.

    >>> wolf, crow = "A wolf came to the well and drank. " * 9, "A crow flew to the well and sang. " * 9
    >>> book = f"Contents\n\nThe Wolf\nThe Crow\n\n\n\nTHE WOLF\n\n{wolf}\n\n\n\nTHE CROW\n\n{crow}"
    >>> [tale.title for tale in split_tales(book)]
    ['THE WOLF', 'THE CROW']
    """
    paragraphs = read_paragraphs(text)
    entries = _read_contents(paragraphs)
    for is_heading in (_is_spaced_heading, _is_close_heading):
        sections = _cut_back_matter(_cut_front_matter(_divide(paragraphs, entries, is_heading)))
        tales = [tale for section in sections if _may_tell(section) if (tale := _to_tale(section))]
        if len(tales) > 1:
            return tuple(tales)
    title = ""
    first = paragraphs[0] if len(paragraphs) > 1 else None
    if first and _is_short(first) and is_title(first.text) and not is_numbered_part(first.text):
        title, paragraphs = clean_title(first.text), paragraphs[1:]
    told = clean_tale(paragraphs)
    return (Chapter(title, "\n\n".join(told)),) if told else ()


@dataclass(frozen=True, slots=True)
class _Section:
    """A heading (empty before the first one) and the paragraphs under it."""

    heading: str
    paragraphs: list[Paragraph] = field(default_factory=list)

    @property
    def words(self) -> int:
        return sum(len(paragraph.text.split()) for paragraph in self.paragraphs)


def _read_contents(paragraphs: Sequence[Paragraph]) -> frozenset[str]:
    """Return the titles in the table of contents, up to its first repeated entry or prose."""
    titles = (_is_short(each) and _CONTENTS.fullmatch(normalize_title(each.text)) for each in paragraphs)
    start = next((index for index, found in enumerate(titles) if found), len(paragraphs))
    entries: frozenset[str] = frozenset()
    for paragraph in paragraphs[start + 1 :]:
        again = _is_short(paragraph) and (
            is_matter(paragraph.text) or normalize_title(paragraph.text) in entries
        )
        if (paragraph.gap >= 3 and again) or _is_prose(paragraph):
            break
        # An entry is a paragraph, a line, or two lines.
        lines = (paragraph.text, *paragraph.lines, *map(" ".join, pairwise(paragraph.lines)))
        entries |= {entry for entry in map(normalize_title, lines) if entry and not is_matter(entry)}
    return entries


def _divide(
    paragraphs: Sequence[Paragraph], entries: frozenset[str], is_heading: _HeadingRule
) -> list[_Section]:
    sections = [_Section("")]
    for paragraph in paragraphs:
        text, above = paragraph.text, sections[-1].heading
        short = _is_short(paragraph)
        if short and above and text.isupper() and PART_STORY.fullmatch(normalize_title(text)):
            sections.append(_Section(f"{above.partition(': ')[0]}: {clean_title(text)}"))
        elif short and not is_numbered_part(text) and is_heading(paragraph, entries):
            sections.append(_Section(clean_title(text)))
        else:
            sections[-1].paragraphs.append(paragraph)
    return sections


def _cut_front_matter(sections: Sequence[_Section]) -> Sequence[_Section]:
    """Return the sections from the last preface or table in the book's first quarter on."""
    total = sum(section.words for section in sections)
    passed = start = 0
    for index, section in enumerate(sections):
        if 4 * passed > total:
            break
        if is_matter(section.heading) and FRONT_MATTER.search(normalize_title(section.heading)):
            start = index
        passed += section.words
    return sections[start:]


def _cut_back_matter(sections: Sequence[_Section]) -> Iterator[_Section]:
    """Yield the sections before the notes and indexes at the book's end, and before the last divider."""
    total = sum(section.words for section in sections)
    passed = 0
    for index, section in enumerate(sections):
        heading = section.heading
        if is_matter(heading) and BACK_MATTER.search(normalize_title(heading)) and 3 * passed > total:
            return
        passed += section.words
        if index == len(sections) - 1:  # remarks on the book follow a divider set apart from the last tale
            last = section.paragraphs
            dividers = (i for i, each in enumerate(last) if i and each.gap >= 2 and is_divider(each.text))
            section = _Section(heading, last[: next(dividers, None)])
        yield section


def _may_tell(section: _Section) -> bool:
    if section.heading:
        return not is_matter(section.heading)
    opening = " ".join(paragraph.text for paragraph in section.paragraphs).lower()
    return section.words >= _LONG_OPENING and not any(credit in opening for credit in _CREDITS)


def _to_tale(section: _Section) -> Chapter | None:
    paragraphs = clean_tale(section.paragraphs)
    words = [len(paragraph.split()) for paragraph in paragraphs]
    told = sum(count for count, text in zip(words, paragraphs, strict=True) if text[-1] in ".!?:;,\"”’')—-")
    if sum(words) < MIN_TALE_WORDS or 2 * told < sum(words):  # a list has no full stops
        return None
    return Chapter(section.heading, "\n\n".join(paragraphs))


def _is_spaced_heading(paragraph: Paragraph, entries: frozenset[str]) -> bool:
    is_apart = paragraph.gap >= 3 or (paragraph.gap == 2 and normalize_title(paragraph.text) in entries)
    return is_apart and is_title(paragraph.text)


def _is_close_heading(paragraph: Paragraph, entries: frozenset[str]) -> bool:
    text = clean_title(paragraph.text)
    in_capitals = not entries and paragraph.gap >= 2 and text.isupper()
    return is_title(text) and (normalize_title(paragraph.text) in entries or is_matter(text) or in_capitals)


def _is_short(paragraph: Paragraph) -> bool:
    return len(paragraph.text) <= LONGEST_TITLE and len(paragraph.lines) <= 3


def _is_prose(paragraph: Paragraph) -> bool:
    words = paragraph.text.split()
    return len(words) > 20 and 3 * sum(word[0].isupper() for word in words) < len(words)
