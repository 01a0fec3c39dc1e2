"""Baselines by sentence length, position and chance."""

from __future__ import annotations

import hashlib

import numpy as np

from barthes.baselines.words import count_words
from barthes.narrative import Narrative
from barthes.salience.method import Method, MethodOptions, Progress, silent
from barthes.salience.method_info import MethodInfo
from barthes.salience.profile import Profile


class Length(Method):
    """Score a sentence by its number of words, without punctuation.

    >>> story = Narrative.from_sentences(["The wolf came.", "It didn't rain that day."])
    >>> Length().score(story).scores
    (3.0, 5.0)
    """

    info: MethodInfo = MethodInfo(
        "length", label="sentence length", summary="the number of words in the sentence", unit="words"
    )

    def score(self, narrative: Narrative, *, progress: Progress = silent) -> Profile:
        """Count the words of each sentence."""
        progress(len(narrative), len(narrative))
        return self.to_profile(narrative, [float(count_words(str(sentence))) for sentence in narrative])


class Position(Method):
    """Score a sentence by the number of sentences before it, or, descending, after it.

    Args:
        descending: Whether the first sentence scores highest instead of the last.

    >>> story = Narrative.from_sentences(["The wolf came.", "It rained.", "The wolf left."])
    >>> Position().score(story).scores
    (0.0, 1.0, 2.0)
    >>> Position(descending=True).score(story).scores
    (2.0, 1.0, 0.0)
    """

    info: MethodInfo = MethodInfo(
        "position", label="position, later first", summary="later sentences score higher"
    )

    def __init__(self, *, descending: bool = False) -> None:
        self.descending = descending
        if descending:
            self.info = DescendingPosition.info

    def score(self, narrative: Narrative, *, progress: Progress = silent) -> Profile:
        """Count the sentences before (after) each one."""
        progress(len(narrative), len(narrative))
        order = range(len(narrative))
        return self.to_profile(narrative, map(float, reversed(order) if self.descending else order))


class DescendingPosition(Position):
    """``Position(descending=True)``: earlier sentences score higher."""

    info: MethodInfo = MethodInfo(
        "position-desc", label="position, earlier first", summary="earlier sentences score higher"
    )

    def __init__(self) -> None:
        super().__init__(descending=True)


class Random(Method):
    """Scores drawn uniformly from [0, 1); the same text and seed (any integer) give the same scores.

    >>> story = Narrative.from_sentences(["The wolf came.", "It rained."])
    >>> Random(seed=7).score(story) == Random(seed=7).score(story)
    True
    """

    info: MethodInfo = MethodInfo(
        "random", label="random numbers", summary="a number in [0, 1) drawn for each sentence"
    )

    def __init__(self, *, seed: int = 0) -> None:
        self.seed = seed

    @classmethod
    def build(cls, options: MethodOptions) -> Method:
        """Create the method with the seed."""
        return cls(seed=options.seed)

    def score(self, narrative: Narrative, *, progress: Progress = silent) -> Profile:
        """Draw a score for each sentence; no unit."""
        progress(len(narrative), len(narrative))
        return self.to_profile(narrative, self.draw(narrative, len(narrative)))

    def draw(self, narrative: Narrative, count: int) -> list[float]:
        """Return that many random numbers for the units of a narrative."""
        # Seeded by a hash of the text, so that the order of the stories does not matter.
        digest = hashlib.sha256(f"{self.seed}\n{narrative.text}".encode("utf-8", "surrogatepass")).digest()
        sequence = np.random.SeedSequence(int.from_bytes(digest, "big"))
        drawn: list[float] = np.random.Generator(np.random.PCG64(sequence)).random(count).tolist()
        return drawn
