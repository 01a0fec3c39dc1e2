"""How likely a whole text is: what perplexity and sentence ordering rest on.

A text that fits the model's context is read whole. A longer one is read in windows of 1024 tokens (or of
the context, where that is smaller), each of which starts with the second half of the one before::

    tokens     ⟨s⟩ a b c d e f g h i
    window 1   ⟨s⟩[a b c d]
    window 2            ⟨s⟩ c d [e f]              […]: predicted here
    window 3                    ⟨s⟩ e f [g h]

Each token is predicted exactly once; the end-of-text token is not among them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from barthes.models.finiteness import check_finite
from barthes.models.language_model import FloatArray, LanguageModel
from barthes.models.windows import DEFAULT_WINDOW

__all__ = ["Likelihood", "find_window", "measure_likelihood", "predict_tokens"]


@dataclass(frozen=True, slots=True)
class Likelihood:
    """log P of a text, nats, and the number of its tokens."""

    log_probability: float
    tokens: int


def measure_likelihood(model: LanguageModel, sentences: Sequence[str]) -> Likelihood:
    """The likelihood of sentences in this order, joined by one space.

    Raises:
        ModelError: The model gave numbers that are not numbers.

    >>> from barthes.models.counting import CountingModel
    >>> found = measure_likelihood(CountingModel(["a b a b"], k=1.0), ["a", "b"])   # 2/5 · 3/6
    >>> round(math.exp(found.log_probability), 6), found.tokens
    (0.2, 2)
    """
    ids = [token for tokens in model.encode(sentences) for token in tokens]
    total = math.fsum(part.sum() for part in _predict(model, ids))
    check_finite(total, model)
    return Likelihood(total, len(ids))


def predict_tokens(
    model: LanguageModel, ids: Sequence[int], *, each: Callable[[int], None] | None = None
) -> FloatArray:
    """log P of each token of a text after those before it; nats, shape (len(ids),).

    Args:
        model: The language model.
        ids: The tokens of the text.
        each: Called after every window with the number of tokens that are predicted so far.

    Raises:
        ModelError: The model gave numbers that are not numbers.
    """
    parts = [np.empty(0)]
    for part in _predict(model, ids):
        parts.append(part)
        if each is not None:
            each(sum(map(len, parts)))
    found = np.concatenate(parts)
    check_finite(found, model)
    return found


def find_window(model: LanguageModel, tokens: int) -> int | None:
    """How many of the tokens of a text are read at a time; None where all of them."""
    room = _room(model)
    return None if room is None or tokens <= room else min(room + 1, DEFAULT_WINDOW)


def _predict(model: LanguageModel, ids: Sequence[int]) -> Iterator[FloatArray]:
    """The log-probabilities, window by window."""
    for start, first, stop in _windows(len(ids), _room(model)):
        yield model.read([model.start_token, *ids[start:stop]]).log_probabilities[first - start :]


def _room(model: LanguageModel) -> int | None:
    """How many tokens the model reads at once after the start-of-text token; None where all of them."""
    return None if model.context_length is None else model.context_length - 1


def _windows(length: int, room: int | None) -> Iterator[tuple[int, int, int]]:
    """(start, first, stop): tokens `start:stop` are read, and those of `first:stop` predicted.

    >>> list(_windows(9, 4))
    [(0, 0, 4), (2, 4, 6), (4, 6, 8), (6, 8, 9)]
    """
    if room is None or length <= room:
        if length:
            yield 0, 0, length
        return
    size = min(room, DEFAULT_WINDOW - 1)
    step = max(1, size // 2)
    first, stop = 0, size
    yield 0, first, stop
    while stop < length:
        first, stop = stop, min(stop + step, length)
        yield first - (size - step), first, stop
