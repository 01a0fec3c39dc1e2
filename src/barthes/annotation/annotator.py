"""Annotate English texts: spaCy parses each sentence, and rules find its events."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import groupby
from typing import TYPE_CHECKING

from barthes.annotation.arguments import find_arguments
from barthes.annotation.events import Annotation, Argument, Event, SentenceAnnotation, Span, Token
from barthes.annotation.frames import REPLIES
from barthes.annotation.languages import resolve_language
from barthes.annotation.passages import TextPassage, UnwrappedPassage, unwrap
from barthes.annotation.pipeline import load_english
from barthes.annotation.predicates import find_particles, find_predicates, find_speech, is_auxiliary
from barthes.errors import NarrativeError, SentenceTooLongError
from barthes.narrative import Narrative

if TYPE_CHECKING:
    import spacy.tokens

Annotator = Callable[[Narrative], Annotation]
"""A function that annotates a narrative: `annotate`, or the lookup of a corpus."""

LONGEST = 20_000
"""The longest sentence in characters; parsing nested clauses takes quadratic time."""

RULES = 2
"""Revision of the rules for events and of their rewriting; increase it to invalidate cached scores."""

_APOSTROPHE = re.compile(r"(?<=\w)’(?=\w)")
_BATCH = 128


def annotate(narrative: Narrative) -> Annotation:
    """Find the tokens, Penn tags, predicates and their ARG0 and ARG1 in an English narrative.

    The first call loads spaCy's pipeline.

    Raises:
        NarrativeError: The language is not English, or a sentence is longer than `LONGEST`.
        ModelError: The English pipeline is not installed.

    >>> story = Narrative.from_sentences(["The wolf ate the goat."])
    >>> [event] = annotate(story)[0].events
    >>> event.predicate.text, [(a.role, story.text[slice(*a.spans[0])]) for a in event.arguments]
    ('ate', [('ARG0', 'The wolf'), ('ARG1', 'the goat')])
    """
    _check(narrative)
    lines = [unwrap(narrative.text, TextPassage(start, end)) for start, end in narrative.spans]
    docs = load_english().pipe(map(_prepare, lines), disable=["ner"], batch_size=_BATCH)
    return Annotation(tuple(_read(doc, line, narrative) for doc, line in zip(docs, lines, strict=True)))


def _check(narrative: Narrative) -> None:
    if resolve_language(narrative.language) != "en":
        problem = f"its language is {narrative.language!r}, but events can be found in English only."
        remedy = "Sentence deletion (sd) works in every language."
        raise NarrativeError(problem, where=narrative.title or None, remedy=remedy)
    for number, (start, end) in enumerate(narrative.spans, start=1):
        if end - start > LONGEST:
            problem = f"sentence {number} has {end - start} characters; at most {LONGEST} can be parsed."
            raise SentenceTooLongError(problem, where=narrative.title or None, remedy="Split the sentence.")


def _prepare(line: UnwrappedPassage) -> str:
    """Normalize apostrophes and all-capitals text for the parser, without moving offsets."""
    text = _APOSTROPHE.sub("'", line.text)
    if text.isupper() and " " in text:
        return text[0] + "".join(c.lower() if len(c.lower()) == 1 else c for c in text[1:])
    return text


def _read(doc: spacy.tokens.Doc, line: UnwrappedPassage, narrative: Narrative) -> SentenceAnnotation:
    spans = [line.trace(token.idx, token.idx + len(token)) for token in doc]
    tokens = tuple(
        Token(start, end, narrative.text[start:end], token.tag_, is_auxiliary(token))
        for token, (start, end) in zip(doc, spans, strict=True)
    )
    predicates = find_predicates(doc)
    speech = find_speech(doc, predicates)
    events = (_event(verb, speech.get(verb.i, []), tokens) for verb in predicates)
    return SentenceAnnotation(tokens, tuple(events))


def _event(verb: spacy.tokens.Token, speech: list[range], tokens: tuple[Token, ...]) -> Event:
    arguments = [(role, [token.i for token in found]) for role, found in find_arguments(verb)]
    if speech and verb.lemma_ not in REPLIES:  # direct speech is ARG1, whatever the parse
        quoted = [position for quotation in speech for position in quotation]
        arguments = [(role, found) for role, found in arguments if role != "ARG1"] + [("ARG1", quoted)]
    return Event(
        tokens[verb.i],
        tuple(Argument(role, spans) for role, found in arguments if (spans := _spans(found, tokens))),
        tuple(tokens[particle.i] for particle in find_particles(verb)),
        verb.lemma_.lower(),
    )


def _spans(positions: Iterable[int], tokens: tuple[Token, ...]) -> tuple[Span, ...]:
    """Return the spans of runs of adjacent tokens, without punctuation at their ends."""
    spans = []
    for _, run in groupby(enumerate(positions), key=lambda pair: pair[1] - pair[0]):
        words = [tokens[i] for _, i in run if any(character.isalnum() for character in tokens[i].text)]
        if words:
            spans.append((words[0].start, words[-1].end))
    return tuple(spans)
