"""Word runs that training texts share with other texts: what must stay unseen is left out of training.

A run is `words` words in a row, in small letters, without anything but letters. Tellers share formulas
("once upon a time there lived a"), so a common run or two mean nothing: a training text overlaps with
another text where they share more than `LARGEST_SHARE` of the runs of the shorter one, and `FEWEST_RUNS` or
more. So a page of a novel overlaps with the novel, and the novel with its page.

Between the twelve books of folktales and ProppLearner the largest share that formulas come to is 0.15 %
(two runs); the one tale that is told again, by another translator, has 0.58 % (eleven runs); a tale that
is copied has nearly all. A retelling may share no run at all: see `barthes.finetuning.retellings`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from barthes.finetuning.retellings import find_retellings
from barthes.finetuning.training_text import Texts, TrainingText

__all__ = ["FEWEST_RUNS", "LARGEST_SHARE", "RUN", "Overlap", "find_overlaps", "find_runs", "leave_out"]

RUN = 8
"""Words in a row."""

LARGEST_SHARE = 0.003
"""Of the shorter text's runs."""

FEWEST_RUNS = 6
"""Different runs: thirteen words in a row, or six short formulas."""

_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Overlap:
    """What a training text shares with another text.

    Attributes:
        text: The training text's name.
        other: The other text's.
        shared: How many different runs of the other text are in the training text.
        share: The same as a share of all different runs of the shorter of the two, 0 to 1.
        example: The longest passage that they share, in small letters.
    """

    text: str
    other: str
    shared: int
    share: float
    example: str


def find_overlaps(
    texts: Sequence[TrainingText], others: Sequence[TrainingText], *, words: int = RUN
) -> list[Overlap]:
    """Every pair of a training text and another text that have a run in common, the largest share first.

    Args:
        texts: The training texts.
        others: The texts that should not be in them.
        words: The length of a run; a text that is shorter has none.

    >>> tale = TrainingText("wolf", "A wolf came to the well, and there he drank.")
    >>> told = TrainingText("other", "“A wolf came to the well and there he slept.")
    >>> overlap = find_overlaps([tale], [told], words=4)[0]
    >>> overlap.shared, round(overlap.share, 2), overlap.example
    (6, 0.86, 'a wolf came to the well and there he')
    """
    if words < 1:
        raise ValueError(f"a run has at least one word, not {words}")
    totals: list[int] = []
    places: dict[str, list[int]] = defaultdict(list)
    for index, other in enumerate(others):
        known = set(find_runs(other.text, words=words))
        totals.append(len(known))
        for run in known:
            places[run].append(index)
    overlaps = []
    for text in texts:
        runs = list(find_runs(text.text, words=words))
        total = len(set(runs))
        for index, found in _find_places(runs, places).items():
            shared = len({runs[place] for place in found})
            share = shared / min(total, totals[index])
            overlaps.append(Overlap(text.name, others[index].name, shared, share, _join(runs, found)))
    return sorted(overlaps, key=lambda overlap: (-overlap.share, overlap.text, overlap.other))


def find_runs(text: str, *, words: int = RUN) -> Iterator[str]:
    """The runs of a text, in its order.

    >>> list(find_runs("The wolf's paw, 3 times", words=3))
    ['the wolf s', 'wolf s paw', 's paw times']
    """
    found = _WORD.findall(text.lower())
    return (" ".join(found[start : start + words]) for start in range(len(found) - words + 1))


def leave_out(texts: Texts, others: Sequence[TrainingText]) -> Texts:
    """The texts without those that overlap with one of the others or tell it again, and a note for each.

    Args:
        texts: The training texts.
        others: The texts that should not be in them, in any words.
    """
    notes: dict[str, str] = {}
    for overlap in find_overlaps(texts.stories, others):
        if overlap.share > LARGEST_SHARE and overlap.shared >= FEWEST_RUNS:
            of = f"{overlap.shared} runs of {RUN} words ({overlap.share:.1%} of the shorter text's)"
            notes.setdefault(overlap.text, f"{overlap.text} was left out: {of} are in {overlap.other} too.")
    for retelling in find_retellings(texts.stories, others):
        told = f"it seems to tell {retelling.other} in other words ({retelling.sign})"
        notes.setdefault(retelling.text, f"{retelling.text} was left out: {told}.")
    kept = tuple(story for story in texts.stories if story.name not in notes)
    order = (notes[story.name] for story in texts.stories if story.name in notes)
    return replace(texts, stories=kept, notes=(*texts.notes, *order))


def _find_places(runs: Sequence[str], places: dict[str, list[int]]) -> dict[int, list[int]]:
    """For each other text that shares some of the runs, which of them, in order."""
    found: dict[int, list[int]] = defaultdict(list)
    for place, run in enumerate(runs):
        for index in places.get(run, ()):
            found[index].append(place)
    return found


def _join(runs: Sequence[str], found: Sequence[int]) -> str:
    """The longest passage that consecutive runs make."""
    best = start = found[0]
    length = 0
    for before, place in zip([found[0] - 1, *found], found, strict=False):
        start = start if place == before + 1 else place
        if place - start + 1 > length:
            best, length = start, place - start + 1
    return " ".join([runs[best], *(run.rpartition(" ")[2] for run in runs[best + 1 : best + length])])
