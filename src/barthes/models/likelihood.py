"""The likelihood of a whole text, the basis of perplexity and sentence ordering.

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

from barthes.models.language_model import FloatArray, LanguageModel, check_finite
from barthes.models.windows import DEFAULT_WINDOW


@dataclass(frozen=True, slots=True)
class Likelihood:
    """log P of a text, nats, and the number of its tokens."""

    log_probability: float
    tokens: int


def measure_likelihood(model: LanguageModel, sentences: Sequence[str]) -> Likelihood:
    """Return the likelihood of sentences in this order, joined by one space.

    Raises:
        ModelError: The model returned NaN or infinity.

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
    """Return log P of each token of a text given those before it; nats, shape (len(ids),).

    `each` is called after every window with the number of tokens predicted so far.

    Raises:
        ModelError: The model returned NaN or infinity.
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
    """Return the window size for a text of so many tokens; None if it is read whole."""
    capacity = _capacity(model)
    return None if capacity is None or tokens <= capacity else min(capacity + 1, DEFAULT_WINDOW)


def _predict(model: LanguageModel, ids: Sequence[int]) -> Iterator[FloatArray]:
    """Yield the log-probabilities, window by window."""
    for start, first, stop in _windows(len(ids), _capacity(model)):
        yield model.read([model.start_token, *ids[start:stop]]).log_probabilities[first - start :]


def _capacity(model: LanguageModel) -> int | None:
    """Return the tokens the model can read after the start-of-text token; None if unlimited."""
    return None if model.context_length is None else model.context_length - 1


def _windows(length: int, capacity: int | None) -> Iterator[tuple[int, int, int]]:
    """Yield (start, first, stop): tokens `start:stop` are read, and `first:stop` predicted.

    >>> list(_windows(9, 4))
    [(0, 0, 4), (2, 4, 6), (4, 6, 8), (6, 8, 9)]
    """
    if capacity is None or length <= capacity:
        if length:
            yield 0, 0, length
        return
    size = min(capacity, DEFAULT_WINDOW - 1)
    step = max(1, size // 2)
    first, stop = 0, size
    yield 0, first, stop
    while stop < length:
        first, stop = stop, min(stop + step, length)
        yield first - (size - step), first, stop
