"""Split stories into training and held-out ones, and find training texts that repeat or retell others.

Texts are compared by their n-grams: `NGRAM` words in a row, lower-cased, letters only. Folktales share
formulas ("once upon a time there lived a"), so one or two common n-grams mean nothing. Two texts overlap if
they share more than `MAX_SHARE` of the n-grams of the shorter text, and at least `MIN_SHARED`; so a page of
a novel overlaps with the novel. Between the twelve books of folktales and ProppLearner, formulas account for
at most 0.15 % (two n-grams), a tale in another translation for 0.58 % (eleven), a copy for nearly all. Other
retellings share no n-gram and are found by their titles and rare words.
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
from barthes_research.finetuning.texts import Texts, TrainingText, collapse, hash_text

NGRAM = 8  # words
MAX_SHARE = 0.003  # of the shorter text's n-grams; overlapping texts share more
MIN_SHARED = 6  # n-grams that overlapping texts share: thirteen words in a row, or six short formulas

# Cosine similarity of tf-idf vectors above which a text retells another. Ransome's and Guterman's tales of
# Dawn, Evening and Midnight have 0.29, two tales of the seven Simeons 0.16; unrelated folktales have at most
# 0.14 with any tale of ProppLearner.
_MAX_COSINE = 0.15
_SIMILAR_TITLE = 0.85  # `difflib` ratio of titles that differ only in spelling
_COPIED_SHARE = 0.01  # of the shorter text's n-grams; two translations of a tale share at most 0.6 %
_REPEATED_SHARE = 0.5  # of a story's n-grams; two translations share less, two printings more
_SAMPLE = 8  # `drop_repeats` compares one n-gram in eight, so that millions of words fit in memory
_WORD = re.compile(r"[^\W\d_]+")
_TITLE_STOP_WORDS = frozenset("a an the of and or to in his her how story tale history".split())


@dataclass(frozen=True, slots=True)
class Split:
    """Stories to train on, and held-out stories.

    Attributes:
        notes: Notes for the user.
        given: Whether the user chose the held-out stories.
    """

    train: tuple[TrainingText, ...]
    held_out: tuple[TrainingText, ...] = ()
    notes: tuple[str, ...] = ()
    given: bool = False


@dataclass(frozen=True, slots=True)
class Overlap:
    """The n-grams that a training text shares with another text.

    Attributes:
        shared: The number of distinct n-grams in both texts.
        share: The same as a share of the distinct n-grams of the shorter text, 0 to 1.
    """

    text: TrainingText
    other: TrainingText
    shared: int
    share: float


def hold_out(stories: Sequence[TrainingText], share: float, *, seed: int = 0) -> Split:
    """Hold out a share of the stories, chosen by their text and the seed.

    File names, the order of files and white space make no difference. Copies of a story, and passages of
    the same stretch of a book, stay together.
    """
    if share == 0:
        return Split(tuple(stories))
    hashes = [hash_text(story.stretch or story.text) for story in stories]
    order = sorted(set(hashes), key=lambda each: hashlib.sha256(f"{seed} {each}".encode()).digest())
    if len(order) < 2:
        raise TrainingError(
            "there is only one story, so none can be held out.",
            remedy="Give more stories, name stories to measure on, or hold out a share of 0.",
            option="validate held_out",
        )
    chosen = set(order[: min(max(1, round(share * len(order))), len(order) - 1)])
    pairs = list(zip(stories, hashes, strict=True))
    train = tuple(story for story, each in pairs if each not in chosen)
    return Split(train, tuple(story for story, each in pairs if each in chosen))


def set_apart(stories: Sequence[TrainingText], validation: Sequence[TrainingText]) -> Split:
    """Hold out the stories of `validation`, and train on those that share no passage with them.

    Another printing, a book that contains a story and a part of a story count as sharing passages.
    """
    known = {hash_text(story.text): story.name for story in validation}
    same = {story: known[each] for story in stories if (each := hash_text(story.text)) in known}
    for overlap in find_overlaps(stories, validation, above=_COPIED_SHARE, least=MIN_SHARED):
        same.setdefault(overlap.text, overlap.other.name)
    train = tuple(story for story in stories if story not in same)
    if not train:
        raise TrainingError(
            "every story to train on is also one to measure on.",
            remedy="Name other stories to measure on.",
            option="validate",
        )
    notes = (
        f"{story.name} is not trained on: it shares passages with {same[story]}, which is held out."
        for story in stories
        if story in same
    )
    return Split(train, tuple(validation), tuple(notes), given=True)


def leave_out(texts: Texts, others: Sequence[TrainingText]) -> Texts:
    """Return the texts without those that overlap with or retell one of `others`, with a note for each."""
    reasons: dict[TrainingText, str] = {}
    for overlap in find_overlaps(texts.stories, others, above=MAX_SHARE, least=MIN_SHARED):
        count = f"{overlap.shared} sequences of {NGRAM} words ({overlap.share:.1%} of the shorter text)"
        reasons.setdefault(overlap.text, f"it shares {count} with {overlap.other.name}.")
    for story, other, evidence in find_retellings(texts.stories, others):
        reasons.setdefault(story, f"it seems to retell {other.name} ({evidence}).")
    kept = tuple(story for story in texts.stories if story not in reasons)
    notes = (f"{story.name} was left out: {reasons[story]}" for story in texts.stories if story in reasons)
    return replace(texts, stories=kept, notes=(*texts.notes, *notes))


def find_overlaps(
    texts: Sequence[TrainingText],
    others: Sequence[TrainingText],
    *,
    above: float = 0.0,
    least: int = 1,
    words: int = NGRAM,
) -> list[Overlap]:
    """Return every pair of a training text and another text with common n-grams, largest share first.

    Args:
        above: Return only pairs with a larger share.
        least: Return only pairs with at least this many common n-grams.
        words: Words per n-gram.
    """
    totals: list[int] = []
    owners: dict[str, list[int]] = defaultdict(list)  # indices of the other texts that contain an n-gram
    for index, other in enumerate(others):
        known = set(_list_ngrams(other.text, words))
        totals.append(len(known))
        for ngram in known:
            owners[ngram].append(index)
    overlaps = []
    for text in texts:
        ngrams = set(_list_ngrams(text.text, words))
        for index, shared in Counter(index for ngram in ngrams for index in owners.get(ngram, ())).items():
            overlap = Overlap(text, others[index], shared, shared / min(len(ngrams), totals[index]))
            if overlap.share > above and shared >= least:
                overlaps.append(overlap)
    return sorted(overlaps, key=lambda overlap: (-overlap.share, overlap.text.name, overlap.other.name))


def find_retellings(
    texts: Sequence[TrainingText], others: Sequence[TrainingText]
) -> list[tuple[TrainingText, TrainingText, str]]:
    """Return the pairs of a training text and another text with similar titles or rare words, and why.

    Both criteria may leave out too much: losing a tale that merely shares a title costs little.
    """
    frequencies = Counter(word for text in [*texts, *others] for word in set(_split(text.text)))
    total = len(texts) + len(others)
    vectors = [_weigh(other.text, frequencies, total) for other in others]
    found = []
    for text in texts:  # one vector at a time, because those of a large data set would fill the memory
        vector = _weigh(text.text, frequencies, total)
        for other, known in zip(others, vectors, strict=True):
            cosine = sum(weight * known[word] for word, weight in vector.items() if word in known)
            if _are_similar(_read_title(text.name), _read_title(other.name)):
                found.append((text, other, "similar titles"))
            elif cosine > _MAX_COSINE:
                found.append((text, other, f"rare words in common, cosine {cosine:.2f}"))
    return found


def drop_repeats(stories: Sequence[TrainingText]) -> tuple[tuple[TrainingText, ...], tuple[str, ...]]:
    """Return the stories without those that repeat an earlier one, and a note for each dropped story."""
    kept: list[TrainingText] = []
    notes: list[str] = []
    owners: dict[int, list[int]] = defaultdict(list)
    for story in stories:
        sample = _sample_ngrams(story.text)
        shared = Counter(index for each in sample for index in owners.get(each, ()))
        index, count = max(shared.items(), key=lambda item: item[1], default=(0, 0))
        if count > _REPEATED_SHARE * len(sample):
            notes.append(f"{story.name} was left out: it repeats {kept[index].name}.")
            continue
        for each in sample:
            owners[each].append(len(kept))
        kept.append(story)
    return tuple(kept), tuple(notes)


def _split(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _list_ngrams(text: str, words: int = NGRAM) -> Iterator[str]:
    found = _split(text)
    return (" ".join(found[start : start + words]) for start in range(len(found) - words + 1))


def _sample_ngrams(text: str) -> set[int]:
    """Return hashes of about an eighth of the n-grams, nearly the same ones for nearly equal texts.

    The eight lowest hashes are always included, so that short texts have some too. A text without n-grams
    has one hash, of all its words.
    """
    hashes = {zlib.crc32(ngram.encode()) for ngram in _list_ngrams(text)}
    if not hashes:
        return {zlib.crc32(collapse(text.lower()).encode())}
    return {each for each in hashes if each % _SAMPLE == 0} | set(heapq.nsmallest(_SAMPLE, hashes))


def _weigh(text: str, frequencies: Counter[str], total: int) -> dict[str, float]:
    """Return the tf-idf vector of a text, (1 + ln tf) · ln(N / df), scaled to length 1."""
    weights = {
        word: (1 + math.log(number)) * math.log(total / frequencies[word])
        for word, number in Counter(_split(text)).items()
    }
    length = math.hypot(*weights.values()) or 1.0
    return {word: weight / length for word, weight in weights.items()}


def _read_title(name: str) -> str:
    """Return the significant words of a title; an empty string if the name is only a file name."""
    return " ".join(word for word in _split(name.partition(": ")[2]) if word not in _TITLE_STOP_WORDS)


def _are_similar(first: str, second: str) -> bool:
    matcher = difflib.SequenceMatcher(None, first, second, autojunk=False)
    likely = first and second and matcher.real_quick_ratio() >= _SIMILAR_TITLE
    return bool(likely and matcher.ratio() >= _SIMILAR_TITLE)
