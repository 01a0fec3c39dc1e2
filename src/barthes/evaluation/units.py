"""The unit of an evaluation: sentences, or single events in corpora that label them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from barthes.errors import BarthesError, UnknownNameError
from barthes.evaluation.corpus import Corpus, Labelled, LabelledEvents

UNITS = ("sentence", "event")
"""What labels and scores can stand for."""


@runtime_checkable
class _LabelsEvents(Protocol):
    @property
    def events(self) -> Corpus:
        """The same stories with labels for events."""


def get_unit(corpus: Corpus) -> str:
    """Return the unit of a corpus's labels."""
    unit: str = getattr(corpus, "unit", "sentence")
    return unit


def choose_unit(corpus: Corpus, unit: str) -> Corpus:
    """Return the corpus with labels for a unit; finding the events of a corpus for the first time is slow.

    Raises:
        UnknownNameError: There is no such unit.
        BarthesError: The corpus has no labels for it.
    """
    if unit not in UNITS:
        raise UnknownNameError("unit", unit, UNITS)
    if get_unit(corpus) == unit:
        return corpus
    if unit == "event" and isinstance(corpus, _LabelsEvents):
        return corpus.events
    raise BarthesError(
        f"the corpus has no labels for {unit}s.",
        where=corpus.name,
        remedy=f"Evaluate {get_unit(corpus)}s.",
    )


def to_units(scores: Sequence[float], unit: str, story: Labelled) -> Sequence[float]:
    """Return one score for each label of a story, from scores of its sentences or of its events.

    An event has the score of its sentence where only sentences are scored.

    Raises:
        BarthesError: Events are scored but sentences labelled, or other events than those that are labelled.
    """
    if isinstance(story, LabelledEvents) and unit == "sentence":
        return [scores[k] for k, _ in story.events]
    if unit == "event" and not isinstance(story, LabelledEvents):
        raise BarthesError(
            "a method scored events, but the labels are for sentences.",
            where=story.name,
            remedy="Evaluate the unit 'event', or choose a method that scores sentences.",
        )
    if len(scores) != len(story.labels):
        raise BarthesError(
            f"{len(scores)} {unit}s were scored, but {len(story.labels)} are labelled.",
            where=story.name,
            remedy="Score with the annotation that the labels are made with.",
        )
    return scores
