"""The same tale in other words: another translation, or another teller, that shares no word run with it.

Two signs are looked for: a title that is nearly the same, and rare words that are the same, weighted as
for searching (the cosine of tf-idf vectors over all the texts given). Both err towards leaving out: a
tale that only has the title of another, or its hero's name, costs little.
"""

from __future__ import annotations

import difflib
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from barthes.finetuning.training_text import TrainingText

__all__ = ["LARGEST_COSINE", "LIKE_TITLE", "Retelling", "find_retellings"]

LARGEST_COSINE = 0.15
"""Of two texts' vectors. Ransome's and Guterman's tale of Dawn, Evening and Midnight have 0.29, two tales of
the seven Simeons 0.16; of unrelated folktales none comes above 0.14 with a tale of ProppLearner."""

LIKE_TITLE = 0.85
"""The ratio of `difflib.SequenceMatcher` from which on two titles are the same but for their spelling."""

_WORD = re.compile(r"[^\W\d_]+")
_EMPTY = frozenset("a an the of and or to in his her how story tale history".split())


@dataclass(frozen=True, slots=True)
class Retelling:
    """A training text that seems to tell another text.

    Attributes:
        text: The training text's name.
        other: The other text's.
        sign: What speaks for it, in words.
    """

    text: str
    other: str
    sign: str


def find_retellings(texts: Sequence[TrainingText], others: Sequence[TrainingText]) -> list[Retelling]:
    """Every pair of a training text and another text that seem to tell the same, by title or by rare words.

    >>> tale = TrainingText("book: The Story of the Seven Simons", "Far away there lived seven brothers.")
    >>> find_retellings([tale], [TrainingText("story10: The Seven Simeons", "An old man had sons.")])[0].sign
    'the titles are alike'
    """
    found = []
    weights = _Weights([*texts, *others])
    vectors = [weights.weigh(other) for other in others]
    for text in texts:
        vector = weights.weigh(text)
        for other, known in zip(others, vectors, strict=True):
            cosine = sum(weight * known[word] for word, weight in vector.items() if word in known)
            if _are_alike(text, other):
                found.append(Retelling(text.name, other.name, "the titles are alike"))
            elif cosine > LARGEST_COSINE:
                found.append(Retelling(text.name, other.name, f"rare words in common: {cosine:.2f}"))
    return found


def _are_alike(text: TrainingText, other: TrainingText) -> bool:
    first, second = _read_title(text.name), _read_title(other.name)
    if not first or not second:
        return False
    matcher = difflib.SequenceMatcher(None, first, second, autojunk=False)
    return matcher.real_quick_ratio() >= LIKE_TITLE and matcher.ratio() >= LIKE_TITLE


def _read_title(name: str) -> str:
    """The words of a title that say something; none where a text is only called by its file."""
    words = _WORD.findall(name.partition(": ")[2].lower())
    return " ".join(word for word in words if word not in _EMPTY)


class _Weights:
    """How much words say, by the number of texts that have them.

    Vectors are made one by one: those of a large data set, all at once, would fill the memory.
    """

    def __init__(self, texts: Sequence[TrainingText]) -> None:
        self._total = len(texts)
        self._frequencies = Counter(word for text in texts for word in set(_split(text)))

    def weigh(self, text: TrainingText) -> dict[str, float]:
        """The words of one of the texts, by (1 + ln tf) · ln(N / df), to the length 1."""
        weights = {
            word: (1 + math.log(number)) * math.log(self._total / self._frequencies[word])
            for word, number in Counter(_split(text)).items()
        }
        length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        return {word: weight / length for word, weight in weights.items()}


def _split(text: TrainingText) -> list[str]:
    return _WORD.findall(text.text.lower())
