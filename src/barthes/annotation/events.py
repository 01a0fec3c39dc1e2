"""Data types of annotation, from a corpus or a parser: tokens, Penn tags, predicates and their arguments.

All offsets are half-open character offsets into the narrative's text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from barthes.errors import NarrativeError
from barthes.narrative import Narrative

Span = tuple[int, int]
"""A half-open range of character offsets into a narrative's text."""

PENN_SIGNS = {"``": '"', "''": '"', "`": "'", "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]"}
"""Penn Treebank tokens for quotation marks and brackets, and the characters that they stand for."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word or a punctuation mark.

    Attributes:
        start: Offset of its first character in the narrative's text.
        end: Offset one past its last character.
        text: The characters in between.
        tag: Its Penn Treebank tag; empty if it has none.
        auxiliary: Whether it is an auxiliary verb (*had* gone, *did* not go). Modals carry the tag MD.
    """

    start: int
    end: int
    text: str
    tag: str
    auxiliary: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"a token needs 0 <= start < end, not ({self.start}, {self.end})")

    @property
    def span(self) -> Span:
        """(start, end)."""
        return (self.start, self.end)


@dataclass(frozen=True, slots=True)
class Argument:
    """A participant of an event.

    Attributes:
        role: Its PropBank label in upper case: ARG0 (agent), ARG1 (patient), ARG2 …, ARGM-TMP and so on.
        spans: Its disjoint spans in text order; several for an interrupted argument, such as the speech in
            *"Go home," said the fox, "and rest."*
    """

    role: str
    spans: tuple[Span, ...]

    def __post_init__(self) -> None:
        position = 0
        if not self.spans:
            raise ValueError(f"the argument {self.role} covers nothing")
        for start, end in self.spans:
            if not position <= start < end:
                what = "are empty, overlap or are out of order"
                raise ValueError(f"the spans of {self.role} {what}: {self.spans}")
            position = end


@dataclass(frozen=True, slots=True)
class Event:
    """A predicate with its arguments.

    Attributes:
        predicate: The token that names the event, usually a verb. (ProppLearner marks speech without a verb
            of saying on its opening quotation mark.)
        arguments: Its arguments, in the order of their source.
        particles: Particles of the predicate: *off* in *set off*.
        frame: PropBank's frame (``set.04``), or the lemma if the source has no frames.

    >>> wolf, came = Token(0, 4, "Wolf", "NN"), Token(5, 9, "came", "VBD")
    >>> event = Event(came, (Argument("ARG1", ((0, 4),)),), frame="come.01")
    >>> event.verbal, event.with_role("ARG1")[0].spans
    (True, ((0, 4),))
    """

    predicate: Token
    arguments: tuple[Argument, ...] = ()
    particles: tuple[Token, ...] = ()
    frame: str = ""

    @property
    def trigger(self) -> tuple[Token, ...]:
        """The predicate and its particles in text order."""
        return tuple(sorted((self.predicate, *self.particles), key=lambda token: token.span))

    @property
    def verbal(self) -> bool:
        """Whether the predicate is tagged as a verb."""
        return self.predicate.tag.startswith("VB") or self.predicate.tag == "MD"

    def with_role(self, role: str) -> tuple[Argument, ...]:
        """Return the arguments of one role; gold annotation may have several."""
        return tuple(argument for argument in self.arguments if argument.role == role)


@dataclass(frozen=True, slots=True)
class SentenceAnnotation:
    """The tokens of a sentence in text order, and its events in the order of their predicates."""

    tokens: tuple[Token, ...] = ()
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class Annotation:
    """The annotation of a narrative: one `SentenceAnnotation` per sentence, in order."""

    sentences: tuple[SentenceAnnotation, ...]

    @property
    def tokens(self) -> tuple[Token, ...]:
        """All tokens in text order."""
        return tuple(token for sentence in self.sentences for token in sentence.tokens)

    @property
    def events(self) -> tuple[Event, ...]:
        """All events in text order."""
        return tuple(event for sentence in self.sentences for event in sentence.events)

    @property
    def verbal_events(self) -> tuple[tuple[int, Event], ...]:
        """The events whose predicate is a verb, in text order, each with the index of its sentence."""
        return tuple((k, event) for k, known in enumerate(self) for event in known.events if event.verbal)

    def check(self, narrative: Narrative) -> None:
        """Check that this annotation belongs to a narrative.

        Raises:
            NarrativeError: The number of sentences differs, a token differs from the text, or an event is
                outside its sentence.
        """
        if len(self) != len(narrative):
            problem = f"{len(self)} sentences are annotated, but the narrative has {len(narrative)}."
            raise NarrativeError(problem, where=narrative.title or None)
        for sentence, annotation in zip(narrative, self, strict=True):
            for start, end in _spans(annotation):
                if not sentence.start <= start < end <= sentence.end:
                    problem = f"the annotation ({start}, {end}) is outside sentence {sentence.index}."
                    raise NarrativeError(problem, where=narrative.title or None)
            for token in annotation.tokens:
                if narrative.text[token.start : token.end] != token.text:
                    problem = f"the token {token.text!r} is not at ({token.start}, {token.end})."
                    raise NarrativeError(problem, where=narrative.title or None)

    def to_dict(self) -> dict[str, Any]:
        """Return the annotation as JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Annotation:
        """Build an annotation from the result of `to_dict`."""
        return cls(tuple(_sentence(sentence) for sentence in content["sentences"]))

    def __len__(self) -> int:
        return len(self.sentences)

    def __getitem__(self, index: int) -> SentenceAnnotation:
        return self.sentences[index]

    def __iter__(self) -> Iterator[SentenceAnnotation]:
        return iter(self.sentences)


def find_verbal_events(narrative: Narrative, annotation: Annotation) -> tuple[tuple[int, Event], ...]:
    """Return the events of a narrative whose predicate is a verb, each with the index of its sentence.

    Raises:
        NarrativeError: The annotation belongs to another narrative, or no verb was found.
    """
    annotation.check(narrative)
    events = annotation.verbal_events
    if not events:
        problem, remedy = "it has no events: no verb was found.", "Score its sentences instead."
        raise NarrativeError(problem, where=narrative.title or None, remedy=remedy)
    return events


def _spans(annotation: SentenceAnnotation) -> Iterator[Span]:
    yield from (token.span for token in annotation.tokens)
    for event in annotation.events:
        yield from (token.span for token in event.trigger)
        for argument in event.arguments:
            yield from argument.spans


def _sentence(content: Mapping[str, Any]) -> SentenceAnnotation:
    tokens = tuple(Token(**token) for token in content["tokens"])
    return SentenceAnnotation(tokens, tuple(_event(event) for event in content["events"]))


def _event(content: Mapping[str, Any]) -> Event:
    arguments = tuple(
        Argument(argument["role"], tuple((start, end) for start, end in argument["spans"]))
        for argument in content["arguments"]
    )
    particles = tuple(Token(**token) for token in content["particles"])
    return Event(Token(**content["predicate"]), arguments, particles, content["frame"])
