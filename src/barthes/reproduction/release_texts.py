"""The texts that the model reads for the release's scores, each with all that is changed in it.

Targets whose windows hold the same sentences share a text. Nothing stands before it, no start-of-text token
either; the end-of-text token follows wherever the last sentence is in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from barthes.reproduction.release_windows import Window, find_window

__all__ = ["Change", "Text", "gather_texts"]


@dataclass(frozen=True, slots=True)
class Change:
    """Sentence `target`, at the token positions `start:stop` of its text, becomes `replacement`."""

    target: int
    start: int
    stop: int
    replacement: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Text:
    """Some sentences of a story that are read together.

    Attributes:
        tokens: What is read.
        ending: Whether the last of the tokens is the end-of-text token.
        changes: What is changed in it, one at a time.
    """

    tokens: tuple[int, ...]
    ending: bool
    changes: tuple[Change, ...]

    @property
    def cost(self) -> int:
        """How many tokens it sends through the model: itself, and for each change what comes after it."""
        return len(self.tokens) + sum(map(self.cost_of, self.changes))

    def cost_of(self, change: Change) -> int:
        """Tokens of the replacement and of what follows it."""
        return len(change.replacement) + len(self.tokens) - change.stop

    def apply(self, change: Change) -> tuple[int, ...]:
        """The tokens when it is made."""
        return self.tokens[: change.start] + change.replacement + self.tokens[change.stop :]


def gather_texts(
    sentences: Sequence[Sequence[int]],
    replacements: Iterable[tuple[int, tuple[int, ...]]],
    *,
    limit: int,
    context: int | None,
    end: int,
) -> list[Text]:
    """The texts in which sentences are replaced.

    Args:
        sentences: The tokens of each sentence.
        replacements: A sentence's index, and the tokens that take its place.
        limit: Tokens that a window may hold.
        context: Tokens that the model can read; None where there is no limit.
        end: The end-of-text token.
    """
    texts: dict[tuple[int, ...], list[Change]] = {}
    for target, replacement in replacements:
        window = _fit(sentences, target, replacement, limit, context)
        start = _count(sentences, window.before)
        change = Change(target, start, start + len(sentences[target]), replacement)
        texts.setdefault((*window.before, target, *window.after), []).append(change)
    return [_compose(sentences, chosen, changes, end) for chosen, changes in texts.items()]


def _compose(
    sentences: Sequence[Sequence[int]], chosen: Sequence[int], changes: Iterable[Change], end: int
) -> Text:
    tokens = [token for index in chosen for token in sentences[index]]
    ending = chosen[-1] == len(sentences) - 1
    return Text((*tokens, end) if ending else tuple(tokens), ending, tuple(changes))


def _fit(
    sentences: Sequence[Sequence[int]],
    target: int,
    replacement: tuple[int, ...],
    limit: int,
    context: int | None,
) -> Window:
    """The sentence's window; the replacement's, where the model could not read the changed text otherwise."""
    lengths = [len(tokens) for tokens in sentences]
    window = find_window(lengths, target, limit)
    around = _count(sentences, (*window.before, *window.after))
    if context is None or around + len(replacement) <= context:
        return window
    lengths[target] = max(lengths[target], len(replacement))
    return find_window(lengths, target, limit)


def _count(sentences: Sequence[Sequence[int]], indices: Iterable[int]) -> int:
    return sum(len(sentences[index]) for index in indices)
