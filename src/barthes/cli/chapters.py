"""`barthes chapters`: the chapters of a file, and each passage that is not scored."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import echo

from barthes.cli import shared_options as shared
from barthes.cli.command import Command
from barthes.cli.help_panels import argument
from barthes.cli.story_reader import StoryReader, list_chapters
from barthes.reading.document import Document, count_words
from barthes.report.escaping import printable

_SHOWN = 60  # characters of a passage


def chapters_cli(
    story: Annotated[Path, argument("FILE", "A file, or - for standard input.")],
    split: shared.Split = None,
) -> None:
    """List the stories or chapters of a file with their words and titles, and what is not scored.

    \b
    Examples:
      barthes chapters tales.epub
      barthes chapters tales.txt --split '^TALE '  divided by a regular expression
      barthes score tales.epub --chapter 3           the third
      barthes score tales.epub --chapter "old wolf"  the one with this title
      barthes score tales.epub --chapters            each by itself
      barthes score novel.epub --whole               all as one story
    """
    echo(describe_structure(StoryReader(split=split).parse(story)))


def describe_structure(document: Document) -> str:
    """Return a line for each chapter and for each passage that is not scored."""
    lines = [f"{len(document.chapters)} chapters {document.division}."] if document.division else []
    lines += [*list_chapters(document).splitlines(), "", *_list_marked(document)]
    return "\n".join(map(printable, lines))


def _list_marked(document: Document) -> list[str]:
    """Return a line for all words that are not scored, and one for each passage of them.

    The headings of chapters, also with a number before them, are not listed again: they are their titles.
    """
    titles = tuple(filter(None, (_flatten(chapter.title) for chapter in document.chapters)))
    shown = [
        each
        for each in document.marked
        if not (each.kind == "heading" and _flatten(each.text).rstrip(".").endswith(titles))
    ]
    return [
        document.describe_marked() or "All words are scored.",
        *(f"  {kind:<9}  {count_words(text):>7,}  {_shorten(text)}" for kind, text in shown),
    ]


def _flatten(text: str) -> str:
    return " ".join(text.split())


def _shorten(text: str) -> str:
    line = _flatten(text)
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"


CHAPTERS = Command(chapters_cli, panel="Score stories")
