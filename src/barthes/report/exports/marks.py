"""What an export marks in the text: scored sentences, or the predicates of scored events."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from barthes.methods import LOOKING_AHEAD
from barthes.report.tables import AnyProfile
from barthes.salience.profile import ScoredUnit

__all__ = ["Mark", "describe_scale", "find_marks", "marks_within"]


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of the narrative's text with its salience.

    Attributes:
        number: Its place among the sentences or events of the story, from 1.
        start: Offset of its first character.
        end: Offset one past its last.
        salience: Higher is more salient; nats per token for methods that look ahead.
        rank: 1 for the most salient.
    """

    number: int
    start: int
    end: int
    salience: float
    rank: int

    @property
    def figure(self) -> str:
        """The salience in the fewest digits that give the same number back.

        >>> Mark(1, 0, 5, 0.1, 1).figure
        '0.1'
        """
        return repr(float(self.salience))


def find_marks(profile: AnyProfile, *, top: int | None = None) -> tuple[Mark, ...]:
    """The sentences or events of a profile as they stand in the text; with `top`, only the most salient."""
    chosen = profile.top(top)
    marks = [Mark(scored.place + 1, *_span(scored), scored.salience, scored.rank) for scored in chosen]
    return tuple(sorted(marks, key=lambda mark: (mark.start, mark.end, mark.number)))


def marks_within(marks: Sequence[Mark], start: int, end: int) -> Sequence[Mark]:
    """Those of some marks, in text order, that begin in a stretch of text."""
    first = bisect_left(marks, start, key=lambda mark: mark.start)
    return marks[first : bisect_left(marks, end, key=lambda mark: mark.start)]


def _span(scored: ScoredUnit) -> tuple[int, int]:
    return scored.start, scored.end


def describe_scale(profile: AnyProfile) -> str:
    """What a salience of this profile counts, for people who meet it in another tool."""
    model = f" by the language model {profile.model}" if profile.model else ""
    if profile.method in LOOKING_AHEAD:
        return (
            f"How much less likely the rest of the story becomes without the {profile.unit}, in nats per "
            f"token (method {profile.method}{model}); higher is more salient."
        )
    return f"The score of the method {profile.method}{model}; higher is more salient."
