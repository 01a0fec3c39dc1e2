"""Removal functions r: what replaces sentence S_k once its events are removed."""

from __future__ import annotations

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


def delete_sentences(narrative: Narrative) -> list[Removed]:
    """Delete each sentence in turn (SD).

    >>> delete_sentences(Narrative.from_sentences(["The wolf came.", "It rained."]))
    [Removed(index=0, text=''), Removed(index=1, text='')]
    """
    return [Removed(index, "") for index in range(len(narrative))]
