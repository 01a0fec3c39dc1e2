"""`barthes plot`: figures for papers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from barthes.cli.output import check_apart, check_writable
from barthes.cli.shared_options import (
    Device,
    Dtype,
    Language,
    Sentences,
    UnscoredMethod,
    UnscoredModel,
    Window,
)
from barthes.cli.story_scorer import StoryOpener, StoryScorer
from barthes.methods import check_method
from barthes.models.embedded import DEFAULT_MODEL
from barthes.salience.profile import Profile

FigureKind = Literal["curve", "strip", "influence", "comparison"]
"""What a figure shows."""


def plot_cli(
    stories: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="A story, or the JSON of `barthes score`; strips and comparisons take more.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The figure: .svg, .pdf or .png.")],
    kind: Annotated[FigureKind, typer.Option("--kind", "-k", help="What to show.")] = "curve",
    against: Annotated[
        str | None,
        typer.Option(metavar="METHOD", help="A second method for the same story (strip, comparison)."),
    ] = None,
    top: Annotated[int, typer.Option(min=0, help="How many sentences the curve labels.")] = 5,
    title: Annotated[str | None, typer.Option(help="The heading. [default: the story's]")] = None,
    width: Annotated[float, typer.Option(min=4, max=100, help="Centimetres.")] = 16.0,
    height: Annotated[
        float | None, typer.Option(min=2, max=100, help="Centimetres. [default: by the kind]")
    ] = None,
    method: UnscoredMethod = "sd",
    model: UnscoredModel = DEFAULT_MODEL,
    window: Window = None,
    sentences: Sentences = False,
    language: Language = None,
    device: Device = "auto",
    dtype: Dtype = "auto",
) -> None:
    """Draw a figure of a story's salience, for a paper: SVG, PDF or PNG.

    \b
    Examples:
      barthes score tale.txt --format json --influence --out tale.json
      barthes plot tale.json --out curve.pdf
      barthes plot tale.json --kind influence --out matrix.svg
      barthes plot tale.json --kind strip --against tfidf --out strips.pdf
      barthes plot draft1.json draft2.json --kind comparison --out drafts.png
    """
    from barthes.report.figures.canvas import check_ending

    check_ending(out)
    check_writable(out)
    check_apart(out, stories)
    if against is not None:
        check_method(against)
    _check_count(kind, len(stories) + (against is not None))
    scorer = StoryScorer(method, model, window=window, device=device, dtype=dtype)
    opener = StoryOpener(scorer, sentences, language)
    profiles = [opener.open(path) for path in stories]
    if against is not None:
        profiles.append(opener.score(profiles[0].narrative, method=against))
    _plot(profiles, kind, out, title=title, width=width, height=height, top=top)


def _plot(
    profiles: list[Profile],
    kind: FigureKind,
    out: Path,
    *,
    title: str | None,
    width: float,
    height: float | None,
    top: int,
) -> None:
    """Draw the figure and write it."""
    from barthes.report import figures
    from barthes.report.comparison import compare

    given = {} if height is None else {"height": height}
    if kind == "curve":
        figure = figures.draw_curve(profiles[0], top=top, width=width, title=title, **given)
    elif kind == "strip":
        figure = figures.draw_strip(profiles, width=width, height=height, title=title)
    elif kind == "influence":
        figure = figures.draw_influence(profiles[0], width=width, height=height, title=title)
    else:
        figure = figures.draw_comparison(compare(*profiles), width=width, title=title, **given)
    figures.save_figure(figure, out)


def _check_count(kind: FigureKind, count: int) -> None:
    """Refuse before the work a number of stories that a kind cannot show."""
    if kind == "comparison" and count != 2:
        raise typer.BadParameter("a comparison is of two: give a second file, or --against METHOD")
    if kind in ("curve", "influence") and count != 1:
        raise typer.BadParameter(f"--kind {kind} is of one file; for more there are strip and comparison")
