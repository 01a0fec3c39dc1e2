"""What all corpora share: labelled narratives, one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from barthes.narrative import Narrative

__all__ = ["Corpus", "Labelled", "LabelledNarrative"]


class Labelled(Protocol):
    """A narrative with the answer that a method is measured against."""

    @property
    def name(self) -> str:
        """What it is called in tables; unique in its corpus."""
        ...

    @property
    def narrative(self) -> Narrative:
        """The story."""
        ...

    @property
    def labels(self) -> tuple[bool, ...]:
        """Whether each sentence holds a salient event; as long as the narrative."""
        ...


class Corpus(Protocol):
    """A collection of labelled narratives that can be gone through again and again."""

    @property
    def name(self) -> str:
        """What people call it."""
        ...

    def __iter__(self) -> Iterator[Labelled]: ...

    def __len__(self) -> int: ...


@dataclass(frozen=True, slots=True)
class LabelledNarrative:
    """The plainest labelled narrative: for corpora that have nothing else to say about a story.

    >>> story = Narrative.from_sentences(["It rained.", "The wolf came."])
    >>> LabelledNarrative("wolf", story, (False, True)).labels
    (False, True)
    """

    name: str
    narrative: Narrative
    labels: tuple[bool, ...]

    def __post_init__(self) -> None:
        if len(self.labels) != len(self.narrative):
            raise ValueError(f"{len(self.labels)} labels for {len(self.narrative)} sentences")
