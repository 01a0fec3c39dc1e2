"""Removal by anonymization, of whole sentences or of one event at a time.

VA (verb anonymization) replaces verbs by forms of *do*. PAA (predicate-argument anonymization) also replaces
ARG0 by *someone* and ARG1 by *something*.
"""

from __future__ import annotations

from barthes.annotation.annotator import Annotator, annotate
from barthes.annotation.events import Annotation, Event, find_verbal_events
from barthes.narrative import Narrative
from barthes.removal.removal import Removed
from barthes.removal.rewriting import anonymize, delete_event, is_verb, rewrite


def anonymize_sentences(narrative: Narrative, annotation: Annotation, *, arguments: bool) -> list[Removed]:
    """Replace the verbs of each sentence in turn by forms of *do*; *be* becomes *be*, modals stay.

    Args:
        narrative: The story.
        annotation: Its tokens, tags and events, from `annotate` or from a corpus.
        arguments: Whether to replace their ARG0 and ARG1 by pronouns too (PAA).

    >>> story = Narrative.from_sentences(["The wolf had been eaten by a fox."])
    >>> annotation = annotate(story)
    >>> [removed.text for removed in anonymize_sentences(story, annotation, arguments=False)]
    ['The wolf did be done by a fox.']
    >>> [removed.text for removed in anonymize_sentences(story, annotation, arguments=True)]
    ['Something did be done by someone.']
    """
    removals = []
    for sentence, known in zip(narrative, annotation, strict=True):
        verbs = {token.span for token in known.tokens if is_verb(token)}
        replaced = [each for event in known.events for each in event.arguments] if arguments else []
        removals.append(Removed(sentence.index, anonymize(sentence, known, verbs, replaced)))
    return removals


class Anonymizer:
    """VA, or PAA with `arguments`, as a removal function; the annotation is by default spaCy's."""

    def __init__(self, annotate: Annotator = annotate, *, arguments: bool) -> None:
        self._annotate = annotate
        self._arguments = arguments

    def __call__(self, narrative: Narrative) -> list[Removed]:
        """Anonymize each sentence; raise NarrativeError if the annotation does not fit the narrative."""
        annotation = self._annotate(narrative)
        annotation.check(narrative)
        return anonymize_sentences(narrative, annotation, arguments=self._arguments)


def remove_single_events(
    narrative: Narrative, annotation: Annotation, *, arguments: bool, delete: bool = False
) -> tuple[tuple[tuple[int, Event], ...], tuple[Removed, ...]]:
    """Remove one event at a time: anonymize it, with or without its ARG0 and ARG1, or delete its words.

    Returns the events whose predicate is a verb, each with the index of its sentence; and their removals.

    Raises:
        NarrativeError: The story has no such event.
    """
    events = find_verbal_events(narrative, annotation)
    if delete:
        return events, tuple(
            Removed(k, delete_event(narrative[k], annotation[k], event)) for k, event in events
        )
    texts = ((k, rewrite(narrative, k, annotation, [event], arguments=arguments)) for k, event in events)
    return events, tuple(Removed(k, text) for k, text in texts)
