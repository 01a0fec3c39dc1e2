"""Sentences annotated by hand, where no parser can be wrong."""

from __future__ import annotations

from barthes.annotation.events import Annotation, Argument, Event, SentenceAnnotation, Token
from barthes.narrative import Narrative


def build(text, events=""):
    """Build a sentence from ``word/TAG`` (``~``: no space before it; ``+``: auxiliary) and its events.

    Events are given by word numbers: ``3 ARG0=0-1 ARG1=4; 7`` has the predicates 3 and 7.
    """
    tokens, source = [], ""
    for word in text.split():
        form, _, tag = word.removeprefix("~").rpartition("/")
        source += "" if word.startswith("~") or not source else " "
        tokens.append(
            Token(len(source), len(source) + len(form), form, tag.removesuffix("+"), tag.endswith("+"))
        )
        source += form
    built = []
    for event in filter(None, events.split("; ")):
        predicate, *roles = event.split()
        arguments = []
        for role, words in (argument.split("=") for argument in roles):
            first, _, last = words.partition("-")
            arguments.append(Argument(role, ((tokens[int(first)].start, tokens[int(last or first)].end),)))
        built.append(Event(tokens[int(predicate)], tuple(arguments)))
    narrative = Narrative(source, ((0, len(source)),))
    return narrative, Annotation((SentenceAnnotation(tuple(tokens), tuple(built)),))
