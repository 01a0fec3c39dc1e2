"""What each method that asks a language model removes from a text, by sentences or by events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from barthes.narrative import Narrative
from barthes.removal.removal import Removed
from barthes.salience.profile import EventProfile

__all__ = ["REMOVAL_METHODS", "EventRemovals", "remove_events", "remove_sentences"]

REMOVAL_METHODS = ("sd", "va", "paa")
"""The methods whose work can be divided."""


def remove_sentences(method: str, narrative: Narrative) -> Sequence[Removed]:
    """What a method removes, one `Removed` a sentence."""
    from barthes.annotation.annotator import annotate
    from barthes.removal.anonymization import PredicateArgumentAnonymizer, VerbAnonymizer
    from barthes.removal.removal import delete_sentences

    removals: dict[str, Callable[[], Callable[[Narrative], Sequence[Removed]]]] = {
        "sd": lambda: delete_sentences,
        "va": lambda: VerbAnonymizer(annotate),
        "paa": lambda: PredicateArgumentAnonymizer(annotate),
    }
    return removals[method]()(narrative)


@dataclass(frozen=True)
class EventRemovals:
    """The events of a narrative, and what it is without each of them."""

    narrative: Narrative
    events: tuple[tuple[int, Any], ...]
    removals: tuple[Removed, ...]

    def to_profile(self, scores: Sequence[float], **about: Any) -> EventProfile:
        """The profile of the events with those scores; `about` is what else an `EventProfile` is made of."""
        return EventProfile(self.narrative, tuple(scores), unit="event", events=self.events, **about)


def remove_events(method: str, narrative: Narrative) -> EventRemovals:
    """What ``va`` or ``paa`` removes, one `Removed` a verbal event.

    Raises:
        NarrativeError: There is no such event in the story.
    """
    from barthes.annotation.annotator import annotate
    from barthes.removal.anonymization import remove_single_events

    events, removals = remove_single_events(narrative, annotate(narrative), arguments=method == "paa")
    return EventRemovals(narrative, events, removals)
