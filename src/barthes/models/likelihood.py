"""Predict every token of a text (`pmi` and perplexity do); a text that does not fit is read in windows.

A text that fits into the model's context is read at once. A longer one is read in windows of 1024 tokens (or
the context length, if that is smaller), each of which starts with the second half of the one before::

    tokens     ⟨s⟩ a b c d e f g h i
    window 1   ⟨s⟩[a b c d]
    window 2            ⟨s⟩ c d [e f]              […]: predicted here
    window 3                    ⟨s⟩ e f [g h]

Each token is predicted exactly once, the first one from the start-of-text token. The end-of-text token is not
predicted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from barthes.models.language_model import FloatArray, LanguageModel, check_finite
from barthes.models.windows import DEFAULT_WINDOW


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
    """Return the window size for a text of so many tokens; None if it is read at once."""
    capacity = _capacity(model)
    return None if capacity is None or tokens <= capacity else min(capacity + 1, DEFAULT_WINDOW)


def _predict(model: LanguageModel, ids: Sequence[int]) -> Iterator[FloatArray]:
    """Yield the log-probabilities window by window."""
    for start, first, stop in _windows(len(ids), _capacity(model)):
        yield model.read([model.start_token, *ids[start:stop]]).log_probabilities[first - start :]


def _capacity(model: LanguageModel) -> int | None:
    """Return how many tokens fit into the context after the start-of-text token; None if unlimited."""
    return None if model.context_length is None else model.context_length - 1


def _windows(length: int, capacity: int | None) -> Iterator[tuple[int, int, int]]:
    """Yield (start, first, stop): read the tokens `start:stop` and predict `first:stop`.

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
