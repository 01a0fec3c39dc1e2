"""The salience of single events: what the story loses when one of a sentence's events is removed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from barthes.annotation.events import Annotation, Argument, Event, SentenceAnnotation
from barthes.narrative import Narrative, Sentence
from barthes.salience.ranking import rank_scores
from barthes.salience.saving import load_json, save_json
from barthes.salience.showing import Shown

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["EventProfile", "ScoredEvent"]


@dataclass(frozen=True, slots=True)
class ScoredEvent:
    """An event of a sentence with its salience (nats per token, higher is more salient) and rank."""

    index: int
    sentence: Sentence
    event: Event
    trigger: str
    salience: float
    rank: int

    @property
    def place(self) -> int:
        """Where it comes in the story, among the events."""
        return self.index

    def to_dict(self) -> dict[str, Any]:
        """The row that tables and JSON show; `start` and `end` are those of the predicate."""
        return {
            "index": self.index,
            "sentence": self.sentence.index,
            "start": self.event.predicate.start,
            "end": self.event.predicate.end,
            "trigger": self.trigger,
            "frame": self.event.frame,
            "arguments": [self._argument(argument) for argument in self.event.arguments],
            "salience": self.salience,
            "rank": self.rank,
            "text": self.sentence.text,
        }

    def to_row(self) -> dict[str, Any]:
        """The same on one line, with a column for ARG0 and one for ARG1."""
        row = self.to_dict() | {"text": str(self.sentence)}
        for role in ("ARG0", "ARG1"):
            row[role.lower()] = "; ".join(map(self._text, self.event.with_role(role)))
        del row["arguments"]
        return row

    def _argument(self, argument: Argument) -> dict[str, Any]:
        spans = [list(span) for span in argument.spans]
        return {"role": argument.role, "spans": spans, "text": self._text(argument)}

    def _text(self, argument: Argument) -> str:
        offset = self.sentence.start
        pieces = [self.sentence.text[start - offset : end - offset] for start, end in argument.spans]
        return " ".join(" … ".join(pieces).split())


@dataclass(frozen=True)
class EventProfile(Shown):
    """What a method makes of the events of a narrative.

    Attributes:
        narrative: The story that was scored.
        events: Its events in story order, each with the index of its sentence.
        scores: σ of each event: how much the rest of the story loses without it, nats per token.
        method: ``va`` or ``paa``: whether the predicate alone is removed, or its arguments too.
        model: The name of the language model.
        precision: What the model computed in, such as ``float32``.
        window: How many tokens the model saw at once, where the story did not fit whole; else None.
        notes: What the reader should know.
    """

    narrative: Narrative
    events: tuple[tuple[int, Event], ...]
    scores: tuple[float, ...]
    method: str
    model: str | None = None
    precision: str | None = None
    window: int | None = None
    notes: tuple[str, ...] = ()
    unit: str = "event"

    def __post_init__(self) -> None:
        if len(self.scores) != len(self.events):
            raise ValueError(f"{len(self.scores)} scores for {len(self.events)} events")

    @property
    def scored(self) -> tuple[ScoredEvent, ...]:
        """The events in story order, with salience and rank."""
        ranks = rank_scores(self.scores)
        return tuple(
            ScoredEvent(i, self.narrative[k], event, self._trigger(event), self.scores[i], ranks[i])
            for i, (k, event) in enumerate(self.events)
        )

    def top(self, n: int | None = None) -> tuple[ScoredEvent, ...]:
        """The n most salient events, the most salient first (all of them without n)."""
        return tuple(sorted(self.scored, key=lambda scored: scored.rank)[:n])

    def by_sentence(self) -> Iterator[tuple[Sentence, tuple[ScoredEvent, ...]]]:
        """The events of each sentence that has any, side by side."""
        for sentence, group in groupby(self.scored, key=lambda scored: scored.sentence):
            yield sentence, tuple(group)

    def to_frame(self) -> pd.DataFrame:
        """A pandas table, one row an event in story order."""
        import pandas as pd

        return pd.DataFrame([scored.to_row() for scored in self.scored])

    def to_dict(self, *, influence: bool = False) -> dict[str, Any]:
        """The profile as plain lists and dicts; `influence` is known of sentences only."""
        return {
            "story": self.narrative.title,
            "method": self.method,
            "model": self.model,
            "precision": self.precision,
            "unit": self.unit,
            "window": self.window,
            "notes": list(self.notes),
            "events": [scored.to_dict() for scored in self.scored],
        }

    def save(self, path: str | Path) -> None:
        """Write everything, the text included, to a JSON file that `EventProfile.load` reads back equal."""
        sentences = [[event for k, event in self.events if k == i] for i in range(len(self.narrative))]
        annotation = Annotation(tuple(SentenceAnnotation((), tuple(events)) for events in sentences))
        save_json(self.to_dict() | {"annotation": annotation.to_dict()}, self.narrative, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> EventProfile:
        """Read what `save` wrote."""
        return load_json(Path(path), cls._from_saved)

    @classmethod
    def _from_saved(cls, content: dict[str, Any], narrative: Narrative) -> EventProfile:
        annotation = Annotation.from_dict(content["annotation"])
        return cls(
            narrative,
            tuple((k, event) for k, known in enumerate(annotation) for event in known.events),
            tuple(float(row["salience"]) for row in content["events"]),
            method=content["method"],
            model=content["model"],
            precision=content["precision"],
            window=content["window"],
            notes=tuple(content["notes"]),
        )

    def _trigger(self, event: Event) -> str:
        return " ".join(token.text for token in event.trigger)
