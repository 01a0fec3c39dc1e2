"""`barthes plot`: figures for papers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from barthes.cli import shared_options as shared
from barthes.cli.command import Command
from barthes.cli.help_panels import argument, option
from barthes.cli.output import check_apart, check_writable
from barthes.cli.story_reader import StoryReader, choose_chapters
from barthes.cli.story_scorer import ProfileOpener, StoryScorer
from barthes.salience.profile import Profile

FigureKind = Literal["curve", "curves", "strip", "influence", "comparison"]


def plot_cli(
    stories: Annotated[
        list[Path],
        argument("FILE", "A story, or the JSON of `barthes score`; several for strips and comparisons."),
    ],
    out: Annotated[Path, option("Output", "Figure file: .svg, .pdf or .png.", "--out", "-o")],
    kind: Annotated[FigureKind, option("Output", "What to draw.", "--kind", "-k")] = "curve",
    against: Annotated[
        str | None,
        option(
            "Method", "Add the story scored with this method (strip, comparison, curves).", metavar="METHOD"
        ),
    ] = None,
    width: Annotated[float, option("Output", "Width in cm.", min=4, max=100)] = 16.0,
    method: shared.Method = "sd",
    chapter: shared.Chapter = None,
    whole: shared.Whole = False,
) -> None:
    """Draw a figure of a story's salience as SVG, PDF or PNG.

    The other options of `barthes score` apply to the JSON that it writes.

    \b
    Examples:
      barthes score tale.txt --format json --influence --out tale.json
      barthes plot tale.json --out curve.pdf
      barthes plot tale.txt --kind curves --against pmi --out curves.pdf
      barthes plot tale.json --kind influence --out matrix.svg
      barthes plot tale.json --kind strip --against tfidf --out strips.pdf
      barthes plot draft1.json draft2.json --kind comparison --out drafts.png
    """
    from barthes.report.figures.canvas import check_ending

    check_ending(out)
    check_writable(out)
    check_apart(out, stories)
    count = len(stories) + (against is not None)
    if kind == "comparison" and count != 2:
        raise typer.BadParameter("--kind comparison needs two files, or one file and --against METHOD")
    if (kind in ("curve", "influence") and count != 1) or (kind == "curves" and len(stories) != 1):
        raise typer.BadParameter(f"--kind {kind} shows one file; use strip or comparison for more")
    reader = StoryReader(choose_chapters(chapter, whole=whole))
    opener = ProfileOpener(StoryScorer(method, against=against), reader)
    profiles = opener.open(stories)
    if against is not None:
        profiles.append(opener.score(profiles[0].narrative, method=against))
    _draw(profiles, kind, out, width)


def _draw(profiles: list[Profile], kind: FigureKind, out: Path, width: float) -> None:
    from barthes.report import figures
    from barthes.report.comparison import compare

    if kind == "curve":
        figure = figures.draw_curve(profiles[0], width=width)
    elif kind == "curves":
        added = profiles[1] if len(profiles) > 1 else None
        figure = figures.draw_curves(profiles[0], against=added, width=width)
    elif kind == "strip":
        figure = figures.draw_strip(profiles, width=width)
    elif kind == "influence":
        figure = figures.draw_influence(profiles[0], width=width)
    else:
        figure = figures.draw_comparison(compare(*profiles), width=width)
    figures.save_figure(figure, out)


PLOT = Command(plot_cli, panel="Score stories")
