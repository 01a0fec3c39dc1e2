"""Salience as loss of coherence, equations 1 to 3 of Otake et al. (2020).

::

    σ(S_k) = c(S) - c(S~)
    c(S)   = 1 / |S_{k+1..n}| · log P(S_{k+1..n} | S_{1..k-1},   S_k )
    c(S~)  = 1 / |S_{k+1..n}| · log P(S_{k+1..n} | S_{1..k-1}, r(S_k))

in nats per token: how much less likely, on average, each later token becomes when the events of S_k are
removed. Higher is more salient; it can be negative. Nothing follows the last sentence but the
end-of-text token, which is scored for that sentence alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, takewhile

import numpy as np

from barthes.errors import SentenceTooLongError
from barthes.models.language_model import Edit, FloatArray, LanguageModel, Reading, check_finite
from barthes.models.windows import DEFAULT_WINDOW
from barthes.narrative import Narrative
from barthes.removal.removal import Removed
from barthes.salience.method import Progress, silent
from barthes.salience.passage import MARKS, Passage, divide

__all__ = ["DEFAULT_WINDOW", "CoherenceLoss", "RemovalLoss", "RemovalTask"]

_FIRST_RESULTS = 256  # tokens: half a second of a small model on two cores


@dataclass(frozen=True, slots=True)
class RemovalLoss:
    """What removing something from one sentence costs the rest of the story.

    Attributes:
        index: The sentence from which something was removed.
        total: σ, nats per token, over all that follows.
        later: The loss of each of the following sentences that were read, nats per token.
        tokens: How many tokens of each of them were read.
        rest: How many tokens follow that were not read again.
    """

    index: int
    total: float
    later: FloatArray
    tokens: FloatArray
    rest: int = 0

    @property
    def removed(self) -> RemovalLoss:
        """The loss itself, so that ``loss.removed.index`` still works; to go after the next release."""
        return self

    @classmethod
    def of(cls, removed: Removed, passage: Passage, lost: FloatArray) -> RemovalLoss:
        """Sum up what each later token lost."""
        k = removed.index
        rest = passage.length_after(k) - passage.reach(k)
        later, tokens = passage.by_later_sentence(k, lost), passage.tokens_read(k)
        return cls(k, passage.mean(k, lost), later, tokens, rest)


@dataclass(frozen=True, slots=True)
class RemovalTask:
    """A story as tokens, and what is to be removed from it.

    Attributes:
        tokens: The tokens of each sentence.
        removals: What is removed, sorted by sentence.
        replacements: The tokens that take the place of each removal's sentence.
        window: Tokens that are read at once; None where the story fits whole.
        growth: By how many tokens a replacement exceeds its sentence, at most: windows leave room for it.
        notes: What a reader of the scores should know about how they were computed.
    """

    tokens: list[list[int]]
    removals: Sequence[Removed]
    replacements: list[tuple[int, ...]]
    window: int | None
    growth: int = 0
    notes: tuple[str, ...] = ()

    def slice(self, start: int, stop: int) -> RemovalTask:
        """Return the task with the removals ``start:stop`` only, read in the same windows."""
        return replace(self, removals=self.removals[start:stop], replacements=self.replacements[start:stop])

    def divide(self, *, horizon: int | None = None) -> list[Passage]:
        """Return the passages in which the removals are measured."""
        targets = [removed.index for removed in self.removals]
        room = None if self.window is None else self.window - self.growth
        return divide(self.tokens, targets, room, horizon=horizon)


class CoherenceLoss:
    """Measures what removals cost the rest of a story, with one language model.

    Args:
        model: The language model that supplies the likelihoods.
        window: Tokens that the model reads at once, at most its context. By default the whole story
            where it fits the model's context, else 1024.
        horizon: Tokens that are read again after a removal; what lies beyond counts as if it had lost
            nothing. By default all that follows, as the equations say.
    """

    def __init__(
        self, model: LanguageModel, *, window: int | None = None, horizon: int | None = None
    ) -> None:
        if window is not None and window <= MARKS:
            raise ValueError(f"a window of {window} tokens has no room for a sentence")
        if horizon is not None and horizon < 1:
            raise ValueError(f"a horizon of {horizon} tokens is too short")
        self.model = model
        self._window = window
        self._horizon = horizon

    def prepare(self, narrative: Narrative, removals: Sequence[Removed]) -> RemovalTask:
        """Tokenise a story, each sentence on one line and joined by one space, and choose the window.

        Raises:
            SentenceTooLongError: The window does not hold a sentence and the one after it, which is
                the least that can be scored.
        """
        tokens = self.model.encode([str(sentence) for sentence in narrative])
        replacements = [self._replacement(removed) for removed in removals]
        pairs = zip(removals, replacements, strict=True)
        growth = max([0, *(len(new) - len(tokens[removed.index]) for removed, new in pairs)])
        window = self._choose_window(sum(map(len, tokens)) + growth + MARKS)
        _check_lengths(narrative, tokens, window)
        notes = self._explain(narrative, window, sum(map(len, tokens[1:])))
        return RemovalTask(tokens, removals, replacements, window, growth, notes)

    def measure(
        self,
        task: RemovalTask,
        *,
        progress: Progress = silent,
        preview: Callable[[RemovalLoss], None] | None = None,
    ) -> Iterator[RemovalLoss]:
        """Measure the loss of each removal, in their order.

        Args:
            task: What `prepare` gave.
            progress: Called with the number of tokens read and the number to read.
            preview: Called first with the losses of a few removals near the end, so that people who wait
                see something: the first removal of a story takes longest, because all of the story follows
                it. They are computed again in their turn (and may then differ by rounding).

        Raises:
            ModelError: The model gave numbers that are not numbers.
        """
        passages = task.divide(horizon=self._horizon)
        total = sum(passage.cost for passage in passages)
        done = 0
        progress(0, total)
        waiting = iter(zip(task.removals, task.replacements, strict=True))
        for passage in passages:
            chosen = [next(waiting) for _ in passage.targets]
            for removed, spent, lost in self._read(passage, task.tokens, chosen, preview):
                check_finite(lost, self.model)
                done += spent
                progress(done, total)
                yield RemovalLoss.of(removed, passage, lost)
            preview = None

    def _choose_window(self, length: int) -> int | None:
        """Return the window for a text of `length` tokens, or None where it fits whole."""
        limits = [limit for limit in (self._window, self.model.context_length) if limit is not None]
        if not limits or length <= min(limits):
            return None
        return min([self._window or DEFAULT_WINDOW, *limits])

    def _explain(self, narrative: Narrative, window: int | None, rest: int) -> tuple[str, ...]:
        notes = []
        if self._horizon is not None and self._horizon < rest:
            notes.append(f"An estimate: after each sentence only {self._horizon} tokens were read again.")
        if window is not None:
            notes.append(
                f"The story does not fit: each sentence was scored in a window of {window} tokens around it."
            )
            if self._window is not None and window < self._window:
                notes.append(f"The model reads {window} tokens at most, so the window is not {self._window}.")
        if len(narrative) == 1:
            notes.append("A single sentence: its score rests on the end-of-text token alone.")
        return tuple(notes)

    def _replacement(self, removed: Removed) -> tuple[int, ...]:
        """Return r(S_k) as tokens, encoded like the sentence it replaces: first, or after another."""
        text = " ".join(removed.text.split())
        if not text:
            return ()
        return tuple(self.model.encode([text])[0] if removed.index == 0 else self.model.encode(["", text])[1])

    def _read(
        self,
        passage: Passage,
        tokens: list[list[int]],
        chosen: list[tuple[Removed, tuple[int, ...]]],
        preview: Callable[[RemovalLoss], None] | None,
    ) -> Iterator[tuple[Removed, int, FloatArray]]:
        """For each removal, return it, the tokens spent on it, and what each later token lost."""
        reading = self.model.read(passage.tokens(tokens, self.model.start_token, self.model.end_token))
        if preview is not None and passage.length > _FIRST_RESULTS:
            for loss in self._measure_last(reading, passage, chosen):
                preview(loss)
        spent = passage.length  # on reading the story itself
        edits = [passage.edit(removed.index, replacement) for removed, replacement in chosen]
        unchanged = [list(replacement) == tokens[removed.index] for removed, replacement in chosen]
        rescored = reading.rescore([edit for edit, same in zip(edits, unchanged, strict=True) if not same])
        for (removed, _), edit, same in zip(chosen, edits, unchanged, strict=True):
            spent += passage.reach(removed.index)
            original = _original(reading, edit)
            # An edit that changes nothing costs exactly 0: rounding must not rank it.
            yield removed, spent, np.zeros_like(original) if same else original - next(rescored)
            spent = 0

    def _measure_last(
        self, reading: Reading, passage: Passage, chosen: list[tuple[Removed, tuple[int, ...]]]
    ) -> Iterator[RemovalLoss]:
        """Measure the last removals, as many as cost no more than `_FIRST_RESULTS` tokens together."""
        costs = accumulate(
            passage.reach(removed.index) + len(replacement) for removed, replacement in reversed(chosen)
        )
        cheap = chosen[len(chosen) - sum(1 for _ in takewhile(lambda cost: cost <= _FIRST_RESULTS, costs)) :]
        edits = [passage.edit(removed.index, replacement) for removed, replacement in cheap]
        for (removed, _), edit, after in zip(cheap, edits, reading.rescore(edits), strict=True):
            yield RemovalLoss.of(removed, passage, _original(reading, edit) - after)


def _original(reading: Reading, edit: Edit) -> FloatArray:
    """Return the log-probabilities, in the unedited story, of the tokens scored after an edit."""
    known = reading.log_probabilities  # of all tokens but the first
    scored = edit.follows(len(known) + 1)
    return known[scored.start - 1 : scored.stop - 1]


def _check_lengths(narrative: Narrative, tokens: list[list[int]], window: int | None) -> None:
    if window is None:
        return
    for sentence, ids, following in zip(narrative, tokens, [*tokens[1:], []], strict=True):
        if len(ids) + len(following) > window - MARKS:
            raise SentenceTooLongError(
                f"sentence {sentence.index + 1} has {len(ids)} tokens and the next one {len(following)},"
                f" more than the window of {window} holds: “{str(sentence)[:60]}…”.",
                where=narrative.title or None,
                remedy="Split the sentence, or choose a larger window.",
            )
