"""Salience as the authors' release computes it, with shared readings.

::

    σ(S_k) = 1 / |A| · [ log P(A | B, S_k) - log P(A | B, r(S_k)) ]

B and A are the sentences before and after S_k in its window. Each side gets half of the room that S_k leaves,
even if the other side does not use its half. Sentences are added nearest first; one that does not fit is
skipped and the next one tried, so that the context can have gaps::

    story       S_1   S_2 ~~~~~~~~~~~   S_3   S_4  [S_5]  S_6  S_7   S_8 ~~~~~~~~~   S_9
    room              ├──── half ───────────────┤         ├────── half ─────────┤
    window      S_1                     S_3   S_4  [S_5]  S_6  S_7                   S_9
                      too long: a gap                                too long: a gap

Targets whose windows have the same sentences share a text. (`barthes.models.windows` has the windows of the
paper's appendix, without gaps.) Scores are nats per token. Differences from the formula:

- There is no start-of-text token. If B and r(S_k) are both empty (usually for the first sentence), the first
  token of A cannot be predicted: its log-probability is missing from the second sum, but |A| is unchanged. So
  the second sum is too high and σ too low, by that token's share.
- A contains the end-of-text token for the last sentence only.

The window is chosen by the length of the sentence, not of its replacement: with a longer replacement the
changed text exceeds the window. Only if the model cannot read that much (GPT-2, whose context equals the
window) is the window of this removal chosen by the replacement's length, for both sums.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from barthes.errors import SentenceTooLongError
from barthes.models.language_model import Edit, FloatArray, LanguageModel, Reading, check_finite
from barthes.models.side_by_side import count_readers, side_by_side
from barthes.models.windows import DEFAULT_WINDOW
from barthes.narrative import Narrative
from barthes.removal.removal import Removed
from barthes.salience.method import Progress, silent


class ReleaseLoss:
    """The release's σ for several removals of one story; the context of each sentence is read once.

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
        self.window: int = min(window, model.context_length or window)
        self._asked = window

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for readers of the scores."""
        if self.window == self._asked:
            return ()
        return (f"The window is {self.window} tokens, not {self._asked}: the model reads no more.",)

    def score(
        self,
        narrative: Narrative,
        removals: Mapping[str, Sequence[Removed]],
        *,
        targets: range | None = None,
        progress: Progress = silent,
    ) -> dict[str, list[float]]:
        """Return the score of each target (by default every sentence) by method.

        Args:
            narrative: The story, as `Tale.token_narrative` gives it.
            removals: By method, the replacement of each sentence (`release_removals`).
            targets: The indices of the sentences to score.
            progress: Called with the number of tokens read by the model, and the total.

        Raises:
            SentenceTooLongError: A sentence leaves no room in the window for a later one.
        """
        sentences = list(map(tuple, self.model.encode([str(sentence) for sentence in narrative])))
        chosen = range(len(sentences)) if targets is None else targets
        replacements = {method: self._encode(narrative, removed) for method, removed in removals.items()}
        # An unchanged sentence scores 0 and is not read; equal replacements by VA and PAA are read once.
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
        for measured in side_by_side(jobs, at_once=count_readers(self.model.hardware)):
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
        openings = [text.apply(change) for change in text.changes if not change.start]
        reading = self.model.read(text.tokens)
        opened = [self.model.read(tokens) for tokens in openings if len(tokens) > 1]
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
    """Sentences that are read together, whether an end-of-text token follows, and changes, one at a time."""

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
    """Return the window of a sentence, of at most `limit` tokens; a target that is longer stands alone.

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
    """Return the texts in which sentences are replaced, each given by its index and the tokens in its place.

    A window holds `limit` tokens, the model reads `context` tokens, and `end` is the end-of-text token.
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


def _rescore(text: Text, reading: Reading, opened: Iterator[Reading]) -> Iterator[tuple[Change, FloatArray]]:
    """Return, for each change, the log-probabilities of what follows it, as far as they can be predicted.

    `opened` has the reading of the changed text for each change at the beginning that leaves more than a
    token: nothing of the first reading stays.
    """
    inside = [change for change in text.changes if change.start]
    edits = [Edit(change.start, change.stop, change.replacement) for change in inside]
    yield from zip(inside, reading.rescore(edits), strict=True)
    for change in text.changes:
        if not change.start:
            known = next(opened).log_probabilities if len(text.apply(change)) > 1 else np.empty(0)
            yield change, known[max(len(change.replacement) - 1, 0) :]  # one less where that is empty


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
