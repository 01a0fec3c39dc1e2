"""Find and read the stories that a command is given."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from barthes.cli.console import ErrorCounter, show_progress
from barthes.cutting.protection import remove_marks
from barthes.errors import ReadingError
from barthes.files import decode_name
from barthes.narrative import Narrative
from barthes.reading import find_stories, narrate, narrate_chapters, parse_document
from barthes.reading.source import STANDARD_INPUT, read_bytes
from barthes.salience.method import silent

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

    Attributes:
        chapter: Only this one, counted from 1; None for all.
        every_chapter: Whether each chapter is a story of its own.
        sentences: Whether the files have one sentence per line.
        with_speakers: Whether speakers and stage directions of plays are sentences.
        language: The code of their language; None for what each file says.
        encoding: That of text and HTML files; None to find it out.
        marks: Whether ``[[keep]]`` and ``[[/keep]]``, which `barthes cut` understands, stay in the text.
    """

    chapter: int | None = None
    every_chapter: bool = False
    sentences: bool = False
    with_speakers: bool = False
    language: str | None = None
    encoding: str | None = None
    marks: bool = False

    def read(self, path: Path) -> list[Narrative]:
        """Return the stories in a file, named by its path, or ``stdin``."""
        is_pipe = str(path) == STANDARD_INPUT
        title = "stdin" if is_pipe else decode_name(path)
        where = "standard input" if is_pipe else os.fspath(path)
        name = title if is_pipe else path.name
        kept: dict[str, Any] = {"with_speakers": self.with_speakers}
        document = parse_document(read_bytes(path), where=where, name=name, encoding=self.encoding, **kept)
        more: dict[str, Any] = {"language": self.language, "sentences": self.sentences, **kept}
        if self.every_chapter:
            narratives = narrate_chapters(document, title=title, where=where, **more)
        else:
            narratives = [narrate(document, chapter=self.chapter, title=title, where=where, **more)]
        if not self.marks:
            narratives = [remove_marks(each)[0] for each in narratives]
        if not document.title:
            return narratives
        return [replace(each, heading=document.title + each.title.removeprefix(title)) for each in narratives]
