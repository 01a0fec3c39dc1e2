"""`barthes score`: score the sentences or events of stories."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from barthes.cache import ScoreCache
from barthes.cli import shared_options as shared
from barthes.cli.command import Command
from barthes.cli.console import ErrorCounter, end_interrupted, ignore_interrupts, print_note
from barthes.cli.help_panels import argument, option
from barthes.cli.output import Pages, check_apart, check_writable
from barthes.cli.story_reader import ALL, StoryReader, choose_chapters, find_files, read_all
from barthes.cli.story_scorer import StoryScorer
from barthes.formats import FileFormat
from barthes.marks import parse_numbers, skip_sentences
from barthes.methods import check_method, describe_method, find_methods
from barthes.models.embedded import DEFAULT_MODEL
from barthes.narrative import Narrative
from barthes.plugins import FORMATS, find_plugins
from barthes.report.output import check_output, choose_writer, write_profiles
from barthes.salience.profile import Profile


def list_formats() -> list[str]:
    """Return the names of the formats, also for shell completion."""
    return list(find_plugins(FORMATS))


def score_cli(
    stories: Annotated[list[str], argument("STORY", "Files, folders, or - for standard input.")],
    method: shared.DefaultMethod = None,
    exact_top: Annotated[
        int | None, option("Method", "With preview: score the N highest estimates exactly.", min=1)
    ] = None,
    unit: shared.Unit = "sentence",
    model: shared.Model = DEFAULT_MODEL,
    format: Annotated[  # noqa: A002 - the option's name
        str | None,
        option(
            "Output",
            f"Output format: {', '.join(list_formats())}. [default: by the extension of --out, else table]",
            "--format",
            "-f",
            metavar="FORMAT",
            autocompletion=list_formats,
        ),
    ] = None,
    out: shared.OutFile = None,
    html: Annotated[
        str | None,
        option("Output", "Also write an HTML report; a folder/ for several stories.", metavar="FILE"),
    ] = None,
    top: Annotated[int | None, option("Output", "Show only the N most salient sentences.", min=1)] = None,
    rank_by: shared.RankBy = "cost",
    influence: Annotated[bool, option("Output", "Add the influence matrix (JSON).", "--influence")] = False,
    window: shared.Window = None,
    sentences: shared.Sentences = False,
    keep: shared.Keep = None,
    chapter: shared.Chapter = None,
    chapters: Annotated[bool, option("Input", "Score each chapter as a story.", "--chapters")] = False,
    whole: shared.Whole = False,
    split: shared.Split = None,
    skip: Annotated[
        str | None, option("Input", "Sentences not to rank, such as 1-3; or [[skip]].", metavar="NUMBERS")
    ] = None,
    language: shared.Language = None,
    encoding: shared.Encoding = None,
    device: shared.Device = "auto",
    dtype: shared.Dtype = "auto",
    no_cache: shared.NoCache = False,
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
      barthes score novel.txt --method preview       a quick estimate
      barthes score tale.txt --method sd+tfidf       a sum of methods
      barthes score tale.txt --method readers        what readers find important
      barthes score tale.txt --unit event            events, not sentences
      barthes score novel.txt --unit scene           scenes
      barthes score lines.txt --sentences            one sentence per line
      barthes score tales.epub --chapter 3           one tale of a book
      barthes score tales.epub --chapters            each tale by itself
      barthes score tale.txt --skip 1-3              do not rank the frame
      cat tale.txt | barthes score - --format json   from a pipe
    """
    writer = choose_writer(format, out)
    options: dict[str, Any] = {
        "top": top,
        "rank_by": None if rank_by == "cost" else rank_by,
        "influence": influence,
    }
    check_output(writer, out, **options)
    if out is not None:
        check_writable(out)
    pages = Pages(html)
    method = method or ("va" if unit == "event" else "sd")
    check_method(method, unit=unit)
    if exact_top and not describe_method(method).is_estimate:
        raise typer.BadParameter(f"{method} is exact: use --exact-top with --method preview")
    if influence:
        _check_influence(method, unit)
    scorer = StoryScorer(
        method,
        model,
        unit,
        window=window,
        device=device,
        dtype=dtype,
        cache=None if no_cache else ScoreCache(),
        exact_top=exact_top or 0,
        with_readers=True,
    )
    errors = ErrorCounter()
    paths = find_files(stories, errors)
    check_apart(out, paths)
    pages.keep_apart(paths)
    chapter = choose_chapters(chapter, whole=whole, each=chapters)
    is_list = chapters or len(paths) > 1
    check_output(writer, out, several=is_list)
    reader = StoryReader(
        chapter or (ALL if unit == "chapter" else None),
        sentences=sentences,
        keep=tuple(keep or ()),
        split=split,
        language=language,
        encoding=encoding,
    )
    narratives = read_all(paths, reader.read, errors)
    if skip is not None:
        narratives = [skip_sentences(each, sorted(parse_numbers(skip))) for each in narratives]
    if narratives:
        several = len(narratives) > 1
        check_output(writer, out, several=several)
        pages.expect_several(several)
        scorer.prepare()

        def after(profile: Profile) -> None:
            if out is None:
                sys.stdout.flush()
            pages.add(profile)
            if rank_by == "readers" and profile.importance is None:
                print_note(
                    f"{profile.narrative.title}: ranked by salience; readers' importance is not known."
                )
            for note in () if writer.with_notes else profile.notes:
                print_note(f"{profile.narrative.title}: {note}")

        scored = ScoredStories(narratives, scorer.score, errors, after)
        write_stories(scored, writer, out, several=is_list, **options)
    errors.exit_if_any()


