"""`barthes cut`: shorten a story by sentences that are cheap and unimportant to readers."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from barthes.cache import ScoreCache
from barthes.cli import shared_options as shared
from barthes.cli.command import Command
from barthes.cli.console import ErrorCounter
from barthes.cli.help_panels import argument, option
from barthes.cli.output import check_apart, check_writable, write_text
from barthes.cli.story_reader import StoryReader, choose_chapters, find_files
from barthes.cli.story_scorer import StoryScorer, cached_work
from barthes.cutting.checks import check_feasible
from barthes.cutting.cut import find_target
from barthes.cutting.shortened import Shortened, count_unit_words
from barthes.files import write_atomically
from barthes.marks import find_overlapping, parse_numbers
from barthes.models.embedded import DEFAULT_MODEL
from barthes.reading.formats import ENDINGS
from barthes.units import regroup

_PERCENT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*%\s*")
_LISTS = (".tsv", ".csv", ".json")


def cut_cli(
    story: Annotated[str, argument("STORY", "A file, or - for standard input.")],
    to: Annotated[
        str,
        option("Method", "What to keep: a share of the words, such as 90%, or their number.", metavar="N"),
    ],
    protect: Annotated[
        str | None, option("Method", "Units not to cut, such as 12-15,20.", metavar="NUMBERS")
    ] = None,
    unit: shared.SpanUnit = "sentence",
    model: shared.Model = DEFAULT_MODEL,
    out: Annotated[Path | None, option("Output", "Write the text to this file.", "--out", "-o")] = None,
    list_: Annotated[
        Path | None, option("Output", "Write the cuts to a .tsv, .csv or .json file.", "--list")
    ] = None,
    html: Annotated[Path | None, option("Output", "Write a page on which cuts can be undone.")] = None,
    chapter: shared.Chapter = None,
    whole: shared.Whole = False,
) -> None:
    """Shorten a story by sentences, or longer units, that are cheap for the rest and unimportant to readers.

    Prints the shortened text, and the cuts with their costs on standard error. A sentence that a later one
    refers to goes only together with it. Passages between [[keep]] and [[/keep]] stay.

    \b
    Examples:
      barthes cut tale.txt --to 90%
      barthes cut tale.txt --to 5000 --out short.txt
      barthes cut tale.txt --to 80% --protect 12-15,20
      barthes cut novel.txt --to 95% --unit scene
      barthes cut tale.txt --to 85% --html cuts.html --out short.txt
    """
    asked = parse_length(to)
    numbers = frozenset[int]() if protect is None else parse_numbers(protect)
    if list_ is not None and list_.suffix.lower() not in _LISTS:
        raise typer.BadParameter("--list writes a .tsv, .csv or .json file")
    errors = ErrorCounter()
    paths = find_files([story], errors)
    errors.exit_if_any()
    if len(paths) != 1:
        raise typer.BadParameter("give one story, not a folder of several")
    files = {name: file for name, file in (("--out", out), ("--list", list_), ("--html", html)) if file}
    if len({file.resolve() for file in files.values()}) < len(files):
        raise typer.BadParameter(f"{' and '.join(files)} need different files")
    for name, file in files.items():
        check_writable(file, option=name)
        check_apart(file, paths, option=name, kind="the story")
    reader = StoryReader(choose_chapters(chapter, whole=whole))
    narrative = reader.read_one(paths[0])
    written = ENDINGS[f".{narrative.written_as}"]
    if out is not None and (ending := ENDINGS.get(out.suffix.lower(), written)) is not written:
        raise typer.BadParameter(f"--out writes {written}, not {ending}: try .{narrative.written_as}")
    narrative = regroup(narrative, unit)
    target = find_target(narrative, **asked)
    protected = find_overlapping(narrative.spans, narrative.kept) | numbers
    check_feasible(narrative, count_unit_words(narrative), target, protected)
    store = ScoreCache()
    with cached_work(store):
        shortened = StoryScorer("sd", model, cache=store).cut(narrative, target, protected)
    _write(shortened, out, list_, html)


def parse_length(text: str) -> dict[str, Any]:
    """Return the length asked for, as `find_target` takes it: a share of the words, or their number.

    >>> parse_length("90%"), parse_length("12.5 %"), parse_length("5000")
    ({'to': 0.9}, {'to': 0.125}, {'words': 5000})
    """
    if text.strip().isdecimal():
        return {"words": int(text)}
    if (found := _PERCENT.fullmatch(text)) is None:
        raise typer.BadParameter(f"--to takes a percentage such as 90%, or a number of words, not {text!r}")
    return {"to": float(found[1]) / 100}


def _write(shortened: Shortened, out: Path | None, list_: Path | None, html: Path | None) -> None:
    from barthes.report.cuts import print_cuts, to_cut_rows

    if list_ is not None:
        if list_.suffix.lower() == ".json":
            content = json.dumps(shortened.to_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"
        else:
            content = to_cut_rows(shortened, delimiter="," if list_.suffix.lower() == ".csv" else "\t")
        write_atomically(list_, content)
    if html is not None:
        from barthes.report.page import render_shortened

        write_atomically(html, render_shortened(shortened))
    text = shortened.text
    write_text(text if text.endswith("\n") else f"{text}\n", out)
    print_cuts(shortened, file=sys.stderr)


CUT = Command(cut_cli, panel="Score stories")
