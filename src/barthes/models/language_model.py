"""The interface of language models: read tokens, and score the rest of a text after an edit.

A model *reads* a sequence of tokens once. It can then compute how likely the rest of the sequence is after
a span of it has been replaced or removed, which is all that salience needs::

    tokens        ⟨s⟩ a b c d e f            one story, tokenised, after the start-of-text token
    edit               └┬┘                   Edit(start=2, stop=4) removes b and c
    edited        ⟨s⟩ a ─── d e f
    rescored                ^ ^ ^            log P(d | ⟨s⟩ a), log P(e | ⟨s⟩ a d), log P(f | ⟨s⟩ a d e)

A `LanguageModel` has three methods, `encode`, `read` and `states` (which it may refuse), and a few plain
attributes. `CausalModel` (transformers), `CountingModel` (tests) and models behind a server implement it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from barthes.errors import ModelError

FloatArray = npt.NDArray[np.float64]


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
    """A sequence of tokens that a model has read, or reads as soon as something is asked of it.

    Ask for `rescore` first: a model may then compute the log-probabilities of a short text and those after
    its edits together.
    """

    @property
    def log_probabilities(self) -> FloatArray:
        """log P(tokens[i + 1] | tokens[: i + 1]) for every i; shape (len(tokens) - 1,), nats."""
        ...

    def rescore(self, edits: Sequence[Edit]) -> Iterator[FloatArray]:
        """Yield for each edit the log-probabilities of tokens[edit.stop : edit.until] after it; nats."""
        ...


class LanguageModel(Protocol):
    """A causal language model: P(token | tokens before it).

    Invariants that every model keeps, and callers rely on:

    - Log-probabilities are natural logarithms (nats), finite and at most 0; higher is likelier.
    - Each token is predicted exactly once per text, given all before it. The first word of a story is
      predicted from `start_token`, which is given and never predicted.
    - `encode` treats pieces independently: removing a sentence does not change the tokens of the others.
    - `read(tokens).rescore([edit])` equals reading the edited tokens from the start, but for rounding.
    - The same tokens give the same numbers, whatever was read before, in whatever order.
    - Nothing is truncated: a text longer than `context_length` is an error of the caller.
    """

    @property
    def name(self) -> str:
        """The name of the model in results."""
        ...

    @property
    def fingerprint(self) -> str:
        """A hash of everything that changes its results: weights, tokenizer, precision."""
        ...

    @property
    def precision(self) -> str:
        """The precision of matrix products, such as ``float32``; part of the fingerprint."""
        ...

    @property
    def hardware(self) -> str:
        """The type of device that computes: ``cpu``, ``cuda`` …; empty if unknown."""
        ...

    @property
    def context_length(self) -> int | None:
        """The maximum number of tokens in one reading; None if there is no limit."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for readers of its scores, such as that it is slow."""
        ...

    @property
    def start_token(self) -> int:
        """The token before the first word of a story."""
        ...

    @property
    def end_token(self) -> int:
        """The token that ends a text; it is used to score the last sentence."""
        ...

    def encode(self, pieces: Sequence[str]) -> list[list[int]]:
        """Tokenise the consecutive pieces of one text (its sentences), each on its own.

        The pieces are joined by one space. The tokens of a piece depend only on the piece and on whether it
        is the first.
        """
        ...

    def read(self, tokens: Sequence[int]) -> Reading:
        """Read a sequence of at least two tokens; the first one is given, not predicted."""
        ...

    def states(
        self, tokens: Sequence[int], spans: Sequence[tuple[int, int]], *, layers: Sequence[int]
    ) -> FloatArray:
        """Read one text and return the mean hidden state of the tokens in each half-open span.

        The states are those after each number of `layers`, in increasing order. The shape is (spans, layers,
        width); the state of an empty span is 0.

        Raises:
            ModelError: The model does not show its states (`refuse_states`).
        """
        ...


def refuse_states(model: str) -> ModelError:
    """Return the error of a model that does not show its hidden states."""
    return ModelError(
        "does not show its hidden states, which this method needs.",
        where=model,
        remedy="Use a model that runs on this machine, or a method such as sd.",
    )


def require_model(model: object) -> None:
    """Raise a ModelError that says what is missing if an object is not a language model."""
    if isinstance(model, str):
        problem, remedy = (
            "a method takes a language model, not its name",
            f"Use barthes.load_model({model!r}).",
        )
    elif missing := [name for name in ("encode", "read") if not hasattr(model, name)]:
        problem = f"{type(model).__name__} is not a language model: it has no {' and no '.join(missing)}"
        remedy = "Give one of barthes.load_model()."
        if callable(model):
            remedy += " If this is the `model` of a method's options, call it: options.model()."
    else:
        return
    raise ModelError(f"{problem}.", remedy=remedy)


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
