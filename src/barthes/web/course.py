"""How far a job has come: what the page shows while it is under way. Written by one thread, read by many."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import Any

from barthes.narrative import Narrative

__all__ = ["Course", "News", "Scored", "describe"]

Scored = tuple[int, float | None, list[float | None]]
"""The index of a sentence, its score, and what each later one lost (None where nothing is known)."""


@dataclass(frozen=True, slots=True)
class News:
    """What has happened since someone last asked.

    Attributes:
        position: To be given at the next question.
        phase: ``starting``, ``reading``, ``fetching``, ``loading`` or ``scoring``.
        done: Work done in this phase, in a unit of its own.
        total: Work in all; 0 where it is not known.
        seconds: Since the phase began.
        scored: Sentences that have got their scores since.
        scale: Where shading begins and where it is full, by all scores so far.
    """

    position: int
    phase: str
    done: int
    total: int
    seconds: float
    scored: list[Scored] = field(default_factory=list)
    scale: dict[str, float] | None = None


class Course:
    """The course of one run of a job."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._phase = "starting"
        self._done = self._total = 0
        self._began = time.monotonic()
        self._scored: list[Scored] = []
        self._changes = 0
        self.narrative: Narrative | None = None
        """The story, once it has been read."""

    @property
    def changes(self) -> int:
        """Goes up with everything that happens."""
        return self._changes

    def enter(self, phase: str) -> None:
        """A phase begins."""
        with self._lock:
            self._phase, self._done, self._total = phase, 0, 0
            self._began = time.monotonic()
            self._changes += 1

    def advance(self, done: int, total: int) -> None:
        """So much of the phase's work is done."""
        with self._lock:
            self._done, self._total = done, total
            self._changes += 1

    def add(self, scored: Scored) -> None:
        """A sentence has got its score."""
        with self._lock:
            self._scored.append(scored)
            self._changes += 1

    def tell(self, position: int = 0) -> News:
        """What has happened since `position`; everything since the beginning for 0."""
        with self._lock:
            scored = self._scored[position:]
            known = {index: score for index, score, _ in self._scored}
            seconds = time.monotonic() - self._began
            news = (len(self._scored), self._phase, self._done, self._total, seconds, scored)
        return News(*news, scale=self._scale(known) if scored else None)

    def _scale(self, known: dict[int, float | None]) -> dict[str, float]:
        from barthes.report.scale import scale_of

        count = len(self.narrative) if self.narrative is not None else len(known)
        scale = scale_of([known.get(k) for k in range(count)], from_zero=True, without_last=True)
        return {"low": scale.low, "high": scale.high}


def describe(news: News) -> dict[str, Any]:
    """News as JSON shows them."""
    return {
        "position": news.position,
        "phase": news.phase,
        "done": news.done,
        "total": news.total,
        "seconds": round(news.seconds, 3),
        "scored": [{"index": k, "salience": score, "losses": losses} for k, score, losses in news.scored],
        "scale": news.scale,
    }
