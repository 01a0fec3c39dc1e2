"""The position baseline: what comes late (or early) in the story."""

from __future__ import annotations

from barthes.narrative import Narrative
from barthes.salience.method import Method, Progress, silent
from barthes.salience.profile import Profile

__all__ = ["Position"]


class Position(Method):
    """A sentence scores how many sentences stand before it, or, descending, after it.

    Args:
        descending: The first sentence scores highest, not the last.

    >>> story = Narrative.from_sentences(["The wolf came.", "It rained.", "The wolf left."])
    >>> Position().score(story).scores
    (0.0, 1.0, 2.0)
    >>> Position(descending=True).score(story).scores
    (2.0, 1.0, 0.0)
    """

    def __init__(self, *, descending: bool = False) -> None:
        self.descending = descending

    @property
    def name(self) -> str:
        """``position`` or ``position-desc``."""
        return "position-desc" if self.descending else "position"

    def score(self, narrative: Narrative, *, progress: Progress = silent) -> Profile:
        """The number of sentences before (after) each one."""
        order = range(len(narrative))
        scores = tuple(float(k) for k in (reversed(order) if self.descending else order))
        progress(len(narrative), len(narrative))
        return Profile(narrative, scores, method=self.name, notes=narrative.notes)
