"""Stories that come twice: two printings of one translation are learnt once, and do not test each other."""

from __future__ import annotations

import heapq
import zlib
from collections import Counter, defaultdict
from collections.abc import Sequence

from barthes.finetuning.overlap import find_runs
from barthes.finetuning.training_text import TrainingText

__all__ = ["drop_repeats"]

_SAMPLE = 8  # one run in so many is compared: enough, and it keeps millions of words in memory
_LARGEST_SHARE = 0.5  # of a story's runs: translators of one tale have less, printings more


def drop_repeats(stories: Sequence[TrainingText]) -> tuple[tuple[TrainingText, ...], tuple[str, ...]]:
    """The stories without those that one before them tells in the same words, and a note for each.

    >>> tale = "The wolf went to the well and drank, and then he lay down under the old oak and slept."
    >>> kept, notes = drop_repeats([TrainingText("a", tale), TrainingText("b", tale.upper())])
    >>> [story.name for story in kept], notes
    (['a'], ('b was left out: a tells it in the same words.',))
    """
    kept: list[TrainingText] = []
    notes: list[str] = []
    places: dict[int, list[int]] = defaultdict(list)
    for story in stories:
        sample = _sample(story.text)
        shared = Counter(index for mark in sample for index in places.get(mark, ()))
        index, count = max(shared.items(), key=lambda item: item[1], default=(0, 0))
        if count > _LARGEST_SHARE * len(sample):
            notes.append(f"{story.name} was left out: {kept[index].name} tells it in the same words.")
            continue
        for mark in sample:
            places[mark].append(len(kept))
        kept.append(story)
    return tuple(kept), tuple(notes)


def _sample(text: str) -> set[int]:
    """Numbers for some of the runs of a text, nearly the same ones for a text that is nearly the same.

    They are every eighth of all numbers there are, and the lowest eight of the text, so that short texts have
    some too; of a text too short for a run, one number for itself.
    """
    marks = {zlib.crc32(run.encode()) for run in find_runs(text)}
    if not marks:
        return {zlib.crc32(" ".join(text.lower().split()).encode())}
    return {mark for mark in marks if mark % _SAMPLE == 0} | set(heapq.nsmallest(_SAMPLE, marks))
