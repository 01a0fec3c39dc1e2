"""`barthes score`: stories in, their salient sentences out."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from barthes.baselines.frequencies import DocumentFrequencies
from barthes.cache import ScoreCache
from barthes.cli.complaints import Complaints, complain, remark
from barthes.cli.options import Device, Dtype, Language, Model, Sentences, Window
from barthes.cli.output import Format, Order, Output, Pages, Unit, check_apart
from barthes.cli.progress import show_progress
from barthes.cli.scoring import StoryScorer
from barthes.errors import OutputError
from barthes.files import decode_name
from barthes.methods import METHOD_NAMES, PRESETS, check_method, describe_method, preview_method
from barthes.models.embedded import DEFAULT_MODEL, EMBEDDED
from barthes.narrative import Narrative
from barthes.reading import find_stories, narrate, narrate_chapters, parse_document
from barthes.reading.source import STANDARD_INPUT, read_bytes
from barthes.salience.method import silent
from barthes.salience.profile import Profile
from barthes.salience.removal_method import EVENT_METHODS

__all__ = ["score_cli", "score_stories"]


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
        bool, typer.Option("--preview", help="Estimate sd from what comes right after: a first picture.")
    ] = False,
    unit: Annotated[Unit, typer.Option(help="Score sentences, or each event (va, paa).")] = Unit.SENTENCE,
    model: Model = DEFAULT_MODEL,
    format: Annotated[  # noqa: A002 - the option's name
        Format | None, typer.Option("--format", "-f", help="By default by the ending of --out, else a table.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write to this file, whole or not at all.")
    ] = None,
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
    chapters: Annotated[bool, typer.Option("--chapters", help="Each chapter is a story of its own.")] = False,
    language: Language = None,
    device: Device = "auto",
    dtype: Dtype = "auto",
    seed: Annotated[int, typer.Option(help="For the random baseline.")] = 0,
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
      barthes score tale.txt --top 5                    the five that hold it together
      barthes score tale.txt --html tale.html           a page to look at, click through and send
      barthes score tales/ --out tales.tsv              a folder, one row a sentence
      barthes score novel.txt --preview                 a first picture, much sooner
      barthes score tale.txt --method sd+tfidf          a sum of methods
      barthes score tales/ --method best                a cheaper guess at what readers name
      barthes score tale.txt --unit event --top 10      single events, not sentences
      barthes score lines.txt --sentences               one sentence a line, already split
      barthes score novel.epub --chapter 3              one chapter of a book
      barthes score novel.epub --chapters -o novel.tsv  each chapter as a story of its own
      cat tale.txt | barthes score - --format json      from a pipe, for a program
    """
    output = Output(format, out, order=order, top=top, influence=influence)
    pages = Pages(html)
    if preview and unit is Unit.EVENT:
        raise typer.BadParameter("--preview is one of sentences: leave out --unit event")
    method = method or ("va" if unit is Unit.EVENT else "sd")
    if preview:
        method = preview_method(method)
    _check(method, unit, influence=influence)
    scorer = StoryScorer(
        method,
        model,
        unit.value,
        window,
        seed,
        device,
        dtype,
        ScoreCache() if cache else None,
    )
    if chapters and chapter is not None:
        raise typer.BadParameter("--chapters is all of them, --chapter one: give only one of the two")
    complaints = Complaints()
    paths = _find_all(stories, complaints)
    check_apart(out, paths)
    pages.keep_apart(paths)
    output.several = chapters or len(paths) > 1
    choice = Choice(chapter, every=chapters, sentences=sentences, language=language)
    narratives = _read_all(paths, complaints, choice)
    pages.titles = choice.titles
    if narratives:
        pages.check_count(several=len(narratives) > 1)
        _check_languages(model, method, narratives)
        if len(narratives) > 1 and describe_method(method).weighs_words:
            scorer.frequencies = DocumentFrequencies.from_narratives(narratives)
        scorer.prepare()
        score_stories(narratives, scorer.score, output, complaints, pages=pages)
    if complaints.count:
        raise typer.Exit(2)


