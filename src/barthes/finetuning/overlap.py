"""Keep stories apart: hold some out, and find training texts that repeat or retell another text.

A run is `RUN` words in a row, in small letters, without anything but letters. Tellers share formulas
("once upon a time there lived a"), so a common run or two mean nothing: two texts overlap where they share
more than `LARGEST_SHARE` of the runs of the shorter one, and `FEWEST_RUNS` or more. So a page of a novel
overlaps with the novel, and the novel with its page.

Between the twelve books of folktales and ProppLearner the largest share that formulas come to is 0.15 %
(two runs); the one tale told again by another translator has 0.58 % (eleven runs); a copied tale has nearly
all. Other retellings share no run; they are found by their titles and rare words.
"""

from __future__ import annotations

import difflib
import hashlib
import heapq
import math
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from barthes.errors import TrainingError
from barthes.finetuning.texts import Texts, TrainingText, hash_text

RUN = 8  # words in a run
LARGEST_SHARE = 0.003
"""The share of the shorter text's runs above which two texts overlap."""

FEWEST_RUNS = 6
"""Different runs that overlapping texts share at least: thirteen words in a row, or six short formulas."""

# The cosine of two texts' tf-idf vectors above which one retells the other. Ransome's and Guterman's tale of
# Dawn, Evening and Midnight have 0.29, two tales of the seven Simeons 0.16; of unrelated folktales none comes
# above 0.14 with a tale of ProppLearner.
_LARGEST_COSINE = 0.15
_LIKE_TITLE = 0.85  # `difflib`'s ratio from which on two titles are the same but for their spelling
_COPIED_SHARE = 0.01  # of the shorter text's runs; two translations of a tale share 0.6 % at most
_REPEATED_SHARE = 0.5  # of a story's runs: translations of one tale share less, printings more
_SAMPLE = 8  # `drop_repeats` compares one run in eight: enough, and millions of words fit in memory
_WORD = re.compile(r"[^\W\d_]+")
_EMPTY_WORDS = frozenset("a an the of and or to in his her how story tale history".split())


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


@dataclass(frozen=True, slots=True)
class Overlap:
    """Word runs that a training text shares with another text.

    Attributes:
        shared: The number of different runs of the other text that are in the training text.
        share: The same as a share of all different runs of the shorter of the two, 0 to 1.
    """

    text: TrainingText
    other: TrainingText
    shared: int
    share: float


def hold_out(stories: Sequence[TrainingText], share: float, *, seed: int = 0) -> Split:
    """Hold out a share of the stories, chosen by their text and the seed.

    The order of files, their names and white space change nothing; copies of a story, and passages of one
    stretch of a book, stay together.

    >>> tales = [TrainingText(name, f"Tale {name}.") for name in "abcdefghij"]
    >>> split = hold_out(tales, 0.2)
    >>> len(split.train), len(split.held_out)
    (8, 2)
    """
    if share == 0:
        return Split(tuple(stories))
    hashes = [hash_text(story.stretch or story.text) for story in stories]
    order = sorted(set(hashes), key=lambda each: hashlib.sha256(f"{seed} {each}".encode()).digest())
    if len(order) < 2:
        raise TrainingError(
            "there is only one story, so that none can be held out.",
            remedy="Give more stories, name stories to measure on, or hold out a share of 0.",
        )
    chosen = set(order[: min(max(1, round(share * len(order))), len(order) - 1)])
    sides: tuple[list[TrainingText], list[TrainingText]] = ([], [])
    for story, each in zip(stories, hashes, strict=True):
        sides[each in chosen].append(story)
    return Split(tuple(sides[0]), tuple(sides[1]))


def set_apart(stories: Sequence[TrainingText], validation: Sequence[TrainingText]) -> Split:
    """Hold out the stories of `validation`, and train on those that share no passage with them.

    Another printing, a book that contains a story and a part of one count as sharing passages.
    """
    known = {hash_text(story.text): story.name for story in validation}
    same = {story: known[each] for story in stories if (each := hash_text(story.text)) in known}
    for overlap in _find_copies(stories, validation, above=_COPIED_SHARE):
        same.setdefault(overlap.text, overlap.other.name)
    train = tuple(story for story in stories if story not in same)
    if not train:
        raise TrainingError(
            "every story to train on is also one to measure on.", remedy="Name other stories to measure on."
        )
    notes = (
        f"{story.name} is not trained on: it has passages of {same[story]}, which is measured on."
        for story in stories
        if story in same
    )
    return Split(train, tuple(validation), tuple(notes), given=True)


def leave_out(texts: Texts, others: Sequence[TrainingText]) -> Texts:
    """Return the texts without those that overlap with another text or retell it, with a note for each."""
    reasons: dict[TrainingText, str] = {}
    for overlap in _find_copies(texts.stories, others, above=LARGEST_SHARE):
        runs = f"{overlap.shared} runs of {RUN} words ({overlap.share:.1%} of the shorter text's)"
        reasons.setdefault(overlap.text, f"{runs} are in {overlap.other.name} too.")
    for story, other, sign in find_retellings(texts.stories, others):
        reasons.setdefault(story, f"it seems to tell {other.name} in other words ({sign}).")
    kept = tuple(story for story in texts.stories if story not in reasons)
    notes = (f"{story.name} was left out: {reasons[story]}" for story in texts.stories if story in reasons)
    return replace(texts, stories=kept, notes=(*texts.notes, *notes))


def _find_copies(
    texts: Sequence[TrainingText], others: Sequence[TrainingText], *, above: float
) -> list[Overlap]:
    found = find_overlaps(texts, others)
    return [overlap for overlap in found if overlap.share > above and overlap.shared >= FEWEST_RUNS]


