"""The description of a method, which callers use instead of parsing its name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from barthes.narrative import SPAN_UNITS

MethodKind = Literal["single", "sum", "ranks", "placed"]
"""A single method, or how a combination adds up its parts: scores scaled to [0, 1], ranks, or the mean of
scaled scores plus a prior for late sentences."""


@dataclass(frozen=True)
class MethodInfo:
    """The description of a method.

    Attributes:
        name: Its name on the command line, such as ``sd`` or ``ranks:words+position``.
        label: Its name in words, for tables and pages; by default `name`.
        summary: One line for lists of methods.
        unit: The unit of its scores; empty if they have none.
        meaning: For reports, what a score says ("how much less likely …"); may be empty.
        needs_model: Whether it uses a language model.
        looks_ahead: Whether it measures what the rest of the story loses. The score of the last sentence then
            rests on the end-of-text token alone.
        is_estimate: Whether it reads only the next tokens after a sentence instead of the whole rest.
        reads: What the model reads to score a sentence: the ``story``, or only what comes ``before``.
        centred: Whether 0 is the score of an average sentence of the story.
        weighs_words: Whether scores depend on document frequencies, and so on the other stories scored.
        uses_annotation: Whether it needs verbs and their arguments.
        removes_arguments: Whether it removes the arguments of verbs too.
        only_model: The name of the only language model that it works with; empty for any.
        units: The units it can score: those of `barthes.narrative.SPAN_UNITS`, ``event``.
        kind: Whether it is a single method or a kind of combination.
        parts: The descriptions of a combination's methods.
    """

    name: str
    label: str = ""
    summary: str = ""
    unit: str = ""
    meaning: str = ""
    needs_model: bool = False
    looks_ahead: bool = False
    is_estimate: bool = False
    reads: Literal["story", "before"] = "story"
    centred: bool = False
    weighs_words: bool = False
    uses_annotation: bool = False
    removes_arguments: bool = False
    only_model: str = ""
    units: tuple[str, ...] = SPAN_UNITS
    kind: MethodKind = "single"
    parts: tuple[MethodInfo, ...] = ()

    def __post_init__(self) -> None:
        if not self.label:
            object.__setattr__(self, "label", self.name)

    @property
    def cost(self) -> str:
        """What the language model reads for a story of n sentences, in a few words."""
        if not self.needs_model:
            return "no model"
        if self.is_estimate:
            return "the story, and 36 tokens per sentence"
        return "the story n/2 times" if self.looks_ahead else "the story once or twice"

    @classmethod
    def combine(cls, kind: MethodKind, parts: Sequence[MethodInfo]) -> MethodInfo:
        """Return the description of a combination.

        >>> one, two = MethodInfo("sd", "sentence deletion", needs_model=True), MethodInfo("tfidf", "TF-IDF")
        >>> both = MethodInfo.combine("ranks", [one, two])
        >>> both.name, both.label, both.needs_model
        ('ranks:sd+tfidf', 'ranks by sentence deletion + TF-IDF', True)
        """
        reads = {part.reads for part in parts if part.needs_model}
        return cls(
            {"ranks": "ranks:", "placed": "placed:"}.get(kind, "") + "+".join(part.name for part in parts),
            {"ranks": "ranks by ", "placed": "place and "}.get(kind, "")
            + " + ".join(part.label for part in parts),
            needs_model=any(part.needs_model for part in parts),
            looks_ahead=any(part.looks_ahead for part in parts),
            is_estimate=any(part.is_estimate for part in parts),
            reads="before" if reads == {"before"} else "story",
            weighs_words=any(part.weighs_words for part in parts),
            uses_annotation=any(part.uses_annotation for part in parts),
            removes_arguments=any(part.removes_arguments for part in parts),
            units=tuple(unit for unit in SPAN_UNITS if all(unit in part.units for part in parts)),
            only_model=next((part.only_model for part in parts if part.only_model), ""),
            kind=kind,
            parts=tuple(parts),
        )
