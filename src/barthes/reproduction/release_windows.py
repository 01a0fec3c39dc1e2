"""What the release shows the model when a sentence is removed: windows of sentences, as token texts.

Each side of the target gets half of what the target leaves, and no more: what one side cannot use is not
given to the other. Sentences are taken nearest first; one that does not fit is skipped and the next one
tried, so the context can have holes::

    story       S_1   S_2 ~~~~~~~~~~~   S_3   S_4  [S_5]  S_6  S_7   S_8 ~~~~~~~~~   S_9
    room              ├──── half ───────────────┤         ├────── half ─────────┤
    window      S_1                     S_3   S_4  [S_5]  S_6  S_7                   S_9
                      too long: a hole                               too long: a hole

Targets whose windows hold the same sentences share a text. Nothing stands before it, not even a start-of-text
token; the end-of-text token follows if the last sentence is in it. (`barthes.models.windows` has the windows
of the paper's appendix, without holes.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["Change", "Text", "Window", "find_window", "gather_texts"]


@dataclass(frozen=True, slots=True)
class Window:
    """The indices of the sentences that are read before and after a target, in story order."""

    before: tuple[int, ...]
    after: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """Sentence `target`, at the token positions `start:stop` of its text, becomes `replacement`."""

    target: int
    start: int
    stop: int
    replacement: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Text:
    """Sentences of a story that are read together.

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
        """How many tokens it sends through the model: itself, and for each change what follows it."""
        return len(self.tokens) + sum(map(self.cost_of, self.changes))

    def cost_of(self, change: Change) -> int:
        """Return the number of tokens of the replacement and of what follows it."""
        return len(change.replacement) + len(self.tokens) - change.stop

    def apply(self, change: Change) -> tuple[int, ...]:
        """Return the tokens after a change."""
        return self.tokens[: change.start] + change.replacement + self.tokens[change.stop :]


def find_window(lengths: Sequence[int], target: int, limit: int) -> Window:
    """Return the window of one sentence.

    Args:
        lengths: The number of tokens of each sentence.
        target: The index of the sentence.
        limit: Tokens that a window may hold, the target included. A target that is longer stands alone.

    >>> find_window([2, 6, 2, 2], 2, limit=10)    # 4 tokens a side: S_2 has 6 and is skipped
    Window(before=(0,), after=(3,))
    """
    half = (limit - lengths[target]) // 2
    before = _take(range(target - 1, -1, -1), lengths, half)
    return Window(tuple(reversed(before)), tuple(_take(range(target + 1, len(lengths)), lengths, half)))


def gather_texts(
    sentences: Sequence[Sequence[int]],
    replacements: Iterable[tuple[int, tuple[int, ...]]],
    *,
    limit: int,
    context: int | None,
    end: int,
) -> list[Text]:
    """Return the texts in which sentences are replaced.

    Args:
        sentences: The tokens of each sentence.
        replacements: The index of a sentence, and the tokens that take its place.
        limit: Tokens that a window may hold.
        context: Tokens that the model can read; None without a limit.
        end: The end-of-text token.
    """
    texts: dict[tuple[int, ...], list[Change]] = {}
    for target, replacement in replacements:
        window = _fit(sentences, target, replacement, limit, context)
        start = sum(len(sentences[index]) for index in window.before)
        change = Change(target, start, start + len(sentences[target]), replacement)
        texts.setdefault((*window.before, target, *window.after), []).append(change)
    gathered = []
    for chosen, changes in texts.items():
        tokens = tuple(token for index in chosen for token in sentences[index])
        ending = chosen[-1] == len(sentences) - 1
        gathered.append(Text((*tokens, end) if ending else tokens, ending, tuple(changes)))
    return gathered


def _take(nearest_first: Iterable[int], lengths: Sequence[int], room: int) -> list[int]:
    taken = []
    for sentence in nearest_first:
        if lengths[sentence] <= room:
            taken.append(sentence)
            room -= lengths[sentence]
    return taken


def _fit(
    sentences: Sequence[Sequence[int]],
    target: int,
    replacement: tuple[int, ...],
    limit: int,
    context: int | None,
) -> Window:
    """Return the sentence's window, or the replacement's if the model could not read the changed text."""
    lengths = [len(tokens) for tokens in sentences]
    window = find_window(lengths, target, limit)
    around = sum(lengths[index] for index in (*window.before, *window.after))
    if context is None or around + len(replacement) <= context:
        return window
    lengths[target] = max(lengths[target], len(replacement))
    return find_window(lengths, target, limit)
