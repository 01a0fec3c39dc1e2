"""`barthes score`: score the sentences or events of stories."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from barthes.cache import ScoreCache
from barthes.cli import shared_options as shared
from barthes.cli.command import Command
from barthes.cli.console import ErrorCounter, end_interrupted, ignore_interrupts
from barthes.cli.help_panels import argument, option
from barthes.cli.output import Format, Order, Output, Pages, check_apart, describe_format
from barthes.cli.story_reader import StoryReader, find_files, read_all
from barthes.cli.story_scorer import StoryScorer
from barthes.errors import OutputError
from barthes.methods import check_method, describe_method, find_methods, preview_method
from barthes.models.embedded import DEFAULT_MODEL
from barthes.narrative import Narrative
from barthes.salience.profile import Profile


def score_cli(
    stories: Annotated[list[str], argument("STORY", "Files, folders, or - for standard input.")],
    method: shared.DefaultMethod = None,
    preview: Annotated[
        bool, option("Method", "Estimate sd quickly, from the next words and words that recur.", "--preview")
    ] = False,
    exact_top: Annotated[
        int | None, option("Method", "With --preview: score the N highest estimates exactly.", min=1)
    ] = None,
    unit: shared.Unit = "sentence",
    model: shared.Model = DEFAULT_MODEL,
    format: Annotated[  # noqa: A002 - the option's name
        Format | None, option("Output", describe_format("table"), "--format", "-f")
    ] = None,
    out: shared.OutFile = None,
    html: Annotated[
        str | None,
        option("Output", "Also write an HTML report; a folder/ for several stories.", metavar="FILE"),
    ] = None,
    top: Annotated[int | None, option("Output", "Show only the N most salient sentences.", min=1)] = None,
    order: Annotated[Order | None, option("Output", "Order. [default: rank in tables, else story]")] = None,
    influence: Annotated[bool, option("Output", "Add the influence matrix (JSON).", "--influence")] = False,
    preparation: Annotated[
        bool, option("Output", "Add how much what precedes prepares each unit (JSON, HTML).", "--preparation")
    ] = False,
    window: shared.Window = None,
    sentences: shared.Sentences = False,
    with_speakers: shared.WithSpeakers = False,
    chapter: shared.Chapter = None,
    chapters: Annotated[bool, option("Input", "Score each chapter as a story.", "--chapters")] = False,
    language: shared.Language = None,
    encoding: shared.Encoding = None,
    device: shared.Device = "auto",
    dtype: shared.Dtype = "auto",
    seed: shared.Seed = 0,
    cache: shared.Cache = True,
) -> None:
    """Score the sentences of stories by salience.

    Salience (sd) is how much less likely the rest of the story becomes without the sentence, in nats per
    token. Higher is more salient.

    \b
    Examples:
      barthes score tale.txt                         most salient first
      barthes score tale.txt --top 5                 the five most salient
      barthes score tale.txt --html tale.html        an interactive report
      barthes score tales/ --out tales.tsv           a folder
      barthes score novel.txt --preview              a quick estimate
      barthes score tale.txt --preview --exact-top 9 the best nine exactly
      barthes score tale.txt --method sd+tfidf       a sum of methods
      barthes score tale.txt --method readers        what readers find important
      barthes score tale.txt --unit event            events, not sentences
      barthes score novel.txt --unit scene           scenes
      barthes score lines.txt --sentences            one sentence per line
      barthes score novel.epub --chapter 3           one chapter of a book
      barthes score novel.epub --chapters -o x.tsv   each chapter by itself
      cat tale.txt | barthes score - --format json   from a pipe
    """
    output = Output(format, out, order=order, top=top, influence=influence)
    pages = Pages(html)
    method = method or ("va" if unit == "event" else "sd")
    if preview:
        if unit == "event":
            raise typer.BadParameter("--preview is for sentences: omit --unit event")
        method = preview_method(method)
    check_method(method, unit=unit)
    if exact_top and not describe_method(method).is_estimate:
        raise typer.BadParameter(f"{method} is exact: use --exact-top with --preview")
    if influence:
        _check_influence(method, unit)
    if preparation and unit == "event":
        raise typer.BadParameter("--preparation is for sentences and longer units: omit --unit event")
    if chapters and chapter is not None:
        raise typer.BadParameter("--chapter and --chapters exclude each other")
    scorer = StoryScorer(method, model, unit, window, seed, device, dtype, ScoreCache() if cache else None)
    scorer.preparation = preparation
    scorer.exact_top = exact_top or 0
    errors = ErrorCounter()
    paths = find_files(stories, errors)
    check_apart(out, paths)
    pages.keep_apart(paths)
    output.expect_several(chapters or len(paths) > 1)
    reader = StoryReader(
        chapter,
        every_chapter=chapters,
        sentences=sentences,
        with_speakers=with_speakers,
        language=language,
        encoding=encoding,
    )
    narratives = read_all(paths, reader.read, errors)
    if narratives:
        several = len(narratives) > 1
        pages.expect_several(several)
        scorer.prepare()
        score_stories(narratives, scorer.score, output, errors, pages=pages)
    errors.exit_if_any()


def _check_influence(method: str, unit: str) -> None:
    if unit == "event":
        raise typer.BadParameter("--influence is for sentences: omit --unit event")
    if not describe_method(method).looks_ahead:
        known = ", ".join(name for name in find_methods() if describe_method(name).looks_ahead)
        raise typer.BadParameter(f"{method} has no influence matrix; use {known} or a sum with one of them")


def score_stories(
    narratives: list[Narrative],
    score: Callable[[Narrative], Profile],
    output: Output,
    errors: ErrorCounter,
    *,
    pages: Pages | None = None,
) -> None:
    """Score each narrative and write it at once; narratives that cannot be scored are skipped."""
    try:
        for narrative in narratives:
            profile: Profile | None = None
            with errors:
                profile = score(narrative)
            if profile is not None:
                output.add(profile)
                if pages is not None:
                    pages.add(profile)
    except KeyboardInterrupt:
        ignore_interrupts()
        output.close()
        finished = f"{output.count} of {len(narratives)} stories"
        raise end_interrupted(f"interrupted; {finished} were finished and written.") from None
    except (OutputError, BrokenPipeError):  # the output cannot be written
        raise
    except BaseException:  # a bug, or no memory: write the finished stories
        output.close()
        raise
    output.close()


SCORE = Command(score_cli, panel="Score stories")
