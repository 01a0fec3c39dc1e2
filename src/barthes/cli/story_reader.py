"""Find and read the stories that a command is given, whole or by chapters."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import typer

from barthes.cli.console import ErrorCounter, show_progress
from barthes.errors import ReadingError
from barthes.files import decode_name
from barthes.narrative import Narrative
from barthes.reading import Document, find_stories, narrate, narrate_chapters, parse_document
from barthes.reading.source import STANDARD_INPUT, read_bytes
from barthes.salience.method import silent

ALL = "all"
EACH = "each"

Source = TypeVar("Source", str, Path, str | Path)


def find_files(names: Iterable[str], errors: ErrorCounter) -> list[Path]:
    """Return the files that some names stand for (folders, ``-``), each once."""
    return find_sources(names, lambda name: find_stories([name]), errors)


def find_sources(
    names: Iterable[str], expand: Callable[[str], Sequence[Source]], errors: ErrorCounter
) -> list[Source]:
    """Return what names expand to, each path once, under the name given first."""
    found: dict[str, Source] = {}
    for name in names:
        with errors:
            if "\0" in name:
                raise ReadingError(
                    "the name has a null character.", where=repr(name), remedy="Check the name of the file."
                )
            for source in expand(name):
                found.setdefault(os.path.realpath(source), source)
    return list(found.values())


def read_all(
    sources: Sequence[Source], read_source: Callable[[Source], list[Narrative]], errors: ErrorCounter
) -> list[Narrative]:
    """Return the narratives of all sources that can be read."""
    narratives: list[Narrative] = []
    is_typed = any(str(source) == STANDARD_INPUT for source in sources)  # a bar would hide what is typed
    with nullcontext(silent) if is_typed else show_progress("reading") as progress:
        for done, source in enumerate(sources):
            progress(done, len(sources))
            with errors:
                narratives += read_source(source)
    return narratives


@dataclass(frozen=True)
class StoryReader:
    """Reads files: one story each, one of its chapters, or each chapter as a story.

    A file with several chapters is read only if `chapter` says how: it may be a novel or a collection of
    tales, which must not be scored as one story by mistake.

    Attributes:
        chapter: The number of one, counted from 1, or words of its title; ``each`` for every chapter as a
            story of its own; ``all`` for all chapters as one story; None for a file with one story.
        sentences: Whether the files have one sentence per line; such files are read whole.
        keep: The kinds of marked words that are scored too.
        split: A regular expression for the headings of chapters.
        language: The code of their language; None for what each file says.
        encoding: That of text and HTML files; None to find it out.
    """

    chapter: str | None = None
    sentences: bool = False
    keep: tuple[str, ...] = ()
    split: str | None = None
    language: str | None = None
    encoding: str | None = None

    def read(self, path: Path) -> list[Narrative]:
        """Return the stories in a file, named by its path, or ``stdin``."""
        if self.chapter != EACH:
            return [self.read_one(path)]
        document = self.parse(path)
        narratives = narrate_chapters(document, **self._describe(path))
        return [self._head(each, document, path) for each in narratives]

    def read_one(self, path: Path) -> Narrative:
        """Return one story of a file."""
        document = self.parse(path)
        chapter = self._choose(document, name_source(path))
        return self._head(narrate(document, chapter=chapter, **self._describe(path)), document, path)

    def _describe(self, path: Path) -> dict[str, Any]:
        return {
            "title": name_story(path),
            "where": name_source(path),
            "language": self.language,
            "sentences": self.sentences,
            "keep": self.keep,
        }

    def _head(self, narrative: Narrative, document: Document, path: Path) -> Narrative:
        """Return a narrative with the title of its document, if it has one, as heading."""
        own = narrative.title.removeprefix(name_story(path))
        return replace(narrative, heading=document.title + own) if document.title else narrative

    def parse(self, path: Path) -> Document:
        """Return the document in a file or on standard input."""
        return parse_document(
            read_bytes(path),
            where=name_source(path),
            name="stdin" if is_piped(path) else path.name,
            encoding=self.encoding,
            keep=self.keep,
            split=self.split,
        )

    def _choose(self, document: Document, where: str) -> int | None:
        """Return the number of the chapter to read; None for the whole document."""
        if self.chapter not in (None, ALL):
            return find_chapter(document, self.chapter, where)
        if self.chapter == ALL or self.sentences or len(document.chapters) < 2:
            return None
        raise ReadingError(
            f"the file has {len(document.chapters)} stories or chapters:\n{list_chapters(document)}",
            where=where,
            remedy="\nChoose one by its number or title, or all as one story.",
            option="chapter whole",
        )


def choose_chapters(chapter: str | None, *, whole: bool = False, each: bool = False) -> str | None:
    """Return which chapters to read, as `StoryReader` takes it, from the options for chapters.

    Raises:
        typer.BadParameter: More than one is given.
    """
    if (chapter is not None) + whole + each > 1:
        raise typer.BadParameter("give only one of --chapter, --chapters and --whole")
    return ALL if whole else EACH if each else chapter


def is_piped(path: Path) -> bool:
    """Return whether a path stands for standard input."""
    return str(path) == STANDARD_INPUT


def name_source(path: Path) -> str:
    """Return what to call a file in errors."""
    return "standard input" if is_piped(path) else os.fspath(path)


def name_story(path: Path) -> str:
    """Return what to call the story in a file."""
    return "stdin" if is_piped(path) else decode_name(path)


def list_chapters(document: Document) -> str:
    """Return a line for each chapter: its number, its words, its title."""
    rows = [(str(part.number), f"{part.words:,}", part.title) for part in document.list_parts()]
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    return "\n".join(
        f"{number:>{widths[0] + 2}}  {words:>{widths[1]}} words  {title}" for number, words, title in rows
    )


def find_chapter(document: Document, wanted: str, where: str) -> int:
    """Return the number of a chapter that is given by its number, its title or words of its title.

    Raises:
        ReadingError: No title, or more than one, has these words.
    """
    if wanted.strip().isdecimal():
        return int(wanted)
    titles = [" ".join(chapter.title.casefold().split()) for chapter in document.chapters]
    words = " ".join(wanted.casefold().split())
    found = [number for number, title in enumerate(titles, start=1) if title == words]
    found = found or [number for number, title in enumerate(titles, start=1) if words and words in title]
    if len(found) == 1:
        return found[0]
    number = len(found) or "no"
    raise ReadingError(
        f"{number} chapters have the words {wanted!r} in their titles:\n{list_chapters(document)}",
        where=where,
        remedy="\nGive the number of one.",
        option="chapter",
    )
