"""Windows, in which texts are read that do not fit into the model's context.

`find_windows` gives each sentence that is removed a window of its own (the paper's appendix B): as many whole
sentences around it as fit::

    limit      ├──────────────────────────────┤
    story   …  S_3  S_4  S_5 [S_6] S_7  S_8  S_9  …
               └── left ───┘      └─── right ───┘

Each side gets half of the room that the target leaves; what one side cannot use goes to the other. Sentences
are added from the nearest outwards and none is skipped, so the text in the window has no gaps. The next
sentence is always included, at the cost of the left side if need be: without it there is nothing to score.

`predict_tokens` predicts every token of a text once (`pmi` and perplexity do). Each window of 1024 tokens (or
the context length, if that is smaller) starts with the second half of the one before::

    tokens     ⟨s⟩ a b c d e f g h i
    window 1   ⟨s⟩[a b c d]
    window 2            ⟨s⟩ c d [e f]              […]: predicted here
    window 3                    ⟨s⟩ e f [g h]

The first token is predicted from the start-of-text token; the end-of-text token is not predicted.

`group_by_cost` divides short texts, or edits of one text, into groups that are read at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import TypeVar

import numpy as np

from barthes.models.language_model import FloatArray, LanguageModel, check_finite

T = TypeVar("T")

DEFAULT_WINDOW = 1024
"""Tokens; the paper's window, used for stories that do not fit into the model's context."""


def find_windows(lengths: Sequence[int], limit: int) -> list[tuple[int, int]]:
    """Return the half-open range of sentences in the window around each sentence.

    Args:
        lengths: Tokens of each sentence.
        limit: Maximum tokens in a window, including the target sentence. A window is longer only if the
            target and the next sentence together exceed the limit.

    >>> find_windows([3, 3, 3, 3, 3], limit=9)
    [(0, 3), (0, 3), (1, 4), (2, 5), (2, 5)]
    """
    edges = [0, *accumulate(lengths)]
    return [_window(edges, target, limit) for target in range(len(lengths))]


def _window(edges: Sequence[int], target: int, limit: int) -> tuple[int, int]:
    before, after = edges[target], edges[-1] - edges[target + 1]
    spare = max(0, limit - (edges[target + 1] - edges[target]))
    following = edges[target + 2] - edges[target + 1] if target + 2 < len(edges) else 0
    left = max(0, min(before, max(spare // 2, spare - after), spare - following))
    right = max(following, min(after, spare - left))
    first = target
    while first > 0 and edges[target] - edges[first - 1] <= left:
        first -= 1
    last = target + 1
    while last < len(edges) - 1 and edges[last + 1] - edges[target + 1] <= right:
        last += 1
    return first, last


def group_by_cost(items: Iterable[T], cost: Callable[[T], int], *, most: int) -> Iterator[list[T]]:
    """Yield consecutive items in groups that cost at most so much together, at least one item each.

    >>> list(group_by_cost(["a", "bb", "c", "dddd"], len, most=3))
    [['a', 'bb'], ['c'], ['dddd']]
    """
    group: list[T] = []
    total = 0
    for item in items:
        if group and total + cost(item) > most:
            yield group
            group, total = [], 0
        group.append(item)
        total += cost(item)
    if group:
        yield group


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
    for start, first, stop in _overlap(len(ids), _capacity(model)):
        yield model.read([model.start_token, *ids[start:stop]]).log_probabilities[first - start :]


def _capacity(model: LanguageModel) -> int | None:
    """Return how many tokens fit into the context after the start-of-text token; None if unlimited."""
    return None if model.context_length is None else model.context_length - 1


def _overlap(length: int, capacity: int | None) -> Iterator[tuple[int, int, int]]:
    """Yield (start, first, stop): read the tokens `start:stop` and predict `first:stop`.

    >>> list(_overlap(9, 4))
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
