"""Removal functions r: what replaces sentence S_k once its events are removed."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from barthes.narrative import Narrative


@dataclass(frozen=True, slots=True)
class Removed:
    """r(S_k): the text that replaces sentence `index`; empty if the sentence is deleted."""

    index: int
    text: str


Removal = Callable[[Narrative], Sequence[Removed]]
"""Returns all removals of a narrative, usually one per sentence."""


_FEWEST_WORDS = 4  # shorter sentences are repeated by chance: *He said no.*


def find_repeats(narrative: Narrative) -> tuple[tuple[int, ...], ...]:
    """Return the groups of sentences with the same words, at least four, in story order.

    Case, spaces and punctuation do not matter.

    >>> story = Narrative.from_sentences(["Open the door, dear!", "No.", "No.", "“Open the door, dear,”"])
    >>> find_repeats(story)
    ((0, 3),)
    """
    groups = defaultdict(list)
    for sentence in narrative:
        words = tuple(re.findall(r"\w+", sentence.text.casefold()))
        if len(words) >= _FEWEST_WORDS:
            groups[words].append(sentence.index)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)


def delete_sentences(narrative: Narrative) -> list[Removed]:
    """Delete each sentence in turn (SD).

    >>> delete_sentences(Narrative.from_sentences(["The wolf came.", "It rained."]))
    [Removed(index=0, text=''), Removed(index=1, text='')]
    """
    return [Removed(index, "") for index in range(len(narrative))]
