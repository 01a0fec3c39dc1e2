"""How far a learned method may be trusted on a story: its own estimate of its agreement with readers."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Trust:
    """The agreement with readers that a learned method expects of its scores for a story.

    The estimate is calibrated on kinds of stories that were left out of training.

    Attributes:
        agreement: The expected Spearman correlation with people's judgements; 0 is chance.
        kind: The kind of stories in the training data that the story is like; None if it is unlike all.
        reliable: Whether the method is expected to agree better than `fast`, which needs no model.

    >>> Trust(0.41, "fairy tales", True).describe()
    'Like the fairy tales it learned from: agreement about 0.4.'
    """

    agreement: float
    kind: str | None
    reliable: bool

    def describe(self) -> str:
        """Return the estimate as a sentence."""
        origin = (
            "Unlike anything it learned from"
            if self.kind is None
            else f"Like the {self.kind} it learned from"
        )
        return (
            f"{origin}: agreement about {self.agreement:.1f}."
            if self.reliable
            else f"{origin}; `fast` does as well."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the estimate as JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, content: Any) -> Trust:
        """Build an estimate from the result of `to_dict`.

        Raises:
            ValueError: The content is not an estimate.
        """
        match content:
            case {
                "agreement": int() | float() as agreement,
                "kind": str() | None as kind,
                "reliable": bool() as reliable,
            }:
                if math.isfinite(agreement):
                    return cls(float(agreement), kind, reliable)
        raise ValueError(f"not an estimate of trust: {content!r:.80}")
