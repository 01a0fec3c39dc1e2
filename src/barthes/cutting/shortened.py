"""A shortened story: its text, and what was cut at which cost."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any

from barthes.baselines.words import count_words
from barthes.cutting.pieces import divide_text, join_pieces
from barthes.narrative import Narrative, Sentence

MOST_PAYERS = 5
"""How many later sentences are named for each cut."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A sentence that was cut.

    Attributes:
        sentence: The sentence in the original story.
        order: 1 for the first that was cut.
        words: Its number of words.
        cost: What the cut adds to the cost of the earlier ones, nats. Negative if the rest becomes likelier.
        alone: What all later sentences would lose if it were the only cut, nats.
        payers: The kept sentences that lose most by it, as pairs of index and nats.
    """

    sentence: Sentence
    order: int
    words: int
    cost: float
    alone: float
    payers: tuple[tuple[int, float], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the cut as JSON values; sentences are counted from 0."""
        return {
            "index": self.sentence.index,
            "start": self.sentence.start,
            "end": self.sentence.end,
            "order": self.order,
            "words": self.words,
            "cost": self.cost,
            "alone": self.alone,
            "payers": [{"index": index, "loss": lost} for index, lost in self.payers],
            "text": self.sentence.text,
        }


@dataclass(frozen=True)
class Shortened:
    """A story without the sentences that the rest misses least.

    Attributes:
        narrative: The whole story.
        cuts: What was cut, in the order of the story.
        target: The number of words asked for.
        tokens: The number of tokens of the kept text.
        protected: The sentences that were not to be cut.
        model: The name of the language model.
        precision: The precision of its products.
        window: Tokens read at once; None if the model read the text as a whole.
        notes: Notes for readers of the result.
    """

    narrative: Narrative
    cuts: tuple[Cut, ...]
    target: int
    tokens: int
    protected: tuple[int, ...] = ()
    model: str = ""
    precision: str = ""
    window: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The shortened text, without the headings of what is cut as a whole (`barthes.cutting.pieces`).

        Its format is `Narrative.written_as`.
        """
        return remove_sentences(self.narrative.restore(), {cut.sentence.index for cut in self.cuts})

    @property
    def kept(self) -> Narrative:
        """The kept sentences, as spans of the original text."""
        gone = {cut.sentence.index for cut in self.cuts}
        spans = tuple(span for index, span in enumerate(self.narrative.spans) if index not in gone)
        return replace(self.narrative, spans=spans)

    @property
    def cost(self) -> float:
        """What the kept text loses by all cuts together, nats; with a window, inside windows only."""
        return sum(cut.cost for cut in self.cuts)

    @property
    def cost_per_token(self) -> float:
        """The cost for each token of the kept text, nats."""
        return self.cost / max(1, self.tokens)

    @property
    def words(self) -> int:
        """The number of words that are left."""
        return self.words_before - sum(cut.words for cut in self.cuts)

    @property
    def words_before(self) -> int:
        """The number of words of the whole story."""
        return sum(count_unit_words(self.narrative))

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON values; sentences are counted from 0."""
        return {
            "story": self.narrative.title,
            "model": self.model,
            "precision": self.precision,
            "unit": self.narrative.unit,
            "window": self.window,
            "notes": list(self.notes),
            "words_before": self.words_before,
            "words": self.words,
            "target": self.target,
            "tokens": self.tokens,
            "cost": self.cost,
            "cost_per_token": self.cost_per_token,
            "protected": list(self.protected),
            "cuts": [cut.to_dict() for cut in self.cuts],
            "text": self.text,
        }


def count_unit_words(narrative: Narrative) -> list[int]:
    """Return the number of words of each sentence."""
    return [count_words(str(sentence)) for sentence in narrative]


def choose_payers(losses: dict[int, float], gone: Iterable[int]) -> tuple[tuple[int, float], ...]:
    """Return the sentences that lose most, without those that are gone themselves.

    >>> choose_payers({1: 0.5, 2: -0.1, 3: 2.0, 4: 9.0}, gone=[4])
    ((3, 2.0), (1, 0.5))
    """
    found = {index: lost for index, lost in losses.items() if lost > 0 and index not in set(gone)}
    return tuple(sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_PAYERS])


def remove_sentences(narrative: Narrative, gone: Collection[int]) -> str:
    """Return the text without some sentences, what introduces them (`divide_text`), and gaps around them.

    >>> story = Narrative("It rained. Hard.\\n\\nA wolf came.", ((0, 10), (11, 16), (18, 30)))
    >>> remove_sentences(story, {1})
    'It rained.\\n\\nA wolf came.'
    """
    return join_pieces(divide_text(narrative), gone)
