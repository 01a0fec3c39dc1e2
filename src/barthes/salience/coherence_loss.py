"""Salience as loss of coherence, equations 1 to 3 of Otake et al. (2020).

::

    σ(S_k) = c(S) - c(S~)
    c(S)   = 1 / |S_{k+1..n}| · log P(S_{k+1..n} | S_{1..k-1},   S_k )
    c(S~)  = 1 / |S_{k+1..n}| · log P(S_{k+1..n} | S_{1..k-1}, r(S_k))

in nats per token: how much less likely, on average, each later token becomes when the events of S_k are
removed. Higher is more salient; it can be negative. The end-of-text token scores the last sentence only.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, compress, pairwise, takewhile

import numpy as np

from barthes.errors import NarrativeError, SentenceTooLongError
from barthes.models.language_model import (
    Edit,
    FloatArray,
    LanguageModel,
    Reading,
    check_finite,
    read_edited,
)
from barthes.models.windows import DEFAULT_WINDOW
from barthes.narrative import Narrative
from barthes.removal.removal import Removed
from barthes.salience.method import Progress, silent
from barthes.salience.passage import MARKS, Passage, divide
from barthes.salience.recurrence import NOTHING, FarLoss, add_up_gains

LONG_WINDOW = 3072
"""Tokens read at once of a text that does not fit, for units longer than sentences."""

_WINDOWS_SHARED = 3  # fewer: windows overlap more; more: attention to distant tokens costs more
_PREVIEW = 256  # tokens; half a second of a small model on two cores


@dataclass(frozen=True, slots=True)
class RemovalLoss:
    """The loss of coherence when something is removed from one sentence.

    Attributes:
        index: The sentence from which something was removed.
        total: σ over everything that follows, nats per token.
        later: The loss of each later sentence that was read, nats per token.
        tokens: How many tokens of each of them were read.
        rest: How many later tokens were not read.
        far: Their estimated loss, included in `total`.
        surprise: The mean surprisal of the sentence itself, given all before it in its passage, nats per
            token; NaN if unknown.
        exact: Whether all later tokens of its window were read, and no window before it.
    """

    index: int
    total: float
    later: FloatArray
    tokens: FloatArray
    rest: int = 0
    surprise: float = math.nan
    far: FarLoss = NOTHING
    exact: bool = True

    @classmethod
    def of(
        cls, k: int, passage: Passage, lost: FloatArray, known: FloatArray, far: FarLoss = NOTHING
    ) -> RemovalLoss:
        """Return the loss of removing sentence k.

        Args:
            k: The sentence.
            passage: The passage that was read.
            lost: What each later token lost.
            known: The log-probabilities of all tokens of the passage but the first.
            far: The estimated loss of later tokens that were not read.
        """
        rest = passage.length_after(k) - passage.reach(k)
        later, tokens = passage.by_later_sentence(k, lost)
        total = passage.mean(k, lost) + far.total / max(1, passage.length_after(k))
        surprise, exact = passage.measure_surprise(k, known), not (rest or passage.stops)
        return cls(k, total, later, tokens, rest, surprise, far, exact)


OnLoss = Callable[[RemovalLoss], None] | None
"""Called with the loss of each removal as soon as it is computed."""


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
        repeats: Groups of sentences that are removed together.
        horizon: Tokens read again after a removal; None for all.
        room: Tokens of a passage that removals with a horizon share, if the story is read in windows.
    """

    tokens: list[list[int]]
    removals: Sequence[Removed]
    replacements: list[tuple[int, ...]]
    window: int | None
    growth: int = 0
    notes: tuple[str, ...] = ()
    repeats: tuple[tuple[int, ...], ...] = ()
    horizon: int | None = None
    room: int = 0

    def slice(self, start: int, stop: int) -> RemovalTask:
        """Return the task with only the removals ``start:stop``, read in the same windows."""
        return replace(self, removals=self.removals[start:stop], replacements=self.replacements[start:stop])

    @property
    def cost(self) -> int:
        """The number of tokens that the model reads."""
        return sum(passage.cost for passage in self.divide())

    def divide(self) -> list[Passage]:
        """Return the passages in which the removals are measured."""
        window = None if self.window is None else self.window - self.growth
        room = 0 if self.horizon is None else self.room
        targets = [removed.index for removed in self.removals]
        return divide(self.tokens, targets, window, horizon=self.horizon, room=room)


