"""`barthes show`: a story's sentences with their events, and what each removal leaves of them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

from typer import echo

from barthes.annotation.annotator import annotate
from barthes.annotation.events import Event, Token
from barthes.cli import shared_options as shared
from barthes.cli.chapters import describe_structure
from barthes.cli.command import Command
from barthes.cli.console import print_json
from barthes.cli.help_panels import argument, option
from barthes.cli.story_reader import StoryReader, choose_chapters
from barthes.errors import NarrativeError
from barthes.narrative import Narrative
from barthes.removal.anonymization import anonymize_sentences
from barthes.removal.removal import delete_sentences
from barthes.report.escaping import printable


def show_cli(
    story: Annotated[str, argument("STORY", "A file, or - for standard input.")],
    sentence: Annotated[
        int | None, option("Output", "Show only the K-th sentence.", "--sentence", "-k", metavar="K", min=1)
    ] = None,
    sentences: shared.Sentences = False,
    chapter: shared.Chapter = None,
    whole: shared.Whole = False,
    structure: Annotated[
        bool,
        option("Output", "List chapters and words that are not scored, as barthes chapters.", "--structure"),
    ] = False,
    format: shared.TextFormat = "text",  # noqa: A002 - the option's name
) -> None:
    """Show the events of a story and what each removal leaves.

    Each sentence is followed by its verbs, with ARG0 (the agent) and ARG1 (the patient), and by what is left
    of it after SD (sentence deletion), VA (verb anonymization) and PAA (predicate and argument
    anonymization). English texts only.

    \b
    Examples:
      barthes show tale.txt                    every sentence
      barthes show tale.txt --sentence 5       the fifth sentence
      barthes show tale.txt --structure        what is not scored, such as notes
      barthes show tale.txt --format json      for programs, with offsets
    """
    if structure:
        echo(describe_structure(StoryReader().parse(Path(story))))
        return
    reader = StoryReader(choose_chapters(chapter, whole=whole), sentences=sentences)
    plain = describe_events(reader.read_one(Path(story)))
    rows = plain["sentences"]
    if sentence is not None:
        if sentence > len(rows):
            problem = f"there is no sentence {sentence}; the story has {len(rows)}."
            raise NarrativeError(problem, where=story, remedy="Sentences are counted from 1.")
        rows = rows[sentence - 1 : sentence]
    if format == "json":
        print_json(plain | {"sentences": rows})
    else:
        echo("\n\n".join(_format(row) for row in rows))


def describe_events(narrative: Narrative) -> dict[str, Any]:
    """Return the events of every sentence and what removals leave of it, as `--format json` prints them.

    Offsets count characters of the narrative's text, half-open.
    """
    annotation = annotate(narrative)
    anonymize = partial(anonymize_sentences, narrative, annotation)
    removed = {
        "sd": delete_sentences(narrative),
        "va": anonymize(arguments=False),
        "paa": anonymize(arguments=True),
    }
    rows = [
        {
            "index": sentence.index,
            "start": sentence.start,
            "end": sentence.end,
            "text": sentence.text,
            "events": [_describe_event(event, narrative) for event in annotation[sentence.index].events],
            "removals": {name: texts[sentence.index].text for name, texts in removed.items()},
        }
        for sentence in narrative
    ]
    return {"story": narrative.title, "sentences": rows}


def _describe_event(event: Event, narrative: Narrative) -> dict[str, Any]:
    def describe(token: Token) -> dict[str, Any]:
        return {"text": token.text, "start": token.start, "end": token.end}

    arguments = [
        {
            "role": argument.role,
            "spans": [
                {"text": narrative.text[start:end], "start": start, "end": end}
                for start, end in argument.spans
            ],
        }
        for argument in event.arguments
    ]
    return {
        "predicate": describe(event.predicate) | {"tag": event.predicate.tag, "lemma": event.frame},
        "particles": [describe(particle) for particle in event.particles],
        "arguments": arguments,
    }


def _format(row: dict[str, Any]) -> str:
    """Return a sentence as lines of text."""
    lines = [f"{row['index'] + 1:>4}  {_line(row['text'])}"]
    for event in row["events"]:
        verb = " … ".join(token["text"] for token in [event["predicate"], *event["particles"]])
        arguments = [
            f"{argument['role']} [{' … '.join(_line(span['text']) for span in argument['spans'])}]"
            for argument in event["arguments"]
        ]
        lines.append(f"      · {'   '.join([f'{_line(verb):<12}', *arguments]).rstrip()}")
    lines += [f"      {name.upper():<3}  {_line(text) or '—'}" for name, text in row["removals"].items()]
    return "\n".join(lines)


def _line(text: str) -> str:
    """Return the text on one line, without control characters."""
    return printable(" ".join(text.split()))


SHOW = Command(show_cli, panel="Score stories")
