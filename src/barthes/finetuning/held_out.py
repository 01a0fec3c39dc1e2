"""Which stories are kept from training, so that a model can be asked about tales it has not seen."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from barthes.errors import TrainingError
from barthes.finetuning.overlap import FEWEST_RUNS, find_overlaps
from barthes.finetuning.training_text import TrainingText, hash_text

__all__ = ["Parts", "hold_out", "set_apart"]


@dataclass(frozen=True, slots=True)
class Parts:
    """Stories to train on, and stories that are held out.

    Attributes:
        notes: What the reader should know of them.
        given: Whether the reader has named those that are held out.
    """

    train: tuple[TrainingText, ...]
    held_out: tuple[TrainingText, ...] = ()
    notes: tuple[str, ...] = ()
    given: bool = False


def hold_out(stories: Sequence[TrainingText], share: float, *, seed: int = 0) -> Parts:
    """Hold out whole stories: the first `share` of them in an order that seed and text decide.

    The order of files, their names and their white space change nothing, and the same story twice is on
    one side only. Passages of one stretch of a book count as one story.

    Raises:
        TrainingError: There is only one story, so that none can be held out.

    >>> tales = [TrainingText(name, f"Tale {name}.") for name in "abcdefghij"]
    >>> parts = hold_out(tales, 0.2)
    >>> len(parts.train), len(parts.held_out)
    (8, 2)
    """
    if share == 0:
        return Parts(tuple(stories))
    marks = [hash_text(story.stretch or story.text) for story in stories]
    if len(set(marks)) < 2:
        raise TrainingError(
            "there is only one story, so that none can be held out.",
            remedy="Give more stories, stories to measure on with --validate, or --held-out 0.",
        )
    order = sorted(set(marks), key=lambda each: hashlib.sha256(f"{seed} {each}".encode()).digest())
    count = min(max(1, round(share * len(order))), len(order) - 1)
    kept_back = set(order[:count])
    return Parts(
        tuple(story for story, mark in zip(stories, marks, strict=True) if mark not in kept_back),
        tuple(story for story, mark in zip(stories, marks, strict=True) if mark in kept_back),
    )


def set_apart(stories: Sequence[TrainingText], validation: Sequence[TrainingText]) -> Parts:
    """Train on `stories` and measure on `validation`.

    A story that is in both is only measured on, and so is one that has passages of a story to be measured on:
    another printing, a book that it stands in, a part of it.
    """
    seen = {hash_text(story.text): story.name for story in validation}
    told = {
        place: seen[mark] for place, story in enumerate(stories) if (mark := hash_text(story.text)) in seen
    }
    numbered = [TrainingText(str(place), story.text) for place, story in enumerate(stories)]
    for overlap in find_overlaps(numbered, validation):
        if overlap.share > _COPIED and overlap.shared >= FEWEST_RUNS:
            told.setdefault(int(overlap.text), overlap.other)
    train = tuple(story for place, story in enumerate(stories) if place not in told)
    if not train:
        raise TrainingError(
            "every story to train on is also one to measure on.", remedy="Give other stories to --validate."
        )
    notes = (
        f"{stories[place].name} is not trained on: it has passages of {told[place]}, which is measured on."
        for place in sorted(told)
    )
    return Parts(train, tuple(validation), tuple(notes), given=True)


_COPIED = 0.01  # of the shorter text's 8-word runs; two translations of a tale share 0.6 % at most
