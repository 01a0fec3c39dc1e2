"""The layer of TimeML-like events: ``OCCURRENCE|41|40~41|VERB|INFINITIVE|NONE|true||1||``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from barthes.annotation.events import Token
from barthes.corpora.problems import Problem
from barthes.corpora.references import BrokenReferenceError, find_tokens, parse_references
from barthes.corpora.story_workbench import StoryFile

__all__ = ["TimeEvent", "read_time_events"]

_FIELDS = 11


@dataclass(frozen=True, slots=True)
class TimeEvent:
    """An event in the sense of TimeML, which counts nouns and adjectives too.

    Attributes:
        id: The id of its description.
        kind: OCCURRENCE, STATE, REPORTING, ASPECTUAL …
        head: The tokens that name it.
        extent: Head, auxiliaries, modals and *to*.
        part_of_speech: VERB, NOUN, ADJECTIVE …
        tense: PAST, INFINITIVE, NONE …
        aspect: PERFECTIVE, PROGRESSIVE, NONE …
        polarity: False where it is said not to happen.
    """

    id: str
    kind: str
    head: tuple[Token, ...]
    extent: tuple[Token, ...]
    part_of_speech: str
    tense: str
    aspect: str
    polarity: bool


def read_time_events(file: StoryFile, tokens: Mapping[str, Token]) -> tuple[list[TimeEvent], list[Problem]]:
    """The events of a file, in its order."""
    events = []
    problems = []
    for description in file.layer("semantics.rep.event"):
        try:
            events.append(_parse_event(description.id, description.text, tokens))
        except BrokenReferenceError as error:
            problems.append(Problem(file.name, description.id, "event", str(error)))
    return events, problems


def _parse_event(identity: str, text: str, tokens: Mapping[str, Token]) -> TimeEvent:
    fields = text.strip().split("|")
    if len(fields) != _FIELDS or fields[6] not in ("true", "false"):
        raise BrokenReferenceError(f"{text!r} does not read like an event")
    head, extent = (find_tokens(parse_references(ids), tokens) for ids in fields[1:3])
    part_of_speech, tense, aspect = fields[3:6]
    polarity = fields[6] == "true"
    return TimeEvent(identity, fields[0], head, extent, part_of_speech, tense, aspect, polarity)
