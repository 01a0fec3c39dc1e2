"""`barthes score`: stories in, their salient sentences out."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from barthes.baselines.frequencies import DocumentFrequencies
from barthes.cache import ScoreCache
from barthes.cli.console import ErrorCounter, print_error
from barthes.cli.output import Format, Order, Output, Pages, check_apart
from barthes.cli.shared_options import Device, Dtype, Language, Model, OutFile, Seed, Sentences, Unit, Window
from barthes.cli.story_scorer import StoryScorer, find_files, name_story, read_all
from barthes.errors import OutputError
from barthes.methods import METHOD_NAMES, PRESETS, check_method, describe_method, preview_method
from barthes.models.embedded import DEFAULT_MODEL
from barthes.narrative import Narrative
from barthes.reading import narrate, narrate_chapters, parse_document
from barthes.reading.source import STANDARD_INPUT, read_bytes
from barthes.salience.profile import Profile


def score_cli(
    stories: Annotated[
        list[str], typer.Argument(metavar="STORY...", help="Files, folders, or - for standard input.")
    ],
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            "-m",
            help=f"{', '.join(METHOD_NAMES)}, a sum such as sd+tfidf, ranks:sd+tfidf or placed:sd+tfidf, "
            f"or {', '.join(PRESETS)}. [default: sd; va for events]",
        ),
    ] = None,
    preview: Annotated[
        bool, typer.Option("--preview", help="Estimate sd quickly, from what comes right after.")
    ] = False,
    unit: Unit = "sentence",
    model: Model = DEFAULT_MODEL,
    format: Annotated[  # noqa: A002 - the option's name
        Format | None, typer.Option("--format", "-f", help="By default by the ending of --out, else a table.")
    ] = None,
    out: OutFile = None,
    html: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write an interactive page too; for several stories a folder/."),
    ] = None,
    top: Annotated[int | None, typer.Option(min=1, help="Only the N most salient sentences.")] = None,
    order: Annotated[Order | None, typer.Option(help="By default rank in tables, story elsewhere.")] = None,
    influence: Annotated[bool, typer.Option("--influence", help="Add the influence matrix (JSON).")] = False,
    window: Window = None,
    sentences: Sentences = False,
    chapter: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Only the N-th chapter of each file.")
    ] = None,
    chapters: Annotated[bool, typer.Option("--chapters", help="Score each chapter as a story.")] = False,
    language: Language = None,
    device: Device = "auto",
    dtype: Dtype = "auto",
    seed: Seed = 0,
    cache: Annotated[
        bool, typer.Option("--cache/--no-cache", help="Reuse scores computed before, and keep new ones.")
    ] = True,
) -> None:
    """Score the sentences of stories by salience.

    Salience (sd) is in nats per token: how much less likely, on average, the rest of the story becomes
    without the sentence. Higher is more salient.

    \b
    Examples:
      barthes score tale.txt                            most salient first
      barthes score tale.txt --top 5                    the five most salient sentences
      barthes score tale.txt --html tale.html           an interactive page
      barthes score tales/ --out tales.tsv              a folder, one row per sentence
      barthes score novel.txt --preview                 a quick estimate
      barthes score tale.txt --method sd+tfidf          a sum of methods
      barthes score tales/ --method best                fast estimate of what readers find important
      barthes score tale.txt --unit event --top 10      single events, not sentences
      barthes score lines.txt --sentences               one sentence per line, already split
      barthes score novel.epub --chapter 3              one chapter of a book
      barthes score novel.epub --chapters -o novel.tsv  each chapter as a story of its own
      cat tale.txt | barthes score - --format json      from a pipe, for a program
    """
    output = Output(format, out, order=order, top=top, influence=influence)
    pages = Pages(html)
    method = method or ("va" if unit == "event" else "sd")
    if preview:
        if unit == "event":
            raise typer.BadParameter("--preview is one of sentences: leave out --unit event")
        method = preview_method(method)
    _check(method, unit, influence=influence)
    kept = ScoreCache() if cache else None
    scorer = StoryScorer(method, model, unit, window, seed, device, dtype, kept)
    if chapters and chapter is not None:
        raise typer.BadParameter("--chapters is all of them, --chapter one: give only one of the two")
    errors = ErrorCounter()
    paths = find_files(stories, errors)
    check_apart(out, paths)
    pages.keep_apart(paths)
    output.expect_several(chapters or len(paths) > 1)
    reader = StoryReader(chapter, every_chapter=chapters, sentences=sentences, language=language)
    narratives = read_all(paths, reader.read, errors)
    pages.titles = reader.titles
    if narratives:
        several = len(narratives) > 1
        pages.expect_several(several)
        info = describe_method(method)
        if several and info.weighs_words:
            scorer.frequencies = DocumentFrequencies.from_narratives(narratives)
        scorer.prepare()
        score_stories(narratives, scorer.score, output, errors, pages=pages)
    errors.exit_if_any()


def _check(method: str, unit: str, *, influence: bool) -> None:
    """Refuse before the work what does not go together."""
    check_method(method, unit=unit)
    if unit == "event" and influence:
        raise typer.BadParameter("the influence matrix is one of sentences: leave out --unit event")
    if influence and not describe_method(method).looks_ahead:
        known = ", ".join(name for name in METHOD_NAMES if describe_method(name).looks_ahead)
        raise typer.BadParameter(
            f"the influence matrix is known of {known} and sums with them, not of {method}"
        )


def score_stories(
    narratives: list[Narrative],
    score: Callable[[Narrative], Profile],
    output: Output,
    errors: ErrorCounter,
    *,
    pages: Pages | None = None,
) -> None:
    """Score each narrative and write it as soon as it is done; one that cannot be scored is skipped."""
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
        output.close()
        print_error(f"interrupted; {output.count} of {len(narratives)} stories were finished and written.")
        raise typer.Exit(130) from None
    except (OutputError, BrokenPipeError):  # there is nowhere to write to
        raise
    except BaseException:  # a bug, or no memory: stories that are finished are written
        output.close()
        raise
    output.close()


@dataclass(frozen=True)
class StoryReader:
    """Reads files: one story each, one of its chapters, or each chapter as a story.

    Attributes:
        chapter: Only this one, counted from 1; None for all.
        every_chapter: Whether each chapter is a story of its own.
        sentences: Whether the files have one sentence per line.
        language: The code of their language; None for what each file says.
        titles: The titles that the documents read so far give themselves, by the narratives' (their paths).
    """

    chapter: int | None = None
    every_chapter: bool = False
    sentences: bool = False
    language: str | None = None
    titles: dict[str, str] = field(default_factory=dict, compare=False)

    def read(self, path: Path) -> list[Narrative]:
        """Return the stories in a file."""
        title = name_story(path)
        is_pipe = str(path) == STANDARD_INPUT
        where = "standard input" if is_pipe else os.fspath(path)
        document = parse_document(read_bytes(path), where=where, name=title if is_pipe else path.name)
        more: dict[str, Any] = {"language": self.language, "sentences": self.sentences}
        if self.every_chapter:
            narratives = narrate_chapters(document, title=title, where=where, **more)
        else:
            narratives = [narrate(document, chapter=self.chapter, title=title, where=where, **more)]
        if document.title:
            titles = {each.title: document.title + each.title.removeprefix(title) for each in narratives}
            self.titles.update(titles)
        return narratives
