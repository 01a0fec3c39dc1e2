"""How far a run is: texts, failures, tokens a second and the time that is left."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Course", "Watch", "unwatched"]


@dataclass(frozen=True, slots=True)
class Course:
    """How far a run is.

    Attributes:
        total: Texts of this run, or of this shard of it.
        done: Texts that have a result.
        failed: Texts that have none, for a reason.
        tokens_per_second: That went through models, since this start; None before any did.
        seconds_left: None before it can be guessed, which takes a finished text.
    """

    total: int
    done: int
    failed: int
    tokens_per_second: float | None = None
    seconds_left: float | None = None


Watch = Callable[[Course], None]
"""Hears how far a run is, now and then."""


def unwatched(course: Course) -> None:
    """Nobody wants to know."""


class Stopwatch:
    """Guesses the time that is left by the bytes that are left."""

    def __init__(self, *, left: int) -> None:
        self._left = left
        self._spent = 0
        self._began = time.monotonic()

    def spend(self, size: int) -> None:
        """So many bytes are done."""
        self._spent += size
        self._left -= size

    @property
    def seconds(self) -> float:
        """Since it began."""
        return time.monotonic() - self._began

    @property
    def seconds_left(self) -> float | None:
        """A guess."""
        return self.seconds * self._left / self._spent if self._spent else None
