"""Read a story from text, a file or standard input, whole or by chapters.

::

    file ── formats.parse_document ──▶ Document ── narrate ──▶ Narrative: text, spans of sentences, notes
                                                 └─ narrate_chapters ──▶ one for each chapter

What is marked in the text of a chapter is masked before it is split, so that it is in no sentence.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from barthes.annotation.languages import choose_language, doubt_language, resolve_language
from barthes.errors import EmptyNarrativeError, NarrativeError, ReadingError
from barthes.marks import remove_marks
from barthes.narrative import Narrative
from barthes.reading.document import Chapter, Document, Mark
from barthes.reading.formats import parse_document
from barthes.reading.scene_breaks import find_scene_headings, mask_scene_breaks
from barthes.reading.source import STANDARD_INPUT, read_bytes

_LINE = re.compile(r"[^\r\n]+")


def read(
    source: str | os.PathLike[str],
    *,
    chapter: int | None = None,
    language: str | None = None,
    sentences: bool = False,
    keep: Collection[str] = (),
    title: str | None = None,
    encoding: str | None = None,
    split: str | None = None,
) -> Narrative:
    """Read the narrative in a file, or on standard input for ``-``.

    All formats are distinguished by their content, kinds of text by the ending of the name. Headings,
    notes, running heads, page numbers and tables of contents are left out.

    Args:
        source: The file's path, or ``-``.
        chapter: Which of its chapters, counted from 1; by default all of them as one story.
        language: An ISO code such as ``en`` or ``de``; by default what the file says, else English.
        sentences: Whether each line is one sentence already.
        keep: The kinds of what is usually not scored that are text of the story: ``speaker``, ``direction``,
            ``note`` … (`barthes.reading.document.MARKS`).
        split: A regular expression: the lines that it finds are the headings of chapters, and no others.
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
    document, names = _open(source, encoding, keep, split)
    narrative = narrate(
        document,
        chapter=chapter,
        language=language,
        sentences=sentences,
        keep=keep,
        title=title,
        **names,
    )
    if chapter is not None or sentences or len(document.chapters) < 2:
        return narrative
    note = f"{len(document.chapters)} stories or chapters were read as one; `read_chapters` reads each."
    return replace(narrative, notes=(*narrative.notes, note))


def read_chapters(
    source: str | os.PathLike[str],
    *,
    language: str | None = None,
    sentences: bool = False,
    keep: Collection[str] = (),
    title: str | None = None,
    encoding: str | None = None,
    split: str | None = None,
) -> list[Narrative]:
    """Read the chapters of a file, each as a narrative; a story without chapters is the only one.

    Their titles are the title of the whole, a colon and that of the chapter; with ``title=""`` only that of
    the chapter. What was left out of the file is in the notes of the first.

    Args and errors are those of `read`.
    """
    document, names = _open(source, encoding, keep, split)
    return narrate_chapters(document, language=language, sentences=sentences, keep=keep, title=title, **names)


def _open(
    source: str | os.PathLike[str], encoding: str | None, keep: Collection[str], split: str | None
) -> tuple[Document, dict[str, str]]:
    """Return the document in a file, and what to call the file in errors and in titles."""
    piped = os.fspath(source) == STANDARD_INPUT
    where, name = ("standard input", "stdin") if piped else (os.fspath(source), Path(source).name)
    data = read_bytes(source)
    document = parse_document(data, where=where, name=name, encoding=encoding, keep=keep, split=split)
    return document, {"where": where, "name": name}


def narrate(
    document: Document,
    *,
    chapter: int | None = None,
    language: str | None = None,
    sentences: bool = False,
    keep: Collection[str] = (),
    title: str | None = None,
    where: str = "",
    name: str = "",
) -> Narrative:
    """Split a document or one of its chapters into sentences.

    Errors call the file `where`; a document without a title is named after the file's `name`. The other
    arguments and the errors are those of `read`.
    """
    part = document.join() if chapter is None else _choose(document, chapter, where)
    if sentences and document.whole is not None and chapter is None:
        document, part = replace(document, marked=()), replace(part, marks=())  # each line is one
    called = _make_title(document, chapter, title, name)
    narrative = _split(document, part, called, language=language, sentences=sentences, keep=keep, where=where)
    is_part = chapter is not None and len(document.chapters) > 1
    marked = document.describe_marked("words of the whole file" if is_part else "words")
    notes = [marked, *document.notes] if document.is_shortened() else [*document.notes, marked]
    if document.division and (chapter is not None or len(document.chapters) > 1):
        notes.append(f"{len(document.chapters)} chapters {document.division}.")
    chapters = document.find_chapters() if chapter is None else ()
    return remove_marks(replace(narrative, notes=(*filter(None, notes), *narrative.notes), chapters=chapters))