class CoherenceLoss:
    """Measures the loss of coherence of removals with a language model.

    Args:
        model: The language model that supplies the likelihoods.
        window: Tokens read at once, at most the model's context. By default the whole story if it fits the
            context, else 1024 (3072 for paragraphs, scenes and chapters).
        horizon: Tokens read again after a deletion; the loss of later ones is estimated (see
            `barthes.salience.recurrence`). By default all that follows, as in the equations.
        rereads: Whether to keep the last reading, whose beginning the next text may share. This saves time if
            the next text is the same after some cuts.
    """

    def __init__(
        self,
        model: LanguageModel,
        *,
        window: int | None = None,
        horizon: int | None = None,
        rereads: bool = False,
    ) -> None:
        if window is not None and window <= MARKS:
            raise ValueError(f"a window of {window} tokens has no room for a sentence")
        if horizon is not None and horizon < 1:
            raise ValueError(f"a horizon of {horizon} tokens is too short")
        self.model = model
        self._window = window
        self._horizon = horizon
        self._rereads = rereads
        self._last: Reading | None = None

    def prepare(self, narrative: Narrative, removals: Sequence[Removed]) -> RemovalTask:
        """Tokenise a story, with its sentences on one line joined by one space, and choose the window.

        Raises:
            SentenceTooLongError: A sentence and the one after it do not fit the window.
        """
        tokens = self.model.encode([str(sentence) for sentence in narrative])
        replacements = [self._replacement(removed) for removed in removals]
        pairs = zip(removals, replacements, strict=True)
        growth = max([0, *(len(new) - len(tokens[removed.index]) for removed, new in pairs)])
        window = self._choose_window(sum(map(len, tokens)) + growth + MARKS, narrative.unit)
        notes = self._explain(narrative, window, sum(map(len, tokens[1:])))
        if window is not None and narrative.unit != "sentence":
            most = (window - MARKS) // 2
            if count := sum(len(ids) > most for ids in tokens):
                tokens = [_leave_out_middle(ids, most) for ids in tokens]
                what = f"the first and last {most // 2} tokens"
                notes += (f"Only {what} of {count} long {narrative.unit}s were read.",)
        _check_lengths(narrative, tokens, window)
        room = min(_WINDOWS_SHARED * (window or 0), self.model.context_length or sys.maxsize)
        task = RemovalTask(tokens, removals, replacements, window, growth, notes)
        return replace(task, horizon=self._horizon, room=room)

    def measure(
        self,
        task: RemovalTask,
        *,
        progress: Progress = silent,
        preview: OnLoss = None,
    ) -> Iterator[RemovalLoss]:
        """Measure the loss of each removal, in order.

        `progress` counts tokens. `preview` receives the losses of a few removals near the end of a long
        story, as early results: the first removals take longest. These losses are computed again later and
        may then differ by rounding.

        Raises:
            ModelError: The model returned NaN or infinity.
            NarrativeError: Only occurrences of a sentence that are removed together follow it in its window.
        """
        passages = task.divide()
        done, total = 0, sum(passage.cost for passage in passages)
        progress(done, total)
        replacements = iter(task.replacements)
        for passage in passages:
            edits = [passage.edit(k, next(replacements)) for k in passage.targets]
            for spent, loss in self._read(passage, task, edits, None if task.repeats else preview):
                done += spent
                progress(done, total)
                yield loss
            preview = None

    def _choose_window(self, length: int, unit: str) -> int | None:
        """Return the window for a text of `length` tokens, or None if it fits."""
        limits = [limit for limit in (self._window, self.model.context_length) if limit is not None]
        if not limits or length <= min(limits):
            return None
        return min([self._window or (DEFAULT_WINDOW if unit == "sentence" else LONG_WINDOW), *limits])

    def _explain(self, narrative: Narrative, window: int | None, rest: int) -> tuple[str, ...]:
        notes = []
        if self._horizon is not None and self._horizon < rest:
            where = f"the {self._horizon} tokens after each {narrative.unit} and words that recur"
            notes.append(f"Estimated from {where} later.")
        if window is not None:
            notes.append(
                f"The story does not fit: each {narrative.unit} was scored in a window of {window} tokens "
                "around it."
            )
            if self._window is not None and window < self._window:
                notes.append(
                    f"The window is {window} tokens, not {self._window}: the model reads no more at once."
                )
        if len(narrative) == 1:
            notes.append(
                f"The story has one {narrative.unit}, so its score rests on the end-of-text token alone."
            )
        return tuple(notes)

    def _replacement(self, removed: Removed) -> tuple[int, ...]:
        """Return the tokens of r(S_k), encoded like the sentence that it replaces."""
        text = " ".join(removed.text.split())
        if not text:
            return ()
        return tuple(self.model.encode([text])[0] if removed.index == 0 else self.model.encode(["", text])[1])

    def _read(
        self, passage: Passage, task: RemovalTask, edits: list[Edit], preview: OnLoss
    ) -> Iterator[tuple[int, RemovalLoss]]:
        """Yield the number of tokens read for each target and its loss."""
        ids = passage.tokens(task.tokens, self.model.start_token, self.model.end_token)
        pairs = list(zip(passage.targets, edits, strict=True))
        changes = [list(edit.replacement) != task.tokens[k] for k, edit in pairs]
        joint: dict[int, RemovalLoss] = {}
        if task.repeats or self._rereads:
            reading = self._start(ids)
            joint = self._remove_together(passage, task, reading)
            changes = [
                changed and k not in joint for changed, k in zip(changes, passage.targets, strict=True)
            ]
            rescored = reading.rescore(list(compress(edits, changes)))
        else:
            reading, rescored = read_edited(self.model, ids, list(compress(edits, changes)))
        if preview is not None and passage.length > _PREVIEW:
            for loss in _measure_last(reading, passage, edits):
                preview(loss)
        spent = passage.length  # the story itself
        far = self._estimate_far(passage, task.tokens, reading.log_probabilities)
        for (k, edit), changed in zip(pairs, changes, strict=True):
            spent += passage.reach(k)
            original = _original(reading, edit)
            # An edit that changes nothing has a loss of exactly 0: rounding must not rank it.
            lost = original - next(rescored) if changed else np.zeros_like(original)
            check_finite(lost, self.model)
            loss = joint.get(k) or RemovalLoss.of(
                k, passage, lost, reading.log_probabilities, far.get(k, NOTHING)
            )
            yield spent, loss
            spent = 0

    def _estimate_far(
        self, passage: Passage, tokens: list[list[int]], known: FloatArray
    ) -> dict[int, FarLoss]:
        """Return the estimated loss beyond the horizon for each target of a passage."""
        rest = {k: passage.length_after(k) - passage.reach(k) for k in passage.targets}
        if self._horizon is None or not any(rest.values()):
            return {}
        ids = [token for sentence in tokens[passage.first : passage.last] for token in sentence]
        edges = [edge - 1 for edge in passage.edges]  # without the start-of-text token
        targets = [k - passage.first for k in rest]
        stops = [passage.stop(k) - 1 for k in rest]
        gains = add_up_gains(ids, edges, known[: len(ids)], targets, self._horizon, stops=stops)
        return {k: FarLoss.of(row, rest=rest[k]) for k, row in zip(rest, gains, strict=True)}

    def _start(self, tokens: list[int]) -> Reading:
        reading = self.model.read(tokens) if self._last is None else self._last.reread(tokens)
        if self._rereads:
            self._last = reading
        return reading

    def _remove_together(
        self, passage: Passage, task: RemovalTask, reading: Reading
    ) -> dict[int, RemovalLoss]:
        """Return the loss of each target that is removed with other sentences of the passage.

        The model reads what is left of the passage from the first of them on.
        """
        losses = {}
        for group in task.repeats:
            inside = [k for k in group if passage.first <= k < passage.last]
            targets = [k for k in inside if k in passage.targets]
            if len(inside) > 1 and targets:
                loss = self._measure_together(passage, task.tokens, inside, reading)
                for k in targets:  # `later` starts after the first occurrence
                    cut, surprise = k - loss.index, passage.measure_surprise(k, reading.log_probabilities)
                    later, tokens = loss.later[cut:], loss.tokens[cut:]
                    losses[k] = replace(loss, index=k, later=later, tokens=tokens, surprise=surprise)
        return losses

    def _measure_together(
        self, passage: Passage, tokens: list[list[int]], group: list[int], reading: Reading
    ) -> RemovalLoss:
        left = [[] if k in group else ids for k, ids in enumerate(tokens)]
        shorter = passage.with_lengths([len(ids) for ids in left])
        first = group[0]
        if not shorter.length_after(first) and not passage.ending:
            problem = f"only repetitions of sentence {first + 1} follow it in its window."
            raise NarrativeError(problem, remedy="Choose a larger window, or the method sd.")
        edited = reading.reread(shorter.tokens(left, self.model.start_token, self.model.end_token))
        spans = enumerate(pairwise(passage.edges), start=passage.first)
        kept = [i for k, span in spans if k > first and k not in group for i in range(*span)]
        kept += [passage.length] if passage.ending else []
        after = edited.log_probabilities[shorter.edges[first - passage.first] - 1 :]
        lost = reading.log_probabilities[np.array(kept) - 1] - after
        check_finite(lost, self.model)
        return RemovalLoss.of(first, shorter, lost, edited.log_probabilities)


