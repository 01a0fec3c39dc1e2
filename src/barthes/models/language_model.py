"""The interface of language models: reading tokens, and scoring the rest of a text after an edit.

A model *reads* a sequence of tokens once, and can then say how likely the rest of it would have been
had a span of it been different. That is all that salience needs::

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

from barthes.errors import ModelError

FloatArray = npt.NDArray[np.float64]

Given = tuple[Sequence[int], int]
"""A text of two tokens or more, and how many of the first are given: one at least."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the tokens in the half-open range `start:stop` by `replacement` (by default delete them).

    `start` is at least 1, so that something is always left to predict from. The tokens after the edit are
    scored up to `until`, by default to the end; no others are computed.
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
        """Return the tokens that are scored after the edit, in a text of `length` tokens.

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
        """Yield for each edit the log-probabilities of tokens[edit.stop : edit.until] after it; nats.

        Each array has the shape (len(tokens) - edit.stop,), less where there is an `until`.
        """
        ...


class LanguageModel(Protocol):
    """A causal language model: P(token | tokens before it)."""

    @property
    def name(self) -> str:
        """The name of the model in results."""
        ...

    @property
    def fingerprint(self) -> str:
        """A hash of everything that changes its answers: weights, tokenizer, precision."""
        ...

    @property
    def precision(self) -> str:
        """The precision of its matrix products, such as ``float32``; part of the fingerprint."""
        ...

    @property
    def context_length(self) -> int | None:
        """The number of tokens it can read at once; None if there is no limit."""
        ...

    @property
    def readers(self) -> int:
        """The number of concurrent readings that suits the machine; see `barthes.models.side_by_side`."""
        ...

    @property
    def start_token(self) -> int:
        """The token that a story starts after, so that its first word is predicted too."""
        ...

    @property
    def end_token(self) -> int:
        """The token that ends a text; it scores the last sentence."""
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
        """Read several independent texts; for short ones this is faster than one by one.

        The log-probabilities of given tokens may be NaN.
        """
        ...

    def embed(self, texts: Sequence[Sequence[int]]) -> FloatArray:
        """Return one row per text: a vector that is similar for texts about the same things.

        The first token of each text is given and not part of its vector; a text without others has the
        vector 0.
        """
        ...


def find_notes(model: object) -> tuple[str, ...]:
    """Return what readers of a model's scores should know, such as that it has to be read the slow way.

    A model may say so in an attribute `notes: tuple[str, ...]`, which is not part of the protocol.
    """
    return tuple(getattr(model, "notes", ()))


def check_finite(values: npt.ArrayLike, model: LanguageModel) -> None:
    """Raise a ModelError if any log-probability, or sum of them, is NaN or infinite."""
    if not np.isfinite(values).all():
        raise ModelError(
            "gives probabilities that are not numbers.",
            where=model.name,
            remedy="Its numbers may be too large for this precision: try float32.",
        )


class Scorer(Protocol):
    """The minimum that a language model offers: the likelihood of a continuation."""

    def continuation_log_probabilities(
        self, context: Sequence[int], continuation: Sequence[int]
    ) -> FloatArray:
        """log P(continuation[i] | context + continuation[:i]), nats; shape (len(continuation),)."""
        ...


class PlainReading:
    """A reading that shares nothing: every edit is computed from the start.

    Small models use it, and faster readings are checked against it.
    """

    def __init__(self, scorer: Scorer, tokens: Sequence[int]) -> None:
        self._scorer = scorer
        self._tokens = list(tokens)
        self.log_probabilities = scorer.continuation_log_probabilities(self._tokens[:1], self._tokens[1:])

    def rescore(self, edits: Iterable[Edit]) -> Iterator[FloatArray]:
        """Yield for each edit the log-probabilities of tokens[edit.stop : edit.until] after it; nats."""
        for edit in edits:
            context = self._tokens[: edit.start] + list(edit.replacement)
            follows = self._tokens[edit.follows(len(self._tokens))]
            yield self._scorer.continuation_log_probabilities(context, follows)
