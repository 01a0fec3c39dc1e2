"""What all corpora share: labelled narratives, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from barthes.narrative import Narrative

if TYPE_CHECKING:
    from barthes.annotation.annotator import Annotator
    from barthes.corpora.problems import Problem

__all__ = ["Corpus", "Labelled", "LabelledNarrative", "Tokenizer"]

Tokenizer = Callable[[Narrative], Sequence[Sequence[str]]]
"""Gives the words of each sentence of a corpus's own narratives, as its makers cut them."""


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

    @property
    def grades(self) -> tuple[float, ...]:
        """How salient each sentence is, 0 to 1; just those two where the corpus knows no degrees."""
        ...


class Corpus(Protocol):
    """A collection of labelled narratives that can be gone through again and again."""

    @property
    def name(self) -> str:
        """What people call it."""
        ...

    @property
    def labelling(self) -> str:
        """Where its labels come from, in a word or two: ``paper``, ``most votes`` …"""
        ...

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What was malformed and left out."""
        ...

    @property
    def annotate(self) -> Annotator | None:
        """Gives the corpus's own annotation of its own narratives; None where it has none."""
        ...

    @property
    def tokenize(self) -> Tokenizer | None:
        """Gives the corpus's own words of its own narratives; None where it has none."""
        ...

    def __iter__(self) -> Iterator[Labelled]: ...

    def __len__(self) -> int: ...


@dataclass(frozen=True, slots=True)
class LabelledNarrative:
    """The plainest labelled narrative: for corpora that have nothing else to say about a story.

    Attributes:
        grades: 0 to 1; by default 1.0 where the label is true and 0.0 where it is not.

    >>> story = Narrative.from_sentences(["It rained.", "The wolf came."])
    >>> LabelledNarrative("wolf", story, (False, True)).grades
    (0.0, 1.0)
    """

    name: str
    narrative: Narrative
    labels: tuple[bool, ...]
    grades: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not self.grades:
            object.__setattr__(self, "grades", tuple(map(float, self.labels)))
        for what, values in (("labels", self.labels), ("grades", self.grades)):
            if len(values) != len(self.narrative):
                raise ValueError(f"{len(values)} {what} for {len(self.narrative)} sentences")
        if not all(0 <= grade <= 1 for grade in self.grades):
            raise ValueError(f"grades are from 0 to 1, not {self.grades}")