def _measure_last(reading: Reading, passage: Passage, edits: list[Edit]) -> Iterator[RemovalLoss]:
    """Measure the last removals, as many as need at most `_PREVIEW` tokens."""
    pairs = list(zip(passage.targets, edits, strict=True))
    costs = accumulate(passage.reach(k) + len(edit.replacement) for k, edit in reversed(pairs))
    cheap = pairs[len(pairs) - sum(1 for _ in takewhile(lambda cost: cost <= _PREVIEW, costs)) :]
    rescored = reading.rescore([edit for _, edit in cheap])
    for (k, edit), after in zip(cheap, rescored, strict=True):
        yield RemovalLoss.of(k, passage, _original(reading, edit) - after, reading.log_probabilities)


def _original(reading: Reading, edit: Edit) -> FloatArray:
    """Return the log-probabilities in the original story of the tokens scored after an edit."""
    known = reading.log_probabilities  # of all tokens but the first
    scored = edit.follows(len(known) + 1)
    return known[scored.start - 1 : scored.stop - 1]


def _leave_out_middle(tokens: list[int], most: int) -> list[int]:
    """Return at most `most` tokens: of longer texts the beginning, which is predicted, and the end."""
    return tokens if len(tokens) <= most else tokens[: most // 2] + tokens[len(tokens) - most // 2 :]


def _check_lengths(narrative: Narrative, tokens: list[list[int]], window: int | None) -> None:
    if window is None:
        return
    for sentence, ids, following in zip(narrative, tokens, [*tokens[1:], []], strict=True):
        if len(ids) + len(following) > window - MARKS:
            raise SentenceTooLongError(
                f"sentence {sentence.index + 1} has {len(ids)} tokens and the next one {len(following)},"
                f" too many for a window of {window}: “{str(sentence)[:60]}…”.",
                where=narrative.title or None,
                remedy="Split the sentence, or choose a larger window.",
            )
