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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from barthes.errors import SentenceTooLongError
from barthes.models.language_model import FloatArray, LanguageModel
from barthes.narrative import Narrative
from barthes.removal.removal import Removed
from barthes.salience.method import Progress, silent
from barthes.salience.passage import MARKS, Passage, divide

__all__ = ["DEFAULT_WINDOW", "CoherenceLoss", "Loss", "TokenizedNarrative"]

DEFAULT_WINDOW = 1024
"""Tokens: the paper's window, used for stories that do not fit the model's context whole."""


@dataclass(frozen=True, slots=True)
class Loss:
    """What removing something from one sentence costs the rest of the story.

    Attributes:
        removed: What was removed.
        total: σ, nats per token, over all that follows.
        later: The loss of every sentence of the narrative, nats per token; NaN where it does not come
            after, or lies outside the window.
    """

    removed: Removed
    total: float
    later: FloatArray


@dataclass(frozen=True, slots=True)
class TokenizedNarrative:
    """The tokens of each sentence of a story, and the window it is read in: None where it fits whole."""

    tokens: list[list[int]]
    window: int | None


class CoherenceLoss:
    """Measures what removals cost, with one language model. Knows removals, not where they come from.

    Args:
        model: The language model that supplies the likelihoods.
        window: Tokens that the model reads at once. By default the whole story where it fits the
            model's context, else 1024.
    """

    def __init__(self, model: LanguageModel, *, window: int | None = None) -> None:
        if window is not None and window <= MARKS:
            raise ValueError(f"a window of {window} tokens has no room for a sentence")
        self.model = model
        self._window = window

    def tokenize(self, narrative: Narrative) -> TokenizedNarrative:
        """The tokens of each sentence, on one line, joined by one space; and the window they are read in.

        Raises:
            SentenceTooLongError: The window does not hold a sentence and the one after it, which is
                the least that can be scored.
        """
        tokens = self.model.encode([str(sentence) for sentence in narrative])
        limit = self._window or self.model.context_length
        if limit is None or sum(map(len, tokens)) + MARKS <= limit:
            return TokenizedNarrative(tokens, None)
        window = self._window or min(DEFAULT_WINDOW, limit)
        for sentence, ids, following in zip(narrative, tokens, [*tokens[1:], []], strict=True):
            if len(ids) + len(following) > window - MARKS:
                raise SentenceTooLongError(
                    f"sentence {sentence.index + 1} has {len(ids)} tokens and the next one {len(following)},"
                    f" more than the window of {window} holds: “{str(sentence)[:60]}…”.",
                    where=narrative.title or None,
                    remedy="Split the sentence, or give a larger --window.",
                )
        return TokenizedNarrative(tokens, window)

    def measure(
        self, story: TokenizedNarrative, removals: Sequence[Removed], *, progress: Progress = silent
    ) -> Iterator[Loss]:
        """The loss of each removal, in their order; `removals` are sorted by sentence."""
        tokens = story.tokens
        replacements = [self._replacement(removed) for removed in removals]
        passages = divide(tokens, [removed.index for removed in removals], story.window)
        total = sum(passage.cost for passage in passages)
        done = 0
        progress(0, total)
        waiting = iter(zip(removals, replacements, strict=True))
        for passage in passages:
            chosen = [next(waiting) for _ in passage.targets]
            for removed, spent, lost in self._read(passage, tokens, chosen):
                later = np.full(len(tokens), np.nan)
                later[passage.first : passage.last] = passage.by_sentence(removed.index, lost)
                done += spent
                progress(done, total)
                yield Loss(removed, passage.mean(removed.index, lost), later)

    def _replacement(self, removed: Removed) -> tuple[int, ...]:
        """r(S_k) as tokens, encoded as the sentence it replaces would be: first, or after another."""
        text = " ".join(removed.text.split())
        if not text:
            return ()
        return tuple(self.model.encode([text])[0] if removed.index == 0 else self.model.encode(["", text])[1])

    def _read(
        self, passage: Passage, tokens: list[list[int]], chosen: list[tuple[Removed, tuple[int, ...]]]
    ) -> Iterator[tuple[Removed, int, FloatArray]]:
        """For each removal: it, the tokens spent on it, and what each later token lost."""
        reading = self.model.read(passage.tokens(tokens, self.model.start_token, self.model.end_token))
        spent = passage.length  # on reading the story itself
        edits = [passage.edit(removed.index, replacement) for removed, replacement in chosen]
        rescored = reading.rescore(edits)
        for (removed, _), edit, edited in zip(chosen, edits, rescored, strict=True):
            spent += passage.length_after(removed.index)
            yield removed, spent, reading.log_probabilities[edit.stop - 1 :] - edited
            spent = 0
