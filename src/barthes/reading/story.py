"""A story from a file or from standard input, in any format, whole or by chapters."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from barthes.annotation.languages import choose_language, doubt_english
from barthes.errors import EmptyNarrativeError, ReadingError
from barthes.narrative import Narrative
from barthes.reading.document import Chapter, Document, describe_left_out
from barthes.reading.formats import parse_document
from barthes.reading.plain_text import read_text
from barthes.reading.source import STANDARD_INPUT, read_bytes

__all__ = ["narrate", "narrate_chapters", "read", "read_chapters"]


def read(
    source: str | os.PathLike[str],
    *,
    chapter: int | None = None,
    language: str | None = None,
    sentences: bool = False,
    title: str | None = None,
) -> Narrative:
    """The narrative in a file, or on standard input for ``-``.

    Plain text, Markdown, HTML, EPUB, DOCX, ODT, PDF, TEI and Story Workbench files are told apart by what is
    in them. Headings, notes, running heads, page numbers and tables of contents are no part of the story.

    Args:
        source: The file's path, or ``-``.
        chapter: Which of its chapters, counted from 1; by default all of them as one story.
        language: An ISO code such as ``en`` or ``de``; by default what the file says, else English.
        sentences: Whether each line is one sentence already.
        title: Its name; by default the title in the file, else the file's name without its ending.

    Returns:
        A narrative whose offsets count the characters of its own text; of a plain text, that is the decoded
        file. Its notes say what was left out, and when the encoding was not UTF-8.

    Raises:
        ReadingError: The file cannot be read, is too large, of no known format, or has no such chapter.
        EmptyNarrativeError: There is nothing in it but white space.
        UnknownNameError: There is no such language.
    """
    where, name = _name(source)
    document = parse_document(read_bytes(source), where=where, name=name)
    return narrate(
        document, chapter=chapter, language=language, sentences=sentences, title=title, where=where, name=name
    )


def read_chapters(
    source: str | os.PathLike[str],
    *,
    language: str | None = None,
    sentences: bool = False,
    title: str | None = None,
) -> list[Narrative]:
    """The chapters of a file, each as a narrative of its own; a story without chapters is the only one.

    Their titles are the title of the whole, a colon and that of the chapter; with ``title=""`` only that of
    the chapter. What was left out of the file is in the notes of the first.

    Args and errors are those of `read`.
    """
    where, name = _name(source)
    document = parse_document(read_bytes(source), where=where, name=name)
    return narrate_chapters(
        document, language=language, sentences=sentences, title=title, where=where, name=name
    )


def narrate(
    document: Document,
    *,
    chapter: int | None = None,
    language: str | None = None,
    sentences: bool = False,
    title: str | None = None,
    where: str = "",
    name: str = "",
) -> Narrative:
    """The narrative of a document or of one of its chapters, split into sentences.

    Args:
        where: What to call the file in errors.
        name: The name of the file, for a document without a title.

    The other arguments and the errors are those of `read`.
    """
    whole = _title(document, title, name)
    if chapter is None:
        part, called = document.join(), whole
    else:
        part = _choose(document, chapter, where)
        called = _title_of_chapter(document, chapter, whole)
    narrative = _split(document, part, called, language=language, sentences=sentences, where=where)
    notes = [*document.notes, describe_left_out(document.left_out)]
    return replace(narrative, notes=(*narrative.notes, *filter(None, notes)))


def narrate_chapters(
    document: Document,
    *,
    language: str | None = None,
    sentences: bool = False,
    title: str | None = None,
    where: str = "",
    name: str = "",
) -> list[Narrative]:
    """The narratives of the chapters of a document; arguments and errors are those of `narrate`."""
    whole = _title(document, title, name)
    narratives = [
        narrate(
            document, chapter=1, language=language, sentences=sentences, title=title, where=where, name=name
        )
    ]
    for number, chapter in enumerate(document.chapters[1:], start=2):
        called = _title_of_chapter(document, number, whole)
        narratives.append(
            _split(document, chapter, called, language=language, sentences=sentences, where=where)
        )
    return narratives


def _name(source: str | os.PathLike[str]) -> tuple[str, str]:
    """What to call a file in errors, and its own name."""
    if os.fspath(source) == STANDARD_INPUT:
        return "standard input", "stdin"
    return os.fspath(source), Path(source).name


def _title(document: Document, given: str | None, name: str) -> str:
    return given if given is not None else document.title or Path(name).stem


def _title_of_chapter(document: Document, number: int, whole: str) -> str:
    if len(document.chapters) == 1:
        return whole
    own = document.chapters[number - 1].title or f"chapter {number}"
    return f"{whole}: {own}" if whole else own


def _choose(document: Document, number: int, where: str) -> Chapter:
    count = len(document.chapters)
    if 1 <= number <= count:
        return document.chapters[number - 1]
    if count == 1:
        problem, remedy = f"there is no chapter {number}: it has no chapters.", "Leave the chapter out."
    else:
        shown = "; ".join(
            f"{i}. {each.title or '(untitled)'}" for i, each in enumerate(document.chapters[:40], 1)
        )
        problem = f"there is no chapter {number}; it has {count}."
        remedy = f"They are: {shown}{' …' if count > 40 else ''}."
    raise ReadingError(problem, where=where or None, remedy=remedy)


def _split(
    document: Document, part: Chapter, title: str, *, language: str | None, sentences: bool, where: str
) -> Narrative:
    code, note = choose_language(language, document.language)
    try:
        if part.spans and not sentences:
            narrative = Narrative(part.text, part.spans, title=title, language=code)
        else:
            narrative = read_text(part.text, language=code, title=title, sentences=sentences)
    except EmptyNarrativeError as error:
        raise EmptyNarrativeError(
            error.problem, where=where or None, remedy="Give a file with words in it."
        ) from error
    if language is None and not document.language:
        note = doubt_english(part.text)
    return replace(narrative, notes=(*narrative.notes, note)) if note else narrative
