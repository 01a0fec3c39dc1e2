"""A shortened story: its text, and what was cut at which cost."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from barthes.baselines.words import count_words
from barthes.cutting.pieces import divide_text, join_pieces
from barthes.cutting.write_back import write_back
from barthes.narrative import Narrative, Sentence
from barthes.salience.measurement import RemovalLoss

MOST_AFFECTED = 5
"""How many later sentences are named for each cut."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A sentence that was cut, or could be.

    Attributes:
        sentence: The sentence in the original story.
        words: Its number of words.
        cost: What all later sentences would lose if it were the only cut, nats (estimated). Negative if they
            become likelier.
        importance_rank: Its rank for readers; None if unknown.
        missed_by: The later sentences that lose most by it, as pairs of index and nats.
        referred: The sentences that refer to it.
        order: 1 for the first that was cut; None for sentences that stay.
    """

    sentence: Sentence
    words: int
    cost: float
    importance_rank: int | None
    missed_by: tuple[tuple[int, float], ...]
    referred: tuple[int, ...]
    order: int | None

    def to_dict(self) -> dict[str, Any]:
        """Return the cut as JSON values; sentences are counted from 0."""
        return {
            "index": self.sentence.index,
            "start": self.sentence.start,
            "end": self.sentence.end,
            "order": self.order,
            "words": self.words,
            "cost": self.cost,
            "importance_rank": self.importance_rank,
            "missed_by": [{"index": index, "loss": lost} for index, lost in self.missed_by],
            "referred": list(self.referred),
            "text": self.sentence.text,
        }


@dataclass(frozen=True)
class Shortened:
    """A story without the sentences that are cheap for the rest and unimportant to readers.

    Attributes:
        narrative: The whole story.
        units: All its sentences, with what a cut of each costs.
        target: The number of words asked for.
        protected: The sentences that were not to be cut.
        model: The name of the language model.
        precision: The precision of its products.
        window: Tokens read at once; None if the model read the text as a whole.
        notes: Notes for readers of the result.
    """

    narrative: Narrative
    units: tuple[Cut, ...]
    target: int
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
        return remove_sentences(write_back(self.narrative), {cut.sentence.index for cut in self.cuts})

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """What was cut, in the order of the story."""
        return tuple(each for each in self.units if each.order is not None)

    @property
    def cost(self) -> float:
        """The sum of what the single cuts cost, nats (estimated)."""
        return sum(cut.cost for cut in self.cuts)

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
            "cost": self.cost,
            "protected": list(self.protected),
            "cuts": [cut.to_dict() for cut in self.cuts],
            "text": self.text,
        }


def count_unit_words(narrative: Narrative) -> list[int]:
    """Return the number of words of each sentence."""
    return [count_words(str(sentence)) for sentence in narrative]


def find_most_affected(loss: RemovalLoss) -> tuple[tuple[int, float], ...]:
    """Return the later sentences that lose most by a removal, with what each loses in nats."""
    lost = np.nan_to_num(loss.later) * loss.tokens
    found = [
        (loss.index + 1 + int(k), float(lost[k])) for k in np.argsort(-lost, kind="stable")[:MOST_AFFECTED]
    ]
    return tuple((index, value) for index, value in found if value > 0)


def remove_sentences(narrative: Narrative, gone: Collection[int]) -> str:
    """Return the text without some sentences, what introduces them (`divide_text`), and gaps around them.

    >>> story = Narrative("It rained. Hard.\\n\\nA wolf came.", ((0, 10), (11, 16), (18, 30)))
    >>> remove_sentences(story, {1})
    'It rained.\\n\\nA wolf came.'
    """
    return join_pieces(divide_text(narrative), gone)
