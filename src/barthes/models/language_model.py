"""The interface of language models: read tokens, and score the rest of a text after an edit.

A model *reads* a sequence of tokens once. It can then compute how likely the rest of the sequence is after
a span of it has been replaced or removed, which is all that salience needs::

    tokens        ⟨s⟩ a b c d e f            one story, tokenised, after the start-of-text token
    edit               └┬┘                   Edit(start=2, stop=4) removes b and c
    edited        ⟨s⟩ a ─── d e f
    rescored                ^ ^ ^            log P(d | ⟨s⟩ a), log P(e | ⟨s⟩ a d), log P(f | ⟨s⟩ a d e)

Invariant: each token is predicted once per text, the first one from the start-of-text token.
Log-probabilities are natural logarithms (nats): at most 0, higher is likelier.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from barthes.errors import ModelError

FloatArray = npt.NDArray[np.float64]

PromptedText = tuple[Sequence[int], int]
"""At least two tokens, and how many of the first ones (at least one) are given and not scored."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the tokens in the half-open range `start:stop` by `replacement` (by default delete them).

    `start` is at least 1, so that there is always a token to predict from. The tokens after the edit are
    scored up to `until`, by default to the end.
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

    def count_read(self, length: int) -> int:
        """Return how many tokens are read after the edit: the replacement, and all scored ones but the last.

        >>> Edit(2, 4, (7,)).count_read(9), Edit(2, 4, until=6).count_read(9), Edit(2, 9).count_read(9)
        (5, 1, 0)
        """
        scored = range(length)[self.follows(length)]
        return len(self.replacement) + max(0, len(scored) - 1)


class Reading(Protocol):
    """A sequence of tokens that a model has read."""

    @property
    def log_probabilities(self) -> FloatArray:
        """log P(tokens[i + 1] | tokens[: i + 1]) for every i; shape (len(tokens) - 1,), nats."""
        ...

    def rescore(self, edits: Sequence[Edit]) -> Iterator[FloatArray]:
        """Yield for each edit the log-probabilities of tokens[edit.stop : edit.until] after it; nats."""
        ...

    def reread(self, tokens: Sequence[int]) -> Reading:
        """Return the reading of other tokens, for example after several edits at once.

        It is that of `LanguageModel.read`; what both texts have in common at the beginning may be shared.
        """
        ...


SHORT_TEXT = 256
"""Tokens of a text that may be read in one pass with its edits (`read_edited`)."""


class LanguageModel(Protocol):
    """A causal language model: P(token | tokens before it)."""

    @property
    def name(self) -> str:
        """The name of the model in results."""
        ...

    @property
    def fingerprint(self) -> str:
        """A hash of everything that changes the model's results: weights, tokenizer, precision."""
        ...

    @property
    def precision(self) -> str:
        """The precision of matrix products, such as ``float32``; part of the fingerprint."""
        ...

    @property
    def context_length(self) -> int | None:
        """The maximum number of tokens in one reading; None if there is no limit."""
        ...

    @property
    def readers(self) -> int:
        """The recommended number of concurrent readings; see `barthes.models.side_by_side`."""
        ...

    @property
    def start_token(self) -> int:
        """The token before the first word of a story, so that this word is predicted too."""
        ...

    @property
    def end_token(self) -> int:
        """The token that ends a text; it is used to score the last sentence."""
        ...

    def encode(self, pieces: Sequence[str]) -> list[list[int]]:
        """Tokenise the consecutive pieces of one text (its sentences), each on its own.

        The pieces are joined by one space. The tokens of a piece depend only on the piece and on whether it
        is the first, so removing one does not change the tokens of the others.
        """
        ...

    def read(self, tokens: Sequence[int]) -> Reading:
        """Read a sequence of at least two tokens; the first one is given, not predicted."""
        ...

    def read_together(self, texts: Sequence[PromptedText]) -> list[Reading]:
        """Read several independent texts; for short ones this is faster than one by one.

        The log-probabilities of given tokens may be NaN.
        """
        ...

    def embed(self, texts: Sequence[Sequence[int]]) -> FloatArray:
        """Return one row per text: a vector that is similar for texts about the same things.

        The first token of each text is given and does not contribute. The vector of a text without other
        tokens is 0.
        """
        ...

    def average_states(
        self, tokens: Sequence[int], spans: Sequence[tuple[int, int]], *, layers: Sequence[int]
    ) -> FloatArray:
        """Read one text and return the mean hidden state of the tokens in each half-open span.

        The states are those after each number of `layers`, in increasing order. The shape is (spans, layers,
        width); the state of an empty span is 0.
        """
        ...


def find_notes(model: object) -> tuple[str, ...]:
    """Return the notes for readers of a model's scores, such as that it is slow.

    They are in the optional attribute `notes: tuple[str, ...]`, which is not part of the protocol.
    """
    return tuple(getattr(model, "notes", ()))


def read_edited(
    model: LanguageModel, tokens: Sequence[int], edits: Sequence[Edit]
) -> tuple[Reading, Iterator[FloatArray]]:
    """Return the reading of a text and its log-probabilities after each edit (`Reading.rescore`).

    A model may have a method `read_edited` that computes both at once; it is not part of the protocol.
    """
    if (own := getattr(model, "read_edited", None)) is not None:
        found: tuple[Reading, Iterator[FloatArray]] = own(tokens, edits)
        return found
    reading = model.read(tokens)
    return reading, reading.rescore(edits)


def check_finite(values: npt.ArrayLike, model: LanguageModel) -> None:
    """Raise a ModelError if any log-probability, or sum of them, is NaN or infinite."""
    if not np.isfinite(values).all():
        raise ModelError(
            "returned probabilities that are not numbers (NaN or infinite).",
            where=model.name,
            remedy="The precision may be too low for this model: try float32.",
        )


class PlainReading:
    """A reading that computes every edit from the start and shares nothing.

    Small models use it, and tests compare faster readings with it.

    Args:
        score: Returns log P(continuation[i] | context + continuation[:i]) for a context and a continuation.
        tokens: The tokens to read.
    """

    def __init__(
        self, score: Callable[[Sequence[int], Sequence[int]], FloatArray], tokens: Sequence[int]
    ) -> None:
        self._score = score
        self._tokens = list(tokens)
        self.log_probabilities: FloatArray = score(self._tokens[:1], self._tokens[1:])

    def rescore(self, edits: Iterable[Edit]) -> Iterator[FloatArray]:
        """Yield for each edit the log-probabilities of tokens[edit.stop : edit.until] after it; nats."""
        for edit in edits:
            context = self._tokens[: edit.start] + list(edit.replacement)
            follows = self._tokens[edit.follows(len(self._tokens))]
            yield self._score(context, follows)

    def reread(self, tokens: Sequence[int]) -> PlainReading:
        """Return the reading of other tokens."""
        return PlainReading(self._score, tokens)
