"""`barthes plot`: figures for papers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from barthes.cli import shared_options as shared
from barthes.cli.command import Command
from barthes.cli.help_panels import argument, option
from barthes.cli.output import check_apart, check_writable
from barthes.cli.story_reader import StoryReader
from barthes.cli.story_scorer import ProfileOpener, StoryScorer
from barthes.models.embedded import DEFAULT_MODEL
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
    top: Annotated[int, option("Output", "Number of sentences to label (curve).", min=0)] = 5,
    title: Annotated[str | None, option("Output", "Heading. [default: the story's title]")] = None,
    width: Annotated[float, option("Output", "Width in cm.", min=4, max=100)] = 16.0,
    height: Annotated[
        float | None, option("Output", "Height in cm. [default: by kind]", min=2, max=100)
    ] = None,
    method: shared.Method = "sd",
    unit: shared.SpanUnit = "sentence",
    model: shared.Model = DEFAULT_MODEL,
    window: shared.Window = None,
    sentences: shared.Sentences = False,
    with_speakers: shared.WithSpeakers = False,
    language: shared.Language = None,
    encoding: shared.Encoding = None,
    device: shared.Device = "auto",
    dtype: shared.Dtype = "auto",
) -> None:
    """Draw a figure of a story's salience as SVG, PDF or PNG.

    Options on methods and models apply to stories, not to JSON of scores.

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
    scorer = StoryScorer(method, model, unit, window=window, device=device, dtype=dtype, against=against)
    opener = ProfileOpener(
        scorer,
        StoryReader(sentences=sentences, with_speakers=with_speakers, language=language, encoding=encoding),
    )
    profiles = [opener.open(path) for path in stories]
    if against is not None:
        profiles.append(opener.score(profiles[0].narrative, method=against))
    _draw(profiles, kind, out, title=title, width=width, height=height, top=top)


def _draw(
    profiles: list[Profile],
    kind: FigureKind,
    out: Path,
    *,
    title: str | None,
    width: float,
    height: float | None,
    top: int,
) -> None:
    from barthes.report import figures
    from barthes.report.comparison import compare

    given = {} if height is None else {"height": height}
    if kind == "curve":
        figure = figures.draw_curve(profiles[0], top=top, width=width, title=title, **given)
    elif kind == "curves":
        added = {"against": profiles[1]} if len(profiles) > 1 else {}
        figure = figures.draw_curves(profiles[0], width=width, height=height, title=title, **added)
    elif kind == "strip":
        figure = figures.draw_strip(profiles, width=width, height=height, title=title)
    elif kind == "influence":
        figure = figures.draw_influence(profiles[0], width=width, height=height, title=title)
    else:
        comparison = compare(*profiles)
        figure = figures.draw_comparison(comparison, width=width, title=title, **given)
    figures.save_figure(figure, out)


PLOT = Command(plot_cli, panel="Score stories")
