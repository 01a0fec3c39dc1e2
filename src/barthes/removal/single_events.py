"""The removal of single events: one event of a sentence goes, the others stay."""

from __future__ import annotations

from barthes.annotation.events import Annotation, Event
from barthes.errors import NarrativeError
from barthes.narrative import Narrative
from barthes.removal.removal import Removed
from barthes.removal.rewriting import rewrite

__all__ = ["remove_single_events"]


def remove_single_events(
    narrative: Narrative, annotation: Annotation, *, arguments: bool
) -> tuple[tuple[tuple[int, Event], ...], tuple[Removed, ...]]:
    """Every event whose predicate is a verb, with the index of its sentence, and what is left without it.

    Args:
        narrative: The story.
        annotation: Its annotation.
        arguments: Whether ARG0 and ARG1 of the event go too.

    Raises:
        NarrativeError: There is no such event in the story.
    """
    annotation.check(narrative)
    events = tuple((k, event) for k, known in enumerate(annotation) for event in known.events if event.verbal)
    if not events:
        raise NarrativeError(
            "there is no event in it: no verb was found.",
            where=narrative.title or None,
            remedy="Look at it with `barthes show`, or score sentences.",
        )
    removals = tuple(
        Removed(k, rewrite(narrative, k, annotation, [event], arguments=arguments)) for k, event in events
    )
    return events, removals