def narrate_chapters(
    document: Document,
    *,
    language: str | None = None,
    sentences: bool = False,
    keep: Collection[str] = (),
    title: str | None = None,
    where: str = "",
    name: str = "",
) -> list[Narrative]:
    """Split the chapters of a document into sentences; arguments and errors are those of `narrate`.

    A note on the first says how they were found where the format does not mark them. Another says so if there
    are none and the whole document is one story.
    """
    options: dict[str, Any] = {"language": language, "sentences": sentences, "keep": keep}
    first = narrate(document, chapter=1, title=title, where=where, name=name, **options)
    if len(document.chapters) == 1 and not document.chapters[0].title:
        first = replace(first, notes=(*first.notes, "No chapters found; the whole file is one story."))
    others = enumerate(document.chapters[1:], start=2)
    named = ((part, _make_title(document, number, title, name)) for number, part in others)
    return [first, *(remove_marks(_split(document, *each, where=where, **options)) for each in named)]


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
    keep: Collection[str],
    where: str,
) -> Narrative:
    code, note = choose_language(language, document.language)
    masked = _mask(part.text, part.marks)
    try:
        if part.spans and not sentences:
            narrative = Narrative(part.text, part.spans, title=title, language=code)
        else:
            narrative = _split_text(
                masked, language=code, title=title, sentences=sentences, scene_headings="direction" in keep
            )
    except EmptyNarrativeError as error:
        remedy = "Give a file with words in it."
        raise EmptyNarrativeError(error.problem, where=where or None, remedy=remedy) from error
    return replace(
        narrative,
        text=part.text,
        notes=tuple(filter(None, [note, doubt_language(masked, code)])),
        left_out=_find_inside(part.marks, narrative.spans),
        passages=part.passages,
        omitted=part.omitted,
        written_as=document.written_as,
        author=document.author,
    )


def _mask(text: str, marks: Sequence[Mark]) -> str:
    """Return a text of the same length without what is marked.

    Line breaks end the sentences around it, but not around the number of a note or of a page.
    """
    pieces, position = list[str](), 0
    for start, end, kind in marks:
        is_inside = kind in ("note", "furniture") and text[max(start - 1, 0) : start].strip() != ""
        pieces += [text[position:start], (" " if is_inside else "\n") * (end - max(start, position))]
        position = max(end, position)
    return "".join([*pieces, text[position:]])


def _find_inside(marks: Sequence[Mark], spans: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Return the marked parts that lie inside sentences."""
    ends = [end for _, end in spans]
    found = []
    for start, end, _ in marks:
        place = bisect_right(ends, start)
        if place < len(spans) and spans[place][0] < start and end < spans[place][1]:
            found.append((start, end))
    return tuple(found)


def read_text(
    text: str,
    *,
    language: str = "en",
    title: str = "",
    sentences: bool = False,
) -> Narrative:
    """Split a text into a narrative, which keeps it as it is except for ``[[keep]]`` and ``[[skip]]``.

    Every sentence is kept, including a first line that reads like a title, which `read` does not score.
    Lines that only separate scenes (``***``, ``#``) are not sentences.

    Args:
        text: The story.
        language: An ISO code such as ``en`` or ``de``.
        title: Its name, for tables and errors.
        sentences: Whether each line of the text is one sentence already; blank lines are skipped.

    Raises:
        EmptyNarrativeError: There is nothing in the text but white space.
        NarrativeError: It has a character that is not valid, a lone surrogate.
        UnknownNameError: There is no such language.

    >>> [str(sentence) for sentence in read_text("The wolf came.\\nIt rained. Hard.", sentences=True)]
    ['The wolf came.', 'It rained. Hard.']
    """
    return remove_marks(_split_text(text, language=language, title=title, sentences=sentences))


def _split_text(
    text: str, *, language: str, title: str, sentences: bool, scene_headings: bool = False
) -> Narrative:
    """Split a text into sentences; headings of scenes (``INT. MILL - NIGHT``) are some if asked for."""
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
