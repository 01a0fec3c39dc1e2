"""Stories that come twice: two printings of one translation are learnt once, and do not test each other."""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from collections.abc import Sequence

from barthes.finetuning.overlap import find_runs
from barthes.finetuning.training_text import TrainingText

__all__ = ["drop_repeats"]

_SAMPLE = 8  # one run in so many is compared: enough, and it keeps millions of words in memory
_SHORT = 4 * _SAMPLE**2  # runs: a text of fewer is known by all, as its copy may have too few sampled ones
_LARGEST_SHARE = 0.5  # of a story's runs: translators of one tale have less, printings more


def drop_repeats(
    stories: Sequence[TrainingText], *, known: Sequence[TrainingText] = ()
) -> tuple[tuple[TrainingText, ...], tuple[str, ...]]:
    """The stories without those that one before them tells in the same words, and a note for each.

    Those that are `known` come before all others, are not compared with each other, and are not given back.

    >>> tale = "The wolf went to the well and drank, and then he lay down under the old oak and slept."
    >>> kept, notes = drop_repeats([TrainingText("a", tale), TrainingText("b", tale.upper())])
    >>> [story.name for story in kept], notes
    (['a'], ('b was left out: a tells it in the same words.',))
    """
    kept: list[TrainingText] = []
    notes: list[str] = []
    places: dict[int, list[int]] = defaultdict(list)
    for place, story in enumerate([*known, *stories]):
        marks = _number_runs(story.text)
        sample = _sample(marks)
        compared = sample if len(sample) >= _SAMPLE else marks
        shared = Counter(index for mark in compared for index in places.get(mark, ()))
        index, count = max(shared.items(), key=lambda item: item[1], default=(0, 0))
        if place >= len(known) and count > _LARGEST_SHARE * len(compared):
            notes.append(f"{story.name} was left out: {kept[index].name} tells it in the same words.")
            continue
        for mark in marks if len(marks) < _SHORT else sample:
            places[mark].append(len(kept))
        kept.append(story)
    return tuple(kept[len(known) :]), tuple(notes)


def _number_runs(text: str) -> set[int]:
    """A number for each run of a text; for the text itself where it is too short to have one."""
    marks = {zlib.crc32(run.encode()) for run in find_runs(text)}
    return marks or {zlib.crc32(" ".join(text.lower().split()).encode())}


def _sample(marks: set[int]) -> set[int]:
    """Some of the numbers, the same of every text that has them."""
    return {mark for mark in marks if mark % _SAMPLE == 0}
