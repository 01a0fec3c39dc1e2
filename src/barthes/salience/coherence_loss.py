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
from itertools import accumulate, compress, takewhile

import numpy as np

from barthes.errors import SentenceTooLongError
from barthes.models.language_model import Edit, FloatArray, LanguageModel, Reading, check_finite
from barthes.models.windows import DEFAULT_WINDOW
from barthes.narrative import Narrative
from barthes.removal.removal import Removed
from barthes.salience.method import Progress, silent
from barthes.salience.passage import MARKS, Passage, divide

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
    def of(cls, k: int, passage: Passage, lost: FloatArray) -> RemovalLoss:
        """Sum up what each token after sentence k lost."""
        rest = passage.length_after(k) - passage.reach(k)
        return cls(k, passage.mean(k, lost), *passage.by_later_sentence(k, lost), rest)


OnLoss = Callable[[RemovalLoss], None] | None
"""Called with the loss of each removal as soon as it is known."""


@dataclass(frozen=True, slots=True)
class RemovalTask:
    """A story as tokens, and what is to be removed from it.

    Attributes:
        tokens: The tokens of each sentence.
        removals: What is removed, sorted by sentence.
        replacements: The tokens that take the place of each removal's sentence.
        window: Tokens that are read at once; None where the story fits whole.
        growth: By how many tokens a replacement exceeds its sentence, at most: windows leave room for it.
        notes: What readers of the scores should know.
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
        room = None if self.window is None else self.window - self.growth
        return divide(self.tokens, [removed.index for removed in self.removals], room, horizon=horizon)


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
            SentenceTooLongError: The window does not hold a sentence and the one after it.
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
        self, task: RemovalTask, *, progress: Progress = silent, preview: OnLoss = None
    ) -> Iterator[RemovalLoss]:
        """Measure the loss of each removal, in their order.

        `progress` counts tokens. `preview` is called first with the losses of a few removals near the end, so
        that people who wait see something: the first removal of a story takes longest, because all of the
        story follows it. They are computed again in their turn (and may then differ by rounding).

        Raises:
            ModelError: The model gave numbers that are not numbers.
        """
        passages = task.divide(horizon=self._horizon)
        done, total = 0, sum(passage.cost for passage in passages)
        progress(done, total)
        replacements = iter(task.replacements)
        for passage in passages:
            edits = [passage.edit(k, next(replacements)) for k in passage.targets]
            for k, spent, lost in self._read(passage, task.tokens, edits, preview):
                check_finite(lost, self.model)
                done += spent
                progress(done, total)
                yield RemovalLoss.of(k, passage, lost)
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
        self, passage: Passage, tokens: list[list[int]], edits: list[Edit], preview: OnLoss
    ) -> Iterator[tuple[int, int, FloatArray]]:
        """For each target, return it, the tokens spent on it, and what each later token lost."""
        reading = self.model.read(passage.tokens(tokens, self.model.start_token, self.model.end_token))
        if preview is not None and passage.length > _FIRST_RESULTS:
            for loss in _measure_last(reading, passage, edits):
                preview(loss)
        spent = passage.length  # on reading the story itself
        pairs = list(zip(passage.targets, edits, strict=True))
        changes = [list(edit.replacement) != tokens[k] for k, edit in pairs]
        rescored = reading.rescore(list(compress(edits, changes)))
        for (k, edit), changed in zip(pairs, changes, strict=True):
            spent += passage.reach(k)
            original = _original(reading, edit)
            # An edit that changes nothing costs exactly 0: rounding must not rank it.
            yield k, spent, original - next(rescored) if changed else np.zeros_like(original)
            spent = 0


def _measure_last(reading: Reading, passage: Passage, edits: list[Edit]) -> Iterator[RemovalLoss]:
    """Measure the last removals, as many as cost no more than `_FIRST_RESULTS` tokens together."""
    pairs = list(zip(passage.targets, edits, strict=True))
    costs = accumulate(passage.reach(k) + len(edit.replacement) for k, edit in reversed(pairs))
    cheap = pairs[len(pairs) - sum(1 for _ in takewhile(lambda cost: cost <= _FIRST_RESULTS, costs)) :]
    rescored = reading.rescore([edit for _, edit in cheap])
    for (k, edit), after in zip(cheap, rescored, strict=True):
        yield RemovalLoss.of(k, passage, _original(reading, edit) - after)


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
