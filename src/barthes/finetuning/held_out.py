"""Choose the stories that are held out from training, to measure the model on stories it has not seen."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from barthes.errors import TrainingError
from barthes.finetuning.overlap import FEWEST_RUNS, find_overlaps
from barthes.finetuning.texts import TrainingText, hash_text

__all__ = ["Split", "hold_out", "set_apart"]

_COPIED_SHARE = 0.01  # of the shorter text's 8-word runs; two translations of a tale share 0.6 % at most


@dataclass(frozen=True, slots=True)
class Split:
    """Stories to train on, and stories that are held out.

    Attributes:
        notes: What the user should know about them.
        given: Whether the user named the held-out stories.
    """

    train: tuple[TrainingText, ...]
    held_out: tuple[TrainingText, ...] = ()
    notes: tuple[str, ...] = ()
    given: bool = False


def hold_out(stories: Sequence[TrainingText], share: float, *, seed: int = 0) -> Split:
    """Hold out a share of the stories, chosen by their text and the seed.

    The order of files, their names and white space change nothing; copies of a story, and passages of one
    stretch of a book, stay together.

    Raises:
        TrainingError: There is only one story, so that none can be held out.

    >>> tales = [TrainingText(name, f"Tale {name}.") for name in "abcdefghij"]
    >>> split = hold_out(tales, 0.2)
    >>> len(split.train), len(split.held_out)
    (8, 2)
    """
    if share == 0:
        return Split(tuple(stories))
    hashes = [hash_text(story.stretch or story.text) for story in stories]
    if len(set(hashes)) < 2:
        raise TrainingError(
            "there is only one story, so that none can be held out.",
            remedy="Give more stories, name stories to measure on, or hold out a share of 0.",
        )
    order = sorted(set(hashes), key=lambda each: hashlib.sha256(f"{seed} {each}".encode()).digest())
    count = min(max(1, round(share * len(order))), len(order) - 1)
    chosen = set(order[:count])
    return Split(
        tuple(story for story, each in zip(stories, hashes, strict=True) if each not in chosen),
        tuple(story for story, each in zip(stories, hashes, strict=True) if each in chosen),
    )


def set_apart(stories: Sequence[TrainingText], validation: Sequence[TrainingText]) -> Split:
    """Hold out the stories of `validation`, and train on those that share no passage with them.

    Another printing, a book that contains a story and a part of one count as sharing passages.

    Raises:
        TrainingError: No story is left to train on.
    """
    known = {hash_text(story.text): story.name for story in validation}
    same = {i: known[each] for i, story in enumerate(stories) if (each := hash_text(story.text)) in known}
    numbered = [TrainingText(str(i), story.text) for i, story in enumerate(stories)]
    for overlap in find_overlaps(numbered, validation):
        if overlap.share > _COPIED_SHARE and overlap.shared >= FEWEST_RUNS:
            same.setdefault(int(overlap.text), overlap.other)
    train = tuple(story for i, story in enumerate(stories) if i not in same)
    if not train:
        raise TrainingError(
            "every story to train on is also one to measure on.", remedy="Name other stories to measure on."
        )
    notes = (
        f"{stories[i].name} is not trained on: it has passages of {same[i]}, which is measured on."
        for i in sorted(same)
    )
    return Split(train, tuple(validation), tuple(notes), given=True)
