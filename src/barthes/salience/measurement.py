"""What a method measured with a language model, from which a profile is made; it can be cached."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from barthes.models.language_model import FloatArray
from barthes.salience.trust import Trust

_FIGURES = ("surprise", "far", "far_error")  # of a RemovalLoss, in order


@dataclass(frozen=True, slots=True)
class RemovalLoss:
    """What the rest of a story loses when something is removed from one sentence.

    Attributes:
        index: The sentence from which something was removed.
        total: σ over everything that follows, nats per token.
        later: The loss of each later sentence that was read, nats per token.
        tokens: How many tokens of each of them were read.
        rest: How many later tokens were not read.
        surprise: The mean surprisal of the sentence itself, given all before it in its passage, nats per
            token; NaN if unknown.
        far: The estimated loss of the tokens that were not read, nats; included in `total`.
        far_error: The standard error of this estimate.
    """

    index: int
    total: float
    later: FloatArray
    tokens: FloatArray
    rest: int = 0
    surprise: float = math.nan
    far: float = 0.0
    far_error: float = 0.0


@dataclass(frozen=True)
class Measurement:
    """The scores of a story's units, and the losses they are computed from.

    Attributes:
        scores: One per unit.
        window: Tokens read at once; None if the model read the story as a whole.
        notes: Notes for readers of the scores.
        losses: For methods that look ahead, the loss of each removal; else empty.
        draws: For methods with bootstrap samples of their own, the scores in each, shape (draws, units).
        trust: For learned methods, the agreement with readers that they expect.
    """

    scores: tuple[float, ...]
    window: int | None = None
    notes: tuple[str, ...] = ()
    losses: tuple[RemovalLoss, ...] = ()
    draws: FloatArray = field(default_factory=lambda: np.empty((0, 0)), repr=False, compare=False)
    trust: Trust | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values, without loss of precision."""
        content: dict[str, Any] = {
            "scores": list(self.scores),
            "window": self.window,
            "notes": list(self.notes),
        }
        content |= {"losses": _pack_losses(self.losses)} if self.losses else {}
        content |= {"draws": _pack(self.draws)} if self.draws.size else {}
        return content | ({} if self.trust is None else {"trust": self.trust.to_dict()})

    @classmethod
    def from_dict(cls, content: Any) -> Measurement:
        """Build it from the result of `to_dict`.

        Raises:
            ValueError: The content is not a measurement.
        """
        try:
            scores = tuple(content["scores"])
            window, notes = content["window"], tuple(content["notes"])
            packed = content.get("losses")
            losses = () if packed is None else tuple(_unpack_losses(packed, scores))
            draws = _unpack(content.get("draws", "")).reshape(-1, max(1, len(scores)))
            trust = Trust.from_dict(content["trust"]) if "trust" in content else None
        except (KeyError, TypeError, AttributeError, IndexError) as error:
            raise ValueError(f"not a measurement: {error}") from error
        if not all(isinstance(score, float) and math.isfinite(score) for score in scores):
            raise ValueError("not a measurement: a score is not a finite number")
        if not (window is None or type(window) is int) or not all(isinstance(note, str) for note in notes):
            raise ValueError("not a measurement: the window or a note is of the wrong type")
        return cls(scores, window, notes, losses, draws, trust)


def _pack_losses(losses: Sequence[RemovalLoss]) -> dict[str, Any]:
    return {
        "index": [loss.index for loss in losses],
        "rest": [loss.rest for loss in losses],
        "sizes": [len(loss.later) for loss in losses],
        "later": _pack(np.concatenate([loss.later for loss in losses])),
        "tokens": _pack(np.concatenate([loss.tokens for loss in losses])),
        **{name: _pack(np.array([getattr(loss, name) for loss in losses])) for name in _FIGURES},
    }


def _unpack_losses(packed: Mapping[str, Any], scores: Sequence[float]) -> list[RemovalLoss]:
    edges = np.cumsum(packed["sizes"])[:-1]
    later, tokens = (np.split(_unpack(packed[name]), edges) for name in ("later", "tokens"))
    figures = [_unpack(packed[name]).tolist() for name in _FIGURES]
    columns = zip(packed["index"], scores, later, tokens, packed["rest"], *figures, strict=True)
    return [RemovalLoss(*values) for values in columns]


def _pack(values: npt.NDArray[np.float64]) -> str:
    return base64.b64encode(values.astype("<f8").tobytes()).decode("ascii")


def _unpack(text: str) -> npt.NDArray[np.float64]:
    return np.frombuffer(base64.b64decode(text, validate=True), dtype="<f8").astype(np.float64)
