"""What a language model must be able to do for Barthes, and nothing about sentences.

A model *reads* a sequence of tokens once, and can then say how likely the rest of it would have been
had a span of it been different. That is all that salience asks for::

    tokens        ⟨s⟩ a b c d e f            one story, tokenised, after the start-of-text token
    edit               └┬┘                   Edit(start=2, stop=4): b and c are gone
    edited        ⟨s⟩ a ─── d e f
    rescored                ^ ^ ^            log P(d | ⟨s⟩ a), log P(e | ⟨s⟩ a d), log P(f | ⟨s⟩ a d e)

Invariant: each token is predicted once per text, the first one from the start-of-text token.
All log-probabilities are natural logarithms: nats, at most 0, higher is likelier.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

__all__ = ["Edit", "FloatArray", "Given", "LanguageModel", "PlainReading", "Reading"]

FloatArray = npt.NDArray[np.float64]

Given = tuple[Sequence[int], int]
"""A text of two tokens or more, and how many of the first are given: one at least."""


@dataclass(frozen=True, slots=True)
class Edit:
    """The tokens in the half-open range `start:stop` become `replacement` (nothing: they are deleted).

    `start` is at least 1, so that something is always left to predict from. What comes after is scored as
    far as `until`, or to the end without one: what is not asked for is not computed.
    """

    start: int
    stop: int
    replacement: tuple[int, ...] = ()
    until: int | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.start <= self.stop:
            raise ValueError(f"an edit needs 1 <= start <= stop, not {self.start}:{self.stop}")
        if self.until is not None and self.until <= self.stop:
            raise ValueError(f"nothing to score between {self.stop} and {self.until}")

    def follows(self, length: int) -> slice:
        """Which tokens are scored after it, of so many.

        >>> Edit(2, 4).follows(9), Edit(2, 4, until=6).follows(9), Edit(2, 4, until=12).follows(9)
        (slice(4, 9, None), slice(4, 6, None), slice(4, 9, None))
        """
        return slice(self.stop, length if self.until is None else min(self.until, length))


class Reading(Protocol):
    """A sequence of tokens that a model has read."""

    @property
    def log_probabilities(self) -> FloatArray:
        """log P(tokens[i + 1] | tokens[: i + 1]) for every i; shape (len(tokens) - 1,), nats."""
        ...

    def rescore(self, edits: Sequence[Edit]) -> Iterator[FloatArray]:
        """For each edit in turn, the log-probabilities of tokens[edit.stop : edit.until] after it; nats.

        Each array has the shape (len(tokens) - edit.stop,), less where there is an `until`.
        """
        ...


class LanguageModel(Protocol):
    """A causal language model: P(token | tokens before it)."""

    @property
    def name(self) -> str:
        """What people call it."""
        ...

    @property
    def fingerprint(self) -> str:
        """A hash of all that decides its answers: weights, tokenizer, precision."""
        ...

    @property
    def precision(self) -> str:
        """What its products are computed in, such as ``float32``; part of the fingerprint."""
        ...

    @property
    def context_length(self) -> int | None:
        """How many tokens it can read at once; None where there is no limit."""
        ...

    @property
    def readers(self) -> int:
        """How many readings at a time make best use of the machine; see `barthes.models.side_by_side`."""
        ...

    @property
    def start_token(self) -> int:
        """The token that a story starts after, so that its first word is predicted too."""
        ...

    @property
    def end_token(self) -> int:
        """The token that says that a text is over; it scores the last sentence."""
        ...

    def encode(self, pieces: Sequence[str]) -> list[list[int]]:
        """Tokenise the consecutive pieces of one text (its sentences), each on its own.

        The pieces are joined by one space. The tokens of a piece depend on nothing but the piece and
        whether it is the first: taking one away never changes how the others are tokenised.
        """
        ...

    def read(self, tokens: Sequence[int]) -> Reading:
        """Read a sequence of at least two tokens, the first of which is given, not predicted."""
        ...

    def read_together(self, texts: Sequence[Given]) -> list[Reading]:
        """Read several texts that do not see each other; short ones are sooner done than one by one.

        What is given need not be predicted: its log-probabilities may be NaN.
        """
        ...

    def embed(self, texts: Sequence[Sequence[int]]) -> FloatArray:
        """A vector for each text, so that texts about the same things have similar ones; one row a text.

        The first token of each is given, and not in its vector; a text of no other token has the vector 0.
        """
        ...


class Scorer(Protocol):
    """The least that a language model can offer: the likelihood of a continuation."""

    def continuation_log_probabilities(
        self, context: Sequence[int], continuation: Sequence[int]
    ) -> FloatArray:
        """log P(continuation[i] | context + continuation[:i]), nats; shape (len(continuation),)."""
        ...


class PlainReading:
    """A reading without any sharing: every edit is a computation of its own, from the start.

    It is what small models use, and what faster readings are checked against.
    """

    def __init__(self, scorer: Scorer, tokens: Sequence[int]) -> None:
        self._scorer = scorer
        self._tokens = list(tokens)
        self.log_probabilities = scorer.continuation_log_probabilities(self._tokens[:1], self._tokens[1:])

    def rescore(self, edits: Iterable[Edit]) -> Iterator[FloatArray]:
        """For each edit in turn, the log-probabilities of tokens[edit.stop : edit.until] after it; nats."""
        for edit in edits:
            context = self._tokens[: edit.start] + list(edit.replacement)
            follows = self._tokens[edit.follows(len(self._tokens))]
            yield self._scorer.continuation_log_probabilities(context, follows)
