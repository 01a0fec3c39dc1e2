"""An event removal function r: what stands in the place of S_k once its events are gone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from barthes.narrative import Narrative

__all__ = ["Removal", "Removed"]


@dataclass(frozen=True, slots=True)
class Removed:
    """r(S_k): sentence `index` becomes `text`; empty where it is deleted."""

    index: int
    text: str


Removal = Callable[[Narrative], Sequence[Removed]]
"""All that a removal function removes from a narrative, one at a time: usually one `Removed` a sentence.

It is asked for the whole narrative at once, so that whatever it needs to know (a parse, say) is found
out once.
"""
