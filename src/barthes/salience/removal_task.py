"""A story made ready for measuring: its tokens, what is removed from it, and the window it is read in."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from barthes.models.language_model import LanguageModel
from barthes.models.windows import DEFAULT_WINDOW
from barthes.narrative import Narrative
from barthes.removal.removal import Removed
from barthes.salience.passage import EDGE_TOKENS, Passage, divide

LONG_WINDOW = 3072
"""Tokens read at once of a text that does not fit, for units longer than sentences."""

_MOST_LISTED = 5  # sentences in a note
_WINDOWS_JOINED = 3  # fewer: more text is read twice; more: attention to distant tokens costs more


@dataclass(frozen=True, slots=True)
class RemovalTask:
    """A tokenised story and the removals to measure.

    Attributes:
        tokens: The tokens of each sentence.
        removals: The removals, sorted by sentence.
        replacements: The tokens that replace each removal's sentence.
        window: Tokens read at once; None if the story is read as a whole.
        growth: The most tokens by which a replacement exceeds its sentence; windows leave room for it.
        notes: Notes for readers of the scores.
        horizon: Tokens read again after a removal; None for all.
        join_limit: With a horizon, windows are joined to passages of at most this many tokens.
    """

    tokens: list[list[int]]
    removals: Sequence[Removed]
    replacements: list[tuple[int, ...]]
    window: int | None
    growth: int = 0
    notes: tuple[str, ...] = ()
    horizon: int | None = None
    join_limit: int = 0

    @property
    def cost(self) -> int:
        """The number of tokens that the model reads."""
        return sum(passage.cost for passage in self.divide())

    def divide(self) -> list[Passage]:
        """Return the passages in which the removals are measured."""
        window = None if self.window is None else self.window - self.growth
        removed = [removal.index for removal in self.removals]
        return divide(self.tokens, removed, window, horizon=self.horizon, join_limit=self.join_limit)


def prepare_task(
    model: LanguageModel,
    narrative: Narrative,
    removals: Sequence[Removed],
    *,
    window: int | None = None,
    horizon: int | None = None,
) -> RemovalTask:
    """Tokenise a story, with its sentences on one line joined by one space, and choose the window.

    Args:
        model: The language model that will read it.
        narrative: The story.
        removals: What is removed, sorted by sentence.
        window: Tokens read at once, at most the model's context. By default the whole story if it fits the
            context, else 1024 (3072 for paragraphs, scenes and chapters).
        horizon: Tokens read again after a removal; by default all.

    Of units that do not fit the window with the next one, the middle is not read; a note says so.
    """
    tokens = model.encode([str(sentence) for sentence in narrative])
    replacements = [_encode_replacement(model, removed) for removed in removals]
    pairs = zip(removals, replacements, strict=True)
    growth = max([0, *(len(new) - len(tokens[removed.index]) for removed, new in pairs)])
    length = sum(map(len, tokens)) + growth + EDGE_TOKENS
    used = _choose_window(model, length, narrative.unit, window)
    notes = tuple(_explain(narrative, tokens, asked=window, used=used, horizon=horizon))
    task = RemovalTask(tokens, removals, replacements, used, growth, notes, horizon)
    if used is None:
        return task
    joined = min(_WINDOWS_JOINED * used, model.context_length or sys.maxsize)
    return replace(_shorten_long(task, used, narrative.unit), join_limit=joined)


def _shorten_long(task: RemovalTask, window: int, unit: str) -> RemovalTask:
    """Return the task without the middle of units that are too long for the window."""
    room = max(2, window - EDGE_TOKENS - task.growth)
    long = _find_long(task.tokens, room, unit)
    if not long:
        return task
    most = room // 2
    pairs = zip(task.removals, task.replacements, strict=True)
    return replace(
        task,
        tokens=[_leave_out_middle(ids, most) if k in long else ids for k, ids in enumerate(task.tokens)],
        replacements=[
            tuple(_leave_out_middle(list(new), most)) if removed.index in long else new
            for removed, new in pairs
        ],
        notes=(*task.notes, _describe_long(long, most // 2, unit)),
    )


def _choose_window(model: LanguageModel, length: int, unit: str, asked: int | None) -> int | None:
    """Return the window for a text of `length` tokens, or None if it fits."""
    limits = [limit for limit in (asked, model.context_length) if limit is not None]
    if not limits or length <= min(limits):
        return None
    return min([asked or (DEFAULT_WINDOW if unit == "sentence" else LONG_WINDOW), *limits])


def _explain(
    narrative: Narrative,
    tokens: Sequence[Sequence[int]],
    *,
    asked: int | None,
    used: int | None,
    horizon: int | None,
) -> Iterator[str]:
    """Yield notes on the horizon, the window, and a story of one unit."""
    unit = narrative.unit
    if horizon is not None and horizon < sum(map(len, tokens[1:])):
        yield f"Estimated from the {horizon} tokens after each {unit} and words that recur later."
    if used is not None:
        yield f"The story does not fit: each {unit} was scored in a window of {used} tokens around it."
        if asked is not None and used < asked:
            yield f"The window is {used} tokens, not {asked}: the model reads no more at once."
    if len(narrative) == 1:
        yield f"The story has one {unit}, so its score rests on the end-of-text token alone."


def _encode_replacement(model: LanguageModel, removed: Removed) -> tuple[int, ...]:
    """Return the tokens of r(S_k), encoded like the sentence that it replaces."""
    text = " ".join(removed.text.split())
    if not text:
        return ()
    return tuple(model.encode([text])[0] if removed.index == 0 else model.encode(["", text])[1])


def _find_long(tokens: Sequence[Sequence[int]], room: int, unit: str) -> set[int]:
    """Return which units are too long for a window with so many tokens.

    Sentences are if they do not fit with the one before or after; longer units are as soon as two of their
    length would not fit.
    """
    lengths = [len(ids) for ids in tokens]
    long = {k for k, length in enumerate(lengths) if length > room // 2}
    if unit != "sentence":
        return long
    crowded = {k for k, pair in enumerate(pairwise([*lengths, 0])) if sum(pair) > room}
    return {k for k in long if k in crowded or k - 1 in crowded}


def _describe_long(long: set[int], end: int, unit: str) -> str:
    """Return a note on units of which only the first and last tokens were read."""
    if unit != "sentence":
        return f"Only the first and last {end} tokens of {len(long)} long {unit}s were read."
    shown = ", ".join(str(k + 1) for k in sorted(long)[:_MOST_LISTED])
    more = " …" if len(long) > _MOST_LISTED else ""
    return (
        f"Too long for the window: only the first and last {end} tokens of sentence {shown}{more} were read."
    )


def _leave_out_middle(tokens: list[int], most: int) -> list[int]:
    """Return at most `most` tokens: of longer texts the beginning, which is predicted, and the end."""
    if len(tokens) <= most:
        return tokens
    return tokens[: max(1, most // 2)] + tokens[len(tokens) - most // 2 :]
