"""The random baseline: what chance alone would find."""

from __future__ import annotations

import hashlib

import numpy as np

from barthes.narrative import Narrative
from barthes.salience.method import Method, Progress, silent
from barthes.salience.profile import Profile

__all__ = ["Random"]


class Random(Method):
    """Scores drawn uniformly from [0, 1).

    The same text and seed always give the same scores, whatever else is scored before or beside it.

    Args:
        seed: Any integer.

    >>> story = Narrative.from_sentences(["The wolf came.", "It rained."])
    >>> Random(seed=7).score(story) == Random(seed=7).score(story)
    True
    """

    name = "random"

    def __init__(self, *, seed: int = 0) -> None:
        self.seed = seed

    def score(self, narrative: Narrative, *, progress: Progress = silent) -> Profile:
        """One draw a sentence; no unit."""
        scores = self._generator(narrative.text).random(len(narrative))
        progress(len(narrative), len(narrative))
        return Profile(narrative, tuple(scores.tolist()), method=self.name, notes=narrative.notes)

    def _generator(self, text: str) -> np.random.Generator:
        # A hash of the text, not a running generator: the order of the stories must not matter.
        digest = hashlib.sha256(f"{self.seed}\n{text}".encode("utf-8", "surrogatepass")).digest()
        sequence = np.random.SeedSequence(int.from_bytes(digest, "big"))
        return np.random.Generator(np.random.PCG64(sequence))
