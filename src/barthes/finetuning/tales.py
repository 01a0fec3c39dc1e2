"""Books of tales, as Project Gutenberg prints them, to tales.

A heading is a short paragraph with three or more blank lines before it, in capitals or in the capitals of
a title; with two it has to repeat an entry of the table of contents. What stands under the heading of a
preface, a table or notes is no tale, nor is anything behind notes or an index that come after the book's
first third, nor a list, nor less than `SHORTEST_TALE` words. A book that is printed more closely is read
by the next looser rule, and a text without headings is one story.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from barthes.finetuning.apparatus import clean_tale, is_divider
from barthes.finetuning.headings import (
    begins_back_matter,
    begins_front_matter,
    clean_title,
    find_entries,
    is_capitals,
    is_chapter,
    is_contents,
    is_matter,
    is_part_story,
    is_short,
    is_title,
    normalise_title,
)
from barthes.finetuning.paragraphs import Paragraph, read_paragraphs
from barthes.finetuning.training_text import TrainingText, name_apart

__all__ = ["SHORTEST_TALE", "split_book"]

SHORTEST_TALE = 40
"""Words: what is shorter is a title page or a dedication (the shortest of the Grimms' tales have 100)."""

_LONG_OPENING = 100  # words without a heading at the head of a file that are a story, not a title page
_CREDITS = ("produced by", "e-text prepared", "project gutenberg", "proofread", "transcrib", "copyright")

_Rule = Callable[[Paragraph, frozenset[str]], bool]


@dataclass(frozen=True, slots=True)
class _Section:
    """A heading, empty before the first one, and what stands under it."""

    heading: str
    paragraphs: tuple[Paragraph, ...]

    @property
    def words(self) -> int:
        return sum(paragraph.words for paragraph in self.paragraphs)


def split_book(text: str) -> tuple[TrainingText, ...]:
    r"""The tales of a book, named by their titles; a text that is no book of tales is one story.

    A story without a title has an empty name. Nothing at all comes of a text in which nothing is told.

    >>> wolf, crow = "A wolf came to the well and drank. " * 9, "A crow flew to the well and sang. " * 9
    >>> book = f"Contents\n\nThe Wolf\nThe Crow\n\n\n\nTHE WOLF\n\n{wolf}\n\n\n\nTHE CROW\n\n{crow}"
    >>> [tale.name for tale in split_book(book)]
    ['THE WOLF', 'THE CROW']
    """
    paragraphs = read_paragraphs(text)
    entries = _find_contents(paragraphs)
    for rule in (_is_spaced_heading, _is_close_heading):
        tales = _keep_tales(_divide(paragraphs, entries, rule))
        if len(tales) > 1:
            return name_apart(tales)
    return _read_story(paragraphs)


def _is_spaced_heading(paragraph: Paragraph, entries: frozenset[str]) -> bool:
    if paragraph.gap >= 3:
        return is_title(paragraph)
    return paragraph.gap == 2 and is_title(paragraph) and _is_entry(paragraph, entries)


def _is_close_heading(paragraph: Paragraph, entries: frozenset[str]) -> bool:
    text = clean_title(paragraph.text)
    return is_title(paragraph) and (
        _is_entry(paragraph, entries)
        or is_matter(text)
        or (not entries and paragraph.gap >= 2 and is_capitals(text))
    )


def _is_entry(paragraph: Paragraph, entries: frozenset[str]) -> bool:
    return normalise_title(paragraph.text) in entries


def _find_contents(paragraphs: Sequence[Paragraph]) -> frozenset[str]:
    """The titles that the table of contents names; it ends where its first entry comes again, or prose."""
    starts = [index for index, each in enumerate(paragraphs) if is_short(each) and is_contents(each.text)]
    entries: frozenset[str] = frozenset()
    for paragraph in paragraphs[starts[0] + 1 :] if starts else ():
        again = is_short(paragraph) and (is_matter(paragraph.text) or _is_entry(paragraph, entries))
        if (paragraph.gap >= 3 and again) or _is_prose(paragraph):
            break
        entries |= find_entries([paragraph])
    return entries


def _is_prose(paragraph: Paragraph) -> bool:
    words = paragraph.text.split()
    return len(words) > 20 and 3 * sum(word[0].isupper() for word in words) < len(words)


def _divide(paragraphs: Sequence[Paragraph], entries: frozenset[str], rule: _Rule) -> list[_Section]:
    headings = [""]
    bodies: list[list[Paragraph]] = [[]]
    for paragraph in paragraphs:
        heading = _read_heading(paragraph, entries, rule, above=headings[-1]) if is_short(paragraph) else None
        if heading is None:
            bodies[-1].append(paragraph)
        else:
            headings.append(heading)
            bodies.append([])
    return [_Section(heading, tuple(body)) for heading, body in zip(headings, bodies, strict=True)]


def _read_heading(paragraph: Paragraph, entries: frozenset[str], rule: _Rule, *, above: str) -> str | None:
    """The title of the tale that begins here; None where none does."""
    text = paragraph.text
    if above and is_capitals(text) and is_part_story(text):
        return f"{above.partition(': ')[0]}: {clean_title(text)}"
    return clean_title(text) if not is_chapter(text) and rule(paragraph, entries) else None


def _keep_tales(sections: Sequence[_Section]) -> list[TrainingText]:
    inner = _cut_back_matter(_cut_front_matter(sections))
    return [tale for section in inner if _may_tell(section) if (tale := _read_tale(section))]


def _cut_front_matter(sections: Sequence[_Section]) -> Sequence[_Section]:
    """The sections behind the last preface or table of the book's first quarter."""
    total = sum(section.words for section in sections)
    passed = start = 0
    for index, section in enumerate(sections):
        if 4 * passed > total:
            break
        if begins_front_matter(section.heading):
            start = index
        passed += section.words
    return sections[start:]


def _cut_back_matter(sections: Sequence[_Section]) -> Iterator[_Section]:
    """The sections before the notes and indexes at the book's end, and before the last divider's remarks."""
    total = sum(section.words for section in sections)
    passed = 0
    for index, section in enumerate(sections):
        if begins_back_matter(section.heading) and 3 * passed > total:
            return
        passed += section.words
        yield _cut_remarks(section) if index == len(sections) - 1 else section


def _cut_remarks(section: _Section) -> _Section:
    """The last tale without what follows a divider that stands apart from it: remarks on the book."""
    for index, paragraph in enumerate(section.paragraphs):
        if index and paragraph.gap >= 2 and is_divider(paragraph.text):
            return replace(section, paragraphs=section.paragraphs[:index])
    return section


def _may_tell(section: _Section) -> bool:
    if is_matter(section.heading):
        return False
    if section.heading:
        return True
    opening = " ".join(paragraph.text for paragraph in section.paragraphs).lower()
    return section.words >= _LONG_OPENING and not any(credit in opening for credit in _CREDITS)


def _read_tale(section: _Section) -> TrainingText | None:
    paragraphs = clean_tale(section.paragraphs)
    words = [len(paragraph.split()) for paragraph in paragraphs]
    told = sum(count for count, text in zip(words, paragraphs, strict=True) if text[-1] in ".!?:;,\"”’')—-")
    if sum(words) < SHORTEST_TALE or 2 * told < sum(words):  # a list has no full stops
        return None
    return TrainingText(section.heading, "\n\n".join(paragraphs))


def _read_story(paragraphs: Sequence[Paragraph]) -> tuple[TrainingText, ...]:
    """All of a text that is no book, under its title if it begins with one."""
    title = ""
    if len(paragraphs) > 1 and is_title(paragraphs[0]) and not is_chapter(paragraphs[0].text):
        title, paragraphs = clean_title(paragraphs[0].text), paragraphs[1:]
    told = clean_tale(paragraphs)
    return (TrainingText(title, "\n\n".join(told)),) if told else ()
