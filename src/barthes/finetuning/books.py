"""A file, in any format that can be read, to its stories: a tale each, or all of a novel."""

from __future__ import annotations

from barthes.finetuning.apparatus import clean_tale
from barthes.finetuning.headings import clean_title, is_chapter, is_matter
from barthes.finetuning.paragraphs import read_paragraphs
from barthes.finetuning.tales import SHORTEST_TALE, split_book
from barthes.finetuning.training_text import Texts, TrainingText
from barthes.reading.encoding import decode
from barthes.reading.formats import Format, find_format, parse_document
from barthes.reading.story_document import Chapter, Document, describe_left_out

__all__ = ["read_book", "split_chapters"]


def read_book(data: bytes, *, where: str, name: str) -> Texts:
    """The stories in the bytes of a file, named by their titles, and notes on how it was read.

    Plain text is divided by its headings and the blank lines before them; other formats say what their
    chapters are.

    Args:
        data: The file.
        where: What to call it in errors.
        name: Its name, whose ending tells kinds of text apart.

    Raises:
        ReadingError: It is in no format that we know, or broken.
        EmptyNarrativeError: There is no running text in it.
    """
    if find_format(data, where=where, name=name) is Format.TEXT:
        text, note = decode(data, where=where)
        return Texts(split_book(text), notes=(note,) if note else ())
    document = parse_document(data, where=where, name=name)
    notes = (*document.notes, describe_left_out(document.left_out))
    return Texts(split_chapters(document), notes=tuple(filter(None, notes)))


def split_chapters(document: Document) -> tuple[TrainingText, ...]:
    """The stories of a document: its chapters, unless half of them are only counted, as those of a novel.

    >>> wolf = "A wolf came to the well and drank. " * 9
    >>> tales = Document((Chapter("Preface", wolf), Chapter("The Wolf", wolf), Chapter("The Well", wolf)))
    >>> [story.name for story in split_chapters(tales)]
    ['The Wolf', 'The Well']
    >>> novel = Document((Chapter("Chapter 1", wolf), Chapter("Chapter 2", wolf)))
    >>> len(split_chapters(novel))
    1
    """
    chapters = [chapter for chapter in document.chapters if not is_matter(chapter.title)]
    counted = sum(not chapter.title or is_chapter(chapter.title) for chapter in chapters)
    if 2 * counted < len(chapters) and len(chapters) > 1:
        return tuple(tale for chapter in chapters if (tale := _read_chapter(chapter)))
    return split_book("\n\n".join(chapter.text for chapter in chapters))


def _read_chapter(chapter: Chapter) -> TrainingText | None:
    """A chapter as a story; None where it is too short for one."""
    text = "\n\n".join(clean_tale(read_paragraphs(chapter.text)))
    if len(text.split()) < SHORTEST_TALE:
        return None
    return TrainingText(clean_title(chapter.title), text)
