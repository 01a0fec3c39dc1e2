"""The length baseline: who says more, matters more."""

from __future__ import annotations

from barthes.baselines.words import count_words
from barthes.narrative import Narrative
from barthes.salience.method import Method, Progress, silent
from barthes.salience.profile import Profile

__all__ = ["Length"]


class Length(Method):
    """A sentence scores the number of its words; punctuation does not count.

    >>> story = Narrative.from_sentences(["The wolf came.", "It didn't rain that day."])
    >>> Length().score(story).scores
    (3.0, 5.0)
    """

    name = "length"

    def score(self, narrative: Narrative, *, progress: Progress = silent) -> Profile:
        """The words of each sentence."""
        scores = tuple(float(count_words(sentence.text)) for sentence in narrative)
        progress(len(narrative), len(narrative))
        return Profile(narrative, scores, method=self.name, notes=narrative.notes)
