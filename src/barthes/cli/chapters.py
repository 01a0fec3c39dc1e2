"""`barthes chapters`: the stories or chapters of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from barthes.cli.command import Command
from barthes.cli.console import echo
from barthes.cli.help_panels import argument
from barthes.cli.story_reader import StoryReader, list_chapters
from barthes.report.escaping import printable


def chapters_cli(story: Annotated[Path, argument("FILE", "A file, or - for standard input.")]) -> None:
    """List the stories or chapters of a file, with their words and titles.

    \b
    Examples:
      barthes chapters tales.epub
      barthes score tales.epub --chapter 3           the third
      barthes score tales.epub --chapter "old wolf"  the one with this title
      barthes score tales.epub --chapters            each by itself
      barthes score novel.epub --whole               all as one story
    """
    for line in list_chapters(StoryReader().parse(story)).splitlines():
        echo(printable(line))


CHAPTERS = Command(chapters_cli, panel="Score stories")
