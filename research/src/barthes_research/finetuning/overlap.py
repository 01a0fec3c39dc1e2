"""Split stories into training and held-out ones, and leave out training texts that repeat or retell others.

Texts are compared by their n-grams: eight words in a row, lower-cased, letters only. Folktales share formulas
("once upon a time there lived a"), so one or two common n-grams mean nothing. Two texts overlap if they share
more than `MAX_SHARE` of the n-grams of the shorter text, and at least `MIN_SHARED`; so a page of a novel
overlaps with the novel. Between the twelve books of folktales and ProppLearner, formulas account for at most
0.15 % (two n-grams), a tale in another translation for 0.58 % (eleven), a copy for nearly all. Other
retellings share no n-gram and are found by their titles and rare words. This may leave out too much: losing
a tale that merely shares a title costs little.
"""

from __future__ import annotations

import difflib
import hashlib
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from barthes.errors import TrainingError
from barthes_research.finetuning.texts import Texts, TrainingText, hash_text

NGRAM = 8  # words
MAX_SHARE = 0.003  # of the shorter text's n-grams; overlapping texts share more
MIN_SHARED = 6  # n-grams that overlapping texts share: thirteen words in a row, or six short formulas

# Cosine similarity of tf-idf vectors above which a text retells another. Ransome's and Guterman's tales of
# Dawn, Evening and Midnight have 0.29, two tales of the seven Simeons 0.16; unrelated folktales have at most
# 0.14 with any tale of ProppLearner.
_MAX_COSINE = 0.15
_SIMILAR_TITLE = 0.85  # `difflib` ratio of titles that differ only in spelling
_WORD = re.compile(r"[^\W\d_]+")
_TITLE_STOP_WORDS = frozenset("a an the of and or to in his her how story tale history".split())


@dataclass(frozen=True, slots=True)
class Split:
    """Stories to train on, held-out stories, whether the user chose the latter, and notes for the user."""

    train: tuple[TrainingText, ...]
    held_out: tuple[TrainingText, ...] = ()
    given: bool = False
    notes: tuple[str, ...] = ()


def hold_out(stories: Sequence[TrainingText], share: float, *, seed: int = 0) -> Split:
    """Hold out a share of the stories, chosen by their text and the seed.

    File names, the order of files and white space make no difference. Copies of a story stay together.
    """
    if share == 0:
        return Split(tuple(stories))
    hashes = [hash_text(story.text) for story in stories]
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


def leave_out(texts: Texts, others: Sequence[TrainingText], *, retellings: bool = True) -> Texts:
    """Return the texts without those that overlap with or retell one of `others`, with a note for each.

    Args:
        retellings: Also leave out retellings; chapters of one novel would count as such.

    Raises:
        TrainingError: No story is left.
    """
    known = _OtherTexts(texts.stories, others)
    reasons = {
        story: known.find_overlap(story) or (known.find_retelling(story) if retellings else None)
        for story in texts.stories
    }
    kept = tuple(story for story in texts.stories if reasons[story] is None)
    if texts.stories and not kept:
        raise TrainingError(
            f"all {len(texts.stories)} training stories share passages with stories to leave out.",
            remedy="Give other stories to train on, or to leave out.",
            option="train leave_out validate",
        )
    notes = (f"{story.name} was left out: {reason}" for story, reason in reasons.items() if reason)
    return replace(texts, stories=kept, notes=(*texts.notes, *notes))


class _OtherTexts:
    """The texts that training texts are compared with, indexed by their n-grams and rare words."""

    def __init__(self, stories: Sequence[TrainingText], others: Sequence[TrainingText]) -> None:
        self.others = others
        self.names = {hash_text(other.text): other.name for other in others}
        self.ngrams = [list_ngrams(other.text) for other in others]
        self.owners: dict[str, list[int]] = {}
        for index, known in enumerate(self.ngrams):
            for ngram in known:
                self.owners.setdefault(ngram, []).append(index)
        frequencies = Counter(word for text in (*stories, *others) for word in set(_split(text.text)))
        total = len(stories) + len(others)
        self.weights = {word: math.log(total / count) for word, count in frequencies.items()}
        self.vectors = [self._weigh(other.text) for other in others]

    def find_overlap(self, story: TrainingText) -> str | None:
        """Return with what a story overlaps, as the end of a note; None if with nothing."""
        if (name := self.names.get(hash_text(story.text))) is not None:
            return f"it repeats {name}."
        ngrams = list_ngrams(story.text)
        for index, shared in Counter(i for ngram in ngrams for i in self.owners.get(ngram, ())).items():
            share = shared / min(len(ngrams), len(self.ngrams[index]))
            if shared >= MIN_SHARED and share > MAX_SHARE:
                count = f"{shared} sequences of {NGRAM} words ({share:.1%} of the shorter text)"
                return f"it shares {count} with {self.others[index].name}."
        return None

    def find_retelling(self, story: TrainingText) -> str | None:
        """Return what a story seems to retell, as the end of a note; None if nothing."""
        vector = self._weigh(story.text)
        for other, known in zip(self.others, self.vectors, strict=True):
            if _are_similar(_read_title(story.name), _read_title(other.name)):
                return f"it seems to retell {other.name} (similar titles)."
            cosine = sum(weight * known[word] for word, weight in vector.items() if word in known)
            if cosine > _MAX_COSINE:
                return f"it seems to retell {other.name} (rare words in common, cosine {cosine:.2f})."
        return None

    def _weigh(self, text: str) -> Mapping[str, float]:
        """Return the tf-idf vector of a text, (1 + ln tf) · ln(N / df), scaled to length 1."""
        counts = Counter(_split(text))
        vector = {word: (1 + math.log(count)) * self.weights[word] for word, count in counts.items()}
        length = math.hypot(*vector.values()) or 1.0
        return {word: weight / length for word, weight in vector.items()}


def list_ngrams(text: str, words: int = NGRAM) -> set[str]:
    """Return the n-grams of a text.

    >>> sorted(list_ngrams("A wolf came, 3 of them.", words=3))
    ['a wolf came', 'came of them', 'wolf came of']
    """
    found = _split(text)
    return {" ".join(found[start : start + words]) for start in range(len(found) - words + 1)}


def _split(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _read_title(name: str) -> str:
    """Return the significant words of a title; an empty string if the name is only a file name."""
    return " ".join(word for word in _split(name.partition(": ")[2]) if word not in _TITLE_STOP_WORDS)


def _are_similar(first: str, second: str) -> bool:
    matcher = difflib.SequenceMatcher(None, first, second, autojunk=False)
    likely = first and second and matcher.real_quick_ratio() >= _SIMILAR_TITLE
    return bool(likely and matcher.ratio() >= _SIMILAR_TITLE)