def find_overlaps(
    texts: Sequence[TrainingText], others: Sequence[TrainingText], *, words: int = RUN
) -> list[Overlap]:
    """Return every pair of a training text and another text that share a run, the largest share first.

    `words` is the length of a run; a shorter text has none.

    >>> tale = TrainingText("wolf", "A wolf came to the well, and there he drank.")
    >>> other = TrainingText("other", "“A wolf came to the well and there he slept.")
    >>> overlap = find_overlaps([tale], [other], words=4)[0]
    >>> overlap.shared, round(overlap.share, 2)
    (6, 0.86)
    """
    totals: list[int] = []
    owners: dict[str, list[int]] = defaultdict(list)  # the other texts that have a run
    for index, other in enumerate(others):
        known = set(_find_runs(other.text, words))
        totals.append(len(known))
        for run in known:
            owners[run].append(index)
    overlaps = []
    for text in texts:
        runs = set(_find_runs(text.text, words))
        for index, shared in Counter(index for run in runs for index in owners.get(run, ())).items():
            share = shared / min(len(runs), totals[index])
            overlaps.append(Overlap(text, others[index], shared, share))
    return sorted(overlaps, key=lambda overlap: (-overlap.share, overlap.text.name, overlap.other.name))


def find_retellings(
    texts: Sequence[TrainingText], others: Sequence[TrainingText]
) -> list[tuple[TrainingText, TrainingText, str]]:
    """Return every training text and another text with one title or the same rare words, and the evidence.

    Both signs err towards leaving out: a tale that only has the title of another costs little.

    >>> tale = TrainingText("book: The Story of the Seven Simons", "Far away there lived seven brothers.")
    >>> find_retellings([tale], [TrainingText("story10: The Seven Simeons", "An old man had sons.")])[0][2]
    'the titles are alike'
    """
    frequencies = Counter(word for text in [*texts, *others] for word in set(_split(text.text)))
    total = len(texts) + len(others)
    vectors = [_weigh(other.text, frequencies, total) for other in others]
    found = []
    for text in texts:  # vectors are made one by one: all of a large data set would fill the memory
        vector = _weigh(text.text, frequencies, total)
        for other, known in zip(others, vectors, strict=True):
            cosine = sum(weight * known[word] for word, weight in vector.items() if word in known)
            if _are_alike(_read_title(text.name), _read_title(other.name)):
                found.append((text, other, "the titles are alike"))
            elif cosine > _LARGEST_COSINE:
                found.append((text, other, f"rare words in common: {cosine:.2f}"))
    return found


def drop_repeats(stories: Sequence[TrainingText]) -> tuple[tuple[TrainingText, ...], tuple[str, ...]]:
    """Return the stories without those that an earlier one tells in the same words, and a note for each.

    >>> tale = "The wolf went to the well and drank, and then he lay down under the old oak and slept."
    >>> kept, notes = drop_repeats([TrainingText("a", tale), TrainingText("b", tale.upper())])
    >>> [story.name for story in kept], notes
    (['a'], ('b was left out: a tells it in the same words.',))
    """
    kept: list[TrainingText] = []
    notes: list[str] = []
    owners: dict[int, list[int]] = defaultdict(list)
    for story in stories:
        sample = _sample(story.text)
        shared = Counter(index for mark in sample for index in owners.get(mark, ()))
        index, count = max(shared.items(), key=lambda item: item[1], default=(0, 0))
        if count > _REPEATED_SHARE * len(sample):
            notes.append(f"{story.name} was left out: {kept[index].name} tells it in the same words.")
            continue
        for mark in sample:
            owners[mark].append(len(kept))
        kept.append(story)
    return tuple(kept), tuple(notes)


def _split(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _find_runs(text: str, words: int = RUN) -> Iterator[str]:
    """Yield the runs of a text in order.

    >>> list(_find_runs("The wolf's paw, 3 times", 3))
    ['the wolf s', 'wolf s paw', 's paw times']
    """
    found = _split(text)
    return (" ".join(found[start : start + words]) for start in range(len(found) - words + 1))


def _sample(text: str) -> set[int]:
    """Return hashes of some runs of a text, nearly the same ones for a text that is nearly the same.

    These are every eighth of all possible hashes, and the text's lowest eight, so that short texts have some
    too; for a text too short for a run, the hash of the text.
    """
    hashes = {zlib.crc32(run.encode()) for run in _find_runs(text)}
    if not hashes:
        return {zlib.crc32(" ".join(text.lower().split()).encode())}
    return {each for each in hashes if each % _SAMPLE == 0} | set(heapq.nsmallest(_SAMPLE, hashes))


def _weigh(text: str, frequencies: Counter[str], total: int) -> dict[str, float]:
    """Return the words of a text weighted by (1 + ln tf) · ln(N / df), scaled to length 1."""
    weights = {
        word: (1 + math.log(number)) * math.log(total / frequencies[word])
        for word, number in Counter(_split(text)).items()
    }
    length = math.hypot(*weights.values()) or 1.0
    return {word: weight / length for word, weight in weights.items()}


def _read_title(name: str) -> str:
    """Return the telling words of a title; nothing for a text that is only named by its file."""
    return " ".join(word for word in _split(name.partition(": ")[2]) if word not in _EMPTY_WORDS)


def _are_alike(first: str, second: str) -> bool:
    matcher = difflib.SequenceMatcher(None, first, second, autojunk=False)
    likely = first and second and matcher.real_quick_ratio() >= _LIKE_TITLE
    return bool(likely and matcher.ratio() >= _LIKE_TITLE)