def score_stories(
    narratives: list[Narrative],
    score: Callable[[Narrative], Profile],
    output: Output,
    complaints: Complaints,
    *,
    pages: Pages | None = None,
) -> None:
    """Score each narrative and write it as soon as it is done; one that cannot be scored is skipped."""
    try:
        for narrative in narratives:
            profile: Profile | None = None
            with complaints:
                profile = score(narrative)
            if profile is not None:
                output.add(profile)
                if pages is not None:
                    pages.add(profile)
    except KeyboardInterrupt:
        output.close()
        complain(f"interrupted; {output.count} of {len(narratives)} stories were finished and written.")
        raise typer.Exit(130) from None
    except (OutputError, BrokenPipeError):  # there is nowhere to write to
        raise
    except BaseException:  # a bug, or no memory: stories that are finished are written
        output.close()
        raise
    output.close()


def _find_all(stories: list[str], complaints: Complaints) -> list[Path]:
    """The files that are meant, with folders expanded, each once."""
    paths: list[Path] = []
    for given in stories:
        with complaints:
            paths += find_stories([given])
    once = {os.path.realpath(path): path for path in reversed(paths)}  # the first name that was given counts
    return [path for path in paths if once[os.path.realpath(path)] is path]


@dataclass(frozen=True)
class Choice:
    """What of each file is read, and how.

    Attributes:
        chapter: Only this one, counted from 1; None for all.
        every: Whether each chapter is a story of its own.
        sentences: Whether each line is one sentence already.
        language: The code of its language; None for what the file says.
        titles: Of the stories read, the titles that their documents give them, by the narrative's (the path).
    """

    chapter: int | None = None
    every: bool = False
    sentences: bool = False
    language: str | None = None
    titles: dict[str, str] = field(default_factory=dict, compare=False)

    def read(self, path: Path) -> list[Narrative]:
        """The stories in a file."""
        typed = str(path) == STANDARD_INPUT
        title, where = ("stdin", "standard input") if typed else (decode_name(path), os.fspath(path))
        document = parse_document(read_bytes(path), where=where, name="stdin" if typed else path.name)
        language, lines = self.language, self.sentences
        if self.every:
            narratives = narrate_chapters(
                document, language=language, sentences=lines, title=title, where=where
            )
        else:
            chosen = narrate(
                document,
                chapter=self.chapter,
                language=language,
                sentences=lines,
                title=title,
                where=where,
            )
            narratives = [chosen]
        if document.title:
            own = {each.title: document.title + each.title.removeprefix(title) for each in narratives}
            self.titles.update(own)
        return narratives


def _read_all(paths: list[Path], complaints: Complaints, choice: Choice) -> list[Narrative]:
    """Read every story that can be read, and split it into sentences."""
    narratives: list[Narrative] = []
    # A bar would be drawn over what is being typed.
    typed = Path(STANDARD_INPUT) in paths
    with nullcontext(silent) if typed else show_progress("reading") as progress:
        for done, path in enumerate(paths):
            progress(done, len(paths))
            with complaints:
                narratives += choice.read(path)
    return narratives


def _check(method: str, unit: Unit, *, influence: bool) -> None:
    """Say what does not go together before the work, not after it."""
    check_method(method)
    if unit is Unit.EVENT and method not in EVENT_METHODS:
        raise typer.BadParameter(
            f"--unit event goes with --method {' or '.join(EVENT_METHODS)}, not {method}"
        )
    if unit is Unit.EVENT and influence:
        raise typer.BadParameter("the influence matrix is one of sentences: leave out --unit event")
    if influence and not describe_method(method).looks_ahead:
        known = ", ".join(name for name in METHOD_NAMES if describe_method(name).looks_ahead)
        raise typer.BadParameter(
            f"the influence matrix is known of {known} and sums with them, not of {method}"
        )


def _check_languages(model: str, method: str, narratives: list[Narrative]) -> None:
    """A model that reads English only scores other languages without complaint; people should know."""
    if model in EMBEDDED and describe_method(method).needs_model:
        for language in dict.fromkeys(narrative.language for narrative in narratives):
            if language != "en":
                remark(f"{model} was made for English; for {language!r} choose another model with --model.")
