"""What the rest of a story loses when something is removed from one sentence."""

from __future__ import annotations

import math
from dataclasses import dataclass

from barthes.models.language_model import FloatArray
from barthes.salience.passage import Passage, Target
from barthes.salience.recurrence import NO_LOSS, FarLoss


@dataclass(frozen=True, slots=True)
class RemovalLoss:
    """The loss of coherence when something is removed from one sentence.

    Attributes:
        index: The sentence from which something was removed.
        total: σ over everything that follows, nats per token.
        later: The loss of each later sentence that was read, nats per token.
        tokens: How many tokens of each of them were read.
        rest: How many later tokens were not read.
        surprise: The mean surprisal of the sentence itself, given all before it in its passage, nats per
            token; NaN if unknown.
        far: The estimated loss of the tokens that were not read, included in `total`.
        exact: Whether all later tokens of its window were read, and no window before it.
    """

    index: int
    total: float
    later: FloatArray
    tokens: FloatArray
    rest: int = 0
    surprise: float = math.nan
    far: FarLoss = NO_LOSS
    exact: bool = True

    @classmethod
    def of(
        cls, target: Target, passage: Passage, lost: FloatArray, known: FloatArray, far: FarLoss = NO_LOSS
    ) -> RemovalLoss:
        """Return the loss of one removal.

        Args:
            target: The removal in its passage.
            passage: The passage that was read.
            lost: What each later token that was read lost, nats; also the end-of-text token in the ending.
            known: The log-probabilities of all tokens of the passage but the first.
            far: The estimated loss of later tokens that were not read.
        """
        follows = target.follows
        read = float(lost[:follows].sum() / follows if follows else lost.mean())
        own = -known[target.start - 1 : target.stop - 1]
        later, tokens = passage.split_by_sentence(target, lost)
        return cls(
            target.sentence,
            read + far.total / max(1, follows),
            later,
            tokens,
            target.rest,
            float(own.mean()) if own.size else math.nan,
            far,
            exact=not (target.rest or passage.joined),
        )
