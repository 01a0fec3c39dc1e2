"""`barthes compare`: two drafts of a story, and what gained and lost salience."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import echo

from barthes.cli import shared_options as shared
from barthes.cli.command import Command
from barthes.cli.console import print_json
from barthes.cli.help_panels import argument, option
from barthes.cli.output import check_apart, check_writable
from barthes.cli.story_reader import StoryReader, choose_chapters
from barthes.cli.story_scorer import ProfileOpener, StoryScorer
from barthes.files import write_atomically
from barthes.models.embedded import DEFAULT_MODEL
from barthes.report.comparison import Comparison, Kind, Pair, compare
from barthes.report.escaping import printable
from barthes.report.wording import excerpt
from barthes.salience.profile import Profile, ScoredUnit


def compare_cli(
    before: Annotated[Path, argument("FIRST", "A story, or the JSON of `barthes score`.")],
    after: Annotated[Path, argument("SECOND", "Another draft, or the same story.")],
    against: Annotated[
        str | None, option("Method", "Score the second story with this method instead.", metavar="METHOD")
    ] = None,
    html: Annotated[Path | None, option("Output", "Write an HTML page, drafts side by side.")] = None,
    format: shared.TextFormat = "text",  # noqa: A002 - the option's name
    method: shared.Method = "sd",
    unit: shared.SpanUnit = "sentence",
    model: shared.Model = DEFAULT_MODEL,
    chapter: shared.Chapter = None,
    whole: shared.Whole = False,
) -> None:
    """Compare two drafts: which sentences, or longer units, gained or lost salience.

    Sentences are paired in order, rewritten ones by the words they share. Sentences that moved unchanged, and
    longer units that moved, are found too. A change is listed only if it exceeds its bootstrap interval.
    The other options of `barthes score` apply to the JSON that it writes.

    \b
    Examples:
      barthes compare draft1.txt draft2.txt
      barthes compare draft1.txt draft2.txt --html drafts.html
      barthes compare draft1.txt draft2.txt --unit scene
      barthes compare sd.json tfidf.json                 two methods, one story
      barthes compare tale.txt tale.txt --against tfidf
    """
    if html is not None:
        check_writable(html, option="--html")
        check_apart(html, [before, after], option="--html")
    scorer = StoryScorer(method, model, unit, against=against)
    opener = ProfileOpener(scorer, StoryReader(choose_chapters(chapter, whole=whole)))
    if against is None:
        first, second = opener.open([before, after])
    else:
        narrative = opener.read(after)
        [first] = opener.open([before])
        second = opener.score(narrative, method=against)
    comparison = compare(first, second)
    if html is not None:
        from barthes.report.page import render_comparison

        write_atomically(html, render_comparison(comparison))
    if format == "json":
        print_json(comparison.to_dict())
    else:
        echo(_describe(comparison))


_MOST = 10  # changes of a kind that are printed


def _describe(comparison: Comparison, *, top: int = _MOST) -> str:
    """Return the comparison as lines of text."""
    counts = ", ".join(f"{comparison.count(kind)} {kind.value}" for kind in Kind if comparison.count(kind))
    rho = comparison.spearman
    first = counts + (
        "" if rho is None else f"; Spearman's rho {rho:.2f} over {comparison.before.unit}s in both"
    )
    unit = "salience" if comparison.comparable else "standing: 1 for the first rank, 0 for the last"
    groups = [
        (f"gained ({unit})", comparison.gained(top)),
        (f"lost ({unit})", comparison.lost(top)),
    ]
    for kind in (Kind.ADDED, Kind.REMOVED):
        found = [pair for pair in comparison.pairs if pair.kind is kind and pair.reason is None]
        found.sort(key=lambda pair: _shown(pair).rank or 0)
        groups.append((f"{kind.value}, most salient first", tuple(found[:top])))
    groups.append(("moved", tuple(pair for pair in comparison.pairs if pair.kind is Kind.MOVED)[:top]))
    for reason in dict.fromkeys(pair.reason for pair in comparison.pairs if pair.reason):
        unranked = tuple(pair for pair in comparison.pairs if pair.reason == reason)
        groups.append((f"not ranked: {reason}", unranked))
    lines = [first]
    if not comparison.gained() and not comparison.lost():
        lines.append("No change of salience is larger than its bootstrap interval.")
    for heading, pairs in groups:
        lines += ["", heading, *(_line(pair, comparison.after) for pair in pairs)] if pairs else []
    return "\n".join(lines)


def _shown(pair: Pair) -> ScoredUnit:
    """Return the sentence in the second draft or, if it was removed, in the first."""
    shown = pair.after or pair.before
    assert shown is not None
    return shown


def _line(pair: Pair, profile: Profile) -> str:
    change = "" if pair.change is None else f"{pair.change:+.3f}"
    sides = (pair.before, pair.after)
    ranks = " → ".join(str(side.rank or "–") if side else "–" for side in sides)
    numbers = " → ".join(str(side.index + 1) if side else "–" for side in sides)
    text = excerpt(_shown(pair).sentence, profile.narrative.unit)
    return printable(f"  {change:>7}  rank {ranks:<9}  {profile.unit} {numbers:<9}  {text}")


COMPARE = Command(compare_cli, panel="Score stories")
