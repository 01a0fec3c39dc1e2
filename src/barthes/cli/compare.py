"""`barthes compare`: two drafts of a story, and what gained and lost salience."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from barthes.cli.console import echo, print_json
from barthes.cli.output import check_apart, check_writable
from barthes.cli.shared_options import (
    Device,
    Dtype,
    Language,
    Sentences,
    TextFormat,
    UnscoredMethod,
    UnscoredModel,
    Window,
)
from barthes.cli.story_scorer import StoryOpener, StoryScorer
from barthes.files import write_atomically
from barthes.models.embedded import DEFAULT_MODEL
from barthes.report.comparison import Comparison, Kind, Pair, compare
from barthes.report.escaping import printable
from barthes.salience.profile import ScoredUnit


def compare_cli(
    before: Annotated[Path, typer.Argument(metavar="FIRST", help="A story, or the JSON of `barthes score`.")],
    after: Annotated[Path, typer.Argument(metavar="SECOND", help="Another draft of it, or the same.")],
    against: Annotated[
        str | None, typer.Option(metavar="METHOD", help="Score the second by this method, not by --method.")
    ] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a page, side by side.")] = None,
    format: TextFormat = "text",  # noqa: A002 - the option's name
    top: Annotated[int, typer.Option(min=1, help="How many gains and losses are printed.")] = 10,
    method: UnscoredMethod = "sd",
    model: UnscoredModel = DEFAULT_MODEL,
    window: Window = None,
    sentences: Sentences = False,
    language: Language = None,
    device: Device = "auto",
    dtype: Dtype = "auto",
) -> None:
    """Compare two drafts of a story: which sentences gained salience, and which lost it.

    Sentences are paired in order, rewritten ones by the words they share; what moved unchanged is found too.

    \b
    Examples:
      barthes compare draft1.txt draft2.txt
      barthes compare draft1.txt draft2.txt --html drafts.html
      barthes compare sd.json tfidf.json                two methods on one story
      barthes compare tale.txt tale.txt --against tfidf
    """
    if html is not None:
        check_writable(html, option="--html")
        check_apart(html, [before, after], option="--html")
    scorer = StoryScorer(method, model, window=window, device=device, dtype=dtype)
    stories = StoryOpener(scorer, sentences, language)
    first = stories.open(before)
    second = stories.open(after) if against is None else stories.score(stories.read(after), method=against)
    comparison = compare(first, second)
    if html is not None:
        from barthes.report.page import render_comparison

        write_atomically(html, render_comparison(comparison))
    if format == "json":
        print_json(comparison.to_dict())
    else:
        echo(_describe(comparison, top=top))


def _describe(comparison: Comparison, *, top: int) -> str:
    """Return the comparison as lines for people."""
    counts = ", ".join(f"{comparison.count(kind)} {kind.value}" for kind in Kind if comparison.count(kind))
    rho = comparison.spearman
    first = counts + ("" if rho is None else f"; Spearman's rho {rho:.2f} over what both have")
    unit = "salience" if comparison.comparable else "standing, 1 for the first rank, 0 for the last"
    groups = [
        (f"gained most ({unit})", comparison.gained(top)),
        (f"lost most ({unit})", comparison.lost(top)),
    ]
    for kind in (Kind.ADDED, Kind.REMOVED):
        found = [pair for pair in comparison.pairs if pair.kind is kind and pair.reason is None]
        found.sort(key=lambda pair: _shown(pair).rank or 0)
        groups.append((f"{kind.value}, most salient first", tuple(found[:top])))
    for reason in dict.fromkeys(pair.reason for pair in comparison.pairs if pair.reason):
        unranked = tuple(pair for pair in comparison.pairs if pair.reason == reason)
        groups.append((f"not ranked: {reason}", unranked))
    lines = [first]
    for heading, pairs in groups:
        lines += ["", heading, *map(_line, pairs)] if pairs else []
    return "\n".join(lines)


def _shown(pair: Pair) -> ScoredUnit:
    """Return the sentence in the second draft or, if it was removed, in the first."""
    shown = pair.after or pair.before
    if shown is None:
        raise ValueError("a pair without sentences")
    return shown


def _line(pair: Pair) -> str:
    shown = _shown(pair)
    change = "       " if pair.change is None else f"{pair.change:+.3f}"
    sides = (pair.before, pair.after)
    ranks = " → ".join("–" if side is None or side.rank is None else str(side.rank) for side in sides)
    return printable(f"  {change:>7}  rank {ranks:<11}  {shown.place + 1:>4}  {shown.sentence}")