def _check_influence(method: str, unit: str) -> None:
    if unit == "event":
        raise typer.BadParameter("--influence is for sentences: omit --unit event")
    if not describe_method(method).looks_ahead:
        known = ", ".join(name for name in find_methods() if describe_method(name).looks_ahead)
        raise typer.BadParameter(f"{method} has no influence matrix; use {known} or a sum with one of them")


class ScoredStories:
    """An iterable of the profiles of narratives, each scored when it is asked for.

    Narratives that cannot be scored are skipped. An interruption or a bug ends the iteration, so that what is
    finished can be written; `finish` raises it then.

    Args:
        narratives: The stories.
        score: Returns the profile of a story.
        errors: Prints and counts the errors of stories.
        after: Called with each profile when it has been written.
    """

    def __init__(
        self,
        narratives: Sequence[Narrative],
        score: Callable[[Narrative], Profile],
        errors: ErrorCounter,
        after: Callable[[Profile], object] = id,
    ) -> None:
        self._narratives, self._score, self._errors, self._after = narratives, score, errors, after
        self._count = 0
        self._end: BaseException | None = None

    def __iter__(self) -> Iterator[Profile]:
        for narrative in self._narratives:
            profile: Profile | None = None
            try:
                with self._errors:
                    profile = self._score(narrative)
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt):
                    ignore_interrupts()
                self._end = error
                return
            if profile is not None:
                yield profile
                self._count += 1
                self._after(profile)

    def finish(self) -> None:
        """Raise what ended the iteration early; called when everything has been written."""
        if isinstance(self._end, KeyboardInterrupt):
            finished = f"{self._count} of {len(self._narratives)} stories"
            raise end_interrupted(f"interrupted; {finished} were finished and written.") from None
        if self._end is not None:
            raise self._end


def write_stories(stories: ScoredStories, writer: FileFormat, out: Path | None, **options: Any) -> None:
    """Write the profiles of stories to a file, or to standard output one by one."""
    write_profiles(stories, writer, sys.stdout if out is None else out, **options)
    stories.finish()


SCORE = Command(score_cli, panel="Score stories")
