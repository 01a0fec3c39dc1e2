"""Read a story from text, a file or standard input, whole or by chapters."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from barthes.annotation.languages import choose_language, doubt_language, resolve_language
from barthes.errors import EmptyNarrativeError, NarrativeError, ReadingError
from barthes.narrative import Narrative
from barthes.reading.document import Chapter, Document, describe_left_out
from barthes.reading.formats import parse_document
from barthes.reading.play import Cast, describe_structure, find_cast, find_structure, mask
from barthes.reading.scene_breaks import find_scene_headings, mask_scene_breaks
from barthes.reading.source import STANDARD_INPUT, read_bytes

_LINE = re.compile(r"[^\r\n]+")


def read(
    source: str | os.PathLike[str],
    *,
    chapter: int | None = None,
    language: str | None = None,
    sentences: bool = False,
    with_speakers: bool = False,
    title: str | None = None,
    encoding: str | None = None,
) -> Narrative:
    """Read the narrative in a file, or on standard input for ``-``.

    All formats are distinguished by their content, kinds of text by the ending of the name. Headings,
    notes, running heads, page numbers and tables of contents are left out.

    Args:
        source: The file's path, or ``-``.
        chapter: Which of its chapters, counted from 1; by default all of them as one story.
        language: An ISO code such as ``en`` or ``de``; by default what the file says, else English.
        sentences: Whether each line is one sentence already.
        with_speakers: Whether names of speakers, stage directions and scene headings of a play are sentences.
        title: Its name; by default the title in the file, else the file's name without its ending.
        encoding: That of plain text, Markdown or HTML, such as ``cp1251``; by default it is found out.

    Returns:
        A narrative whose offsets count the characters of its own text: the whole decoded file if it is plain
        text without Project Gutenberg's marks and no chapter is chosen. Its notes say what was left out, and
        when the encoding was not UTF-8.

    Raises:
        ReadingError: The file cannot be read, is too large, has no known format or no such chapter.
        EmptyNarrativeError: There is nothing in it but white space.
        UnknownNameError: There is no such language or encoding.
    """
    document, names = _open(source, encoding, with_speakers)
    return narrate(
        document,
        chapter=chapter,
        language=language,
        sentences=sentences,
        with_speakers=with_speakers,
        title=title,
        **names,
    )


def read_chapters(
    source: str | os.PathLike[str],
    *,
    language: str | None = None,
    sentences: bool = False,
    with_speakers: bool = False,
    title: str | None = None,
    encoding: str | None = None,
) -> list[Narrative]:
    """Read the chapters of a file, each as a narrative; a story without chapters is the only one.

    Their titles are the title of the whole, a colon and that of the chapter; with ``title=""`` only that of
    the chapter. What was left out of the file is in the notes of the first.

    Args and errors are those of `read`.
    """
    document, names = _open(source, encoding, with_speakers)
    return narrate_chapters(
        document, language=language, sentences=sentences, with_speakers=with_speakers, title=title, **names
    )


def _open(
    source: str | os.PathLike[str], encoding: str | None, with_speakers: bool
) -> tuple[Document, dict[str, str]]:
    """Return the document in a file, and what to call the file in errors and in titles."""
    piped = os.fspath(source) == STANDARD_INPUT
    where, name = ("standard input", "stdin") if piped else (os.fspath(source), Path(source).name)
    document = parse_document(
        read_bytes(source), where=where, name=name, encoding=encoding, with_speakers=with_speakers
    )
    return document, {"where": where, "name": name}


def narrate(
    document: Document,
    *,
    chapter: int | None = None,
    language: str | None = None,
    sentences: bool = False,
    with_speakers: bool = False,
    title: str | None = None,
    where: str = "",
    name: str = "",
) -> Narrative:
    """Split a document or one of its chapters into sentences.

    Errors call the file `where`; a document without a title is named after the file's `name`. The other
    arguments and the errors are those of `read`.
    """
    part = document.join() if chapter is None else _choose(document, chapter, where)
    called = _make_title(document, chapter, title, name)
    narrative = _split(
        document,
        part,
        called,
        language=language,
        sentences=sentences,
        with_speakers=with_speakers,
        where=where,
    )
    is_complete = chapter is None and document.whole is not None
    notes = [*document.notes, None if is_complete else describe_left_out(document.left_out)]
    if chapter is not None and document.division:
        notes.append(f"{len(document.chapters)} chapters {document.division}.")
    chapters = document.find_chapters() if chapter is None else ()
    return replace(narrative, notes=(*narrative.notes, *filter(None, notes)), chapters=chapters)


def narrate_chapters(
    document: Document,
    *,
    language: str | None = None,
    sentences: bool = False,
    with_speakers: bool = False,
    title: str | None = None,
    where: str = "",
    name: str = "",
) -> list[Narrative]:
    """Split the chapters of a document into sentences; arguments and errors are those of `narrate`.

    A note on the first says how they were found where the format does not mark them. Another says so if there
    are none and the whole document is one story.
    """
    options: dict[str, Any] = {"language": language, "sentences": sentences, "with_speakers": with_speakers}
    first = narrate(document, chapter=1, title=title, where=where, name=name, **options)
    if len(document.chapters) == 1 and not document.chapters[0].title:
        first = replace(first, notes=(*first.notes, "No chapters found; the whole file is one story."))
    cast = find_cast(document.join().text)
    others = enumerate(document.chapters[1:], start=2)
    named = ((part, _make_title(document, number, title, name)) for number, part in others)
    return [first, *(_split(document, *each, where=where, cast=cast, **options) for each in named)]


def _make_title(document: Document, chapter: int | None, given: str | None, name: str) -> str:
    whole = given if given is not None else document.title or Path(name).stem
    if chapter is None or len(document.chapters) == 1:
        return whole
    own = document.chapters[chapter - 1].title or f"chapter {chapter}"
    return f"{whole}: {own}" if whole else own


def _choose(document: Document, number: int, where: str) -> Chapter:
    count = len(document.chapters)
    if 1 <= number <= count:
        return document.chapters[number - 1]
    if count == 1:
        problem = f"there is no chapter {number}: no chapters were found."
        remedy = "Leave the chapter out. In plain text, titles set apart by blank lines are recognized."
    else:
        titles = (chapter.title or "(untitled)" for chapter in document.chapters[:40])
        shown = "; ".join(f"{index}. {title}" for index, title in enumerate(titles, 1))
        problem = f"there is no chapter {number}; it has {count}."
        remedy = f"They are: {shown}{' …' if count > 40 else ''}."
    raise ReadingError(problem, where=where or None, remedy=remedy)


def _split(
    document: Document,
    part: Chapter,
    title: str,
    *,
    language: str | None,
    sentences: bool,
    with_speakers: bool,
    where: str,
    cast: Cast | None = None,
) -> Narrative:
    code, note = choose_language(language, document.language)
    is_plain = with_speakers or sentences or bool(part.spans)
    structure: list[tuple[int, int, str]] = list(part.marks)
    if not structure and not is_plain:
        structure = find_structure(part.text, cast or find_cast(document.join().text))
    try:
        if part.spans and not sentences:
            narrative = Narrative(part.text, part.spans, title=title, language=code)
        else:
            masked = mask(part.text, structure)
            if not masked.strip():
                masked, structure = part.text, []
            narrative = read_text(
                masked, language=code, title=title, sentences=sentences, scene_headings=with_speakers
            )
            narrative = replace(narrative, text=part.text, notes=describe_structure(structure))
            if not sentences:
                narrative = _remove_title(narrative, part.start, document.title)
    except EmptyNarrativeError as error:
        remedy = "Give a file with words in it."
        raise EmptyNarrativeError(error.problem, where=where or None, remedy=remedy) from error
    notes = filter(None, [note, doubt_language(mask(part.text, structure), code)])
    return replace(
        narrative,
        notes=(*narrative.notes, *notes),
        passages=part.passages,
        omitted=part.omitted,
        written_as=document.written_as,
        author=document.author,
    )


def _remove_title(narrative: Narrative, end: int, title: str) -> Narrative:
    """Remove the sentences before the `end` of the title, with a note, unless there are no others."""
    spans = tuple(span for span in narrative.spans if span[1] > end)
    if len(spans) in (0, len(narrative)):
        return narrative
    return replace(narrative, spans=spans, notes=(f"The title “{title}” is not scored.", *narrative.notes))


def read_text(
    text: str,
    *,
    language: str = "en",
    title: str = "",
    sentences: bool = False,
    scene_headings: bool = False,
) -> Narrative:
    """Split a text into a narrative, which keeps it exactly as it is.

    Every sentence is kept, including a first line that reads like a title, which `read` does not score.
    Lines that only separate scenes (``***``, ``#``) are not sentences.

    Args:
        text: The story.
        language: An ISO code such as ``en`` or ``de``.
        title: Its name, for tables and errors.
        sentences: Whether each line of the text is one sentence already; blank lines are skipped.
        scene_headings: Whether headings of scenes in a screenplay (``INT. MILL - NIGHT``) are sentences.

    Raises:
        EmptyNarrativeError: There is nothing in the text but white space.
        NarrativeError: It has a character that is not valid, a lone surrogate.
        UnknownNameError: There is no such language.

    >>> [str(sentence) for sentence in read_text("The wolf came.\\nIt rained. Hard.", sentences=True)]
    ['The wolf came.', 'It rained. Hard.']
    """
    code = resolve_language(language)
    if not any(character.isprintable() and not character.isspace() for character in text):
        found = "there is nothing in it but white space." if text else "it is empty."
        raise EmptyNarrativeError(found, where=title or None, remedy="Give a text with words in it.")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        problem = f"character {error.start + 1} (U+{ord(text[error.start]):X}) is not a valid character."
        remedy = "Delete it, or type it again."
        raise NarrativeError(problem, where=title or None, remedy=remedy) from error
    if sentences:
        lines = (match for match in _LINE.finditer(text) if match[0].strip())
        ends = ((line.end() - len(line[0].lstrip()), line.start() + len(line[0].rstrip())) for line in lines)
        return Narrative(text, tuple(ends), title=title, language=code)
    from barthes.annotation.sentence_splitting import split_sentences  # imports spaCy

    spans = split_sentences(mask_scene_breaks(text), language=code)
    headings = find_scene_headings(text) if scene_headings else ()
    return Narrative(text, tuple(sorted([*spans, *headings])), title=title, language=code)
