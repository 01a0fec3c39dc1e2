"""Salience as the authors' release computes it, on shared readings.

::

    σ(S_k) = 1 / |A| · [ log P(A | B, S_k) - log P(A | B, r(S_k)) ]

B and A are the sentences before and after S_k that its window holds (`release_windows`, with
holes). Nats per token, as ever. Where it departs from the formula:

- There is no start-of-text token. Where B is empty (the first sentence, as a rule) and r(S_k) is too, the
  first token of A has nothing to be predicted from: its log-probability is missing from the second sum, but
  |A| stays as it is. So the second sum is too high and σ too low, by that token's share.
- A is the end-of-text token for the last sentence, and for no other.

The window is chosen by the length of the sentence, not of what replaces it: a longer replacement makes the
changed text exceed it by the difference. Only where the model cannot read as much (GPT-2, whose context is
the window) is the window of this one removal chosen by the replacement's length, for both of its sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from barthes.errors import SentenceTooLongError
from barthes.models.language_model import Edit, FloatArray, LanguageModel, Reading, check_finite
from barthes.models.side_by_side import side_by_side
from barthes.narrative import Narrative
from barthes.removal.removal import Removed
from barthes.reproduction.release_windows import Change, Text, gather_texts
from barthes.salience.coherence_loss import DEFAULT_WINDOW
from barthes.salience.method import Progress, silent

__all__ = ["ReleaseLoss"]


class ReleaseLoss:
    """The release's σ for one or several removals of one story: each sentence's context is read once for all.

    Args:
        model: The language model that supplies the likelihoods.
        window: Tokens that a window holds; less where the model's context is shorter.

    >>> from barthes.models.counting import CountingModel
    >>> from barthes.removal.removal import delete_sentences
    >>> story = Narrative.from_sentences(["a b .", "c .", "a b ."])
    >>> loss = ReleaseLoss(CountingModel([story.text], k=1.0))
    >>> scores = loss.score(story, {"sd": delete_sentences(story)})
    >>> [round(score, 3) for score in scores["sd"]]     # ln(2/9) / 5: “c” is lost without S_1
    [-0.301, 0.0, 0.0]
    """

    def __init__(self, model: LanguageModel, *, window: int = DEFAULT_WINDOW) -> None:
        if window < 2:
            raise ValueError(f"a window of {window} tokens has no room for a sentence and what follows")
        self.model = model
        self.window = min(window, model.context_length or window)
        self._asked = window

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the scores should know about how they came about."""
        if self.window == self._asked:
            return ()
        return (f"The model reads {self.window} tokens at most, so the window is not {self._asked}.",)

    def score(
        self,
        narrative: Narrative,
        removals: Mapping[str, Sequence[Removed]],
        *,
        targets: range | None = None,
        progress: Progress = silent,
    ) -> dict[str, list[float]]:
        """Return the score of every target by method.

        Args:
            narrative: The story, as `Tale.token_narrative` gives it.
            removals: By method, what takes the place of each sentence in turn (`release_removals`).
            targets: Which sentences are scored, by index; by default all.
            progress: Called with the number of tokens that have gone through the model, and the total.

        Raises:
            SentenceTooLongError: A sentence leaves no room for any that follows.
            ModelError: The model gave numbers that are not numbers.
        """
        sentences = list(map(tuple, self.model.encode([str(sentence) for sentence in narrative])))
        chosen = range(len(sentences)) if targets is None else targets
        replacements = {method: self._encode(narrative, removed) for method, removed in removals.items()}
        # A sentence that stays as it is scores 0 and is not read; VA and PAA may agree, and are read once.
        changes = dict.fromkeys((k, row[k]) for k in chosen for row in replacements.values())
        texts = gather_texts(
            sentences,
            [(k, new) for k, new in changes if new != sentences[k]],
            limit=self.window,
            context=self.model.context_length,
            end=self.model.end_token,
        )
        self._check(narrative, texts)
        scores = self._measure(texts, progress)
        return {
            method: [scores.get((k, row[k]), 0.0) for k in chosen] for method, row in replacements.items()
        }

    def _measure(self, texts: Sequence[Text], progress: Progress) -> dict[tuple[int, tuple[int, ...]], float]:
        """Return the score of each change, by target and replacement."""
        done, total = 0, sum(text.cost for text in texts)
        progress(done, total)
        scores: dict[tuple[int, tuple[int, ...]], float] = {}
        jobs = (partial(self._measure_text, text) for text in texts)
        for measured in side_by_side(jobs, at_once=self.model.readers):
            for change, spent, score in measured:
                scores[change.target, change.replacement] = score
                done += spent
                progress(done, total)
        return scores

    def _encode(self, narrative: Narrative, removed: Sequence[Removed]) -> list[tuple[int, ...]]:
        """Return r(S_k) as tokens, encoded like the sentence it replaces: first, or after another."""
        if [each.index for each in removed] != list(range(len(narrative))):
            raise ValueError(f"{len(narrative)} sentences need a removal each, in their order")
        texts = [" ".join(each.text.split()) for each in removed]
        return [tuple(ids) if text else () for text, ids in zip(texts, self.model.encode(texts), strict=True)]

    def _measure_text(self, text: Text) -> list[tuple[Change, int, float]]:
        """Return each change with the tokens spent on it and its score."""
        whole = text.tokens, max(1, min(change.stop for change in text.changes))
        openings = [
            (text.apply(change), max(1, len(change.replacement)))
            for change in text.changes
            if not change.start
        ]
        reading, *opened = self.model.read_together(
            [whole, *((tokens, given) for tokens, given in openings if len(tokens) > 1)]
        )
        measured = []
        spent = len(text.tokens)
        for change, changed in _rescore(text, reading, iter(opened)):
            original = reading.log_probabilities[max(change.stop - 1, 0) :]
            follows = len(text.tokens) - change.stop
            ignored = 1 if text.ending and follows > 1 else 0  # the end-of-text token
            lost = original[: len(original) - ignored].sum() - changed[: len(changed) - ignored].sum()
            check_finite(lost, self.model)
            measured.append((change, spent + text.cost_of(change), float(lost) / (follows - ignored)))
            spent = 0
        return measured

    def _check(self, narrative: Narrative, texts: Sequence[Text]) -> None:
        context = self.model.context_length
        for text in texts:
            for change in text.changes:
                too_long = change.stop - change.start > self.window
                unreadable = context is not None and len(change.replacement) > context
                if too_long or unreadable or change.stop == len(text.tokens):
                    raise SentenceTooLongError(
                        f"sentence {change.target + 1} and what follows it do not fit the window of"
                        f" {self.window} tokens: “{str(narrative[change.target])[:60]}…”.",
                        where=narrative.title or None,
                        remedy="Split the sentence, or take a model that reads more tokens at once.",
                    )


def _rescore(text: Text, reading: Reading, opened: Iterator[Reading]) -> Iterator[tuple[Change, FloatArray]]:
    """Return, for each change, the log-probabilities of what follows it, as far as they can be predicted.

    Args:
        text: What was read.
        reading: Its reading.
        opened: For each change at its beginning that leaves more than a token, the reading of the changed
            text: nothing of the first reading stays.
    """
    inside = [change for change in text.changes if change.start]
    edits = [Edit(change.start, change.stop, change.replacement) for change in inside]
    yield from zip(inside, reading.rescore(edits), strict=True)
    for change in text.changes:
        if not change.start:
            known = next(opened).log_probabilities if len(text.apply(change)) > 1 else np.empty(0)
            yield change, known[max(len(change.replacement) - 1, 0) :]  # one less where that is empty
