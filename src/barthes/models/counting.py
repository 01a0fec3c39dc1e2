"""A bigram model over words with add-k smoothing, small enough to check by hand.

It is meant for tests, doctests and teaching, and needs neither torch nor a download: it is trained on the
texts that it is given, which may include the story to be scored.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from barthes.models.language_model import FloatArray, PlainReading

_WORD = re.compile(r"\w+|[^\w\s]")
_END = "</s>"
_UNKNOWN = "<unk>"


class CountingModel:
    """P(b | a) = (count(a b) + k) / (count(a) + k · |V|), over lower-cased words and punctuation.

    |V| counts the words seen in training, the end-of-text token and one token for all unknown words.
    The history is one word, so deleting a sentence changes only the first word of the next one.

    Args:
        texts: The training texts. The end-of-text token is before and after each of them.
        k: The constant added to every count; the larger it is, the closer the model is to uniform.

    >>> model = CountingModel(["a b a b"], k=1.0)
    >>> model.vocabulary
    ('</s>', '<unk>', 'a', 'b')
    >>> [tokens] = model.encode(["a b"])
    >>> model.read([model.start_token, *tokens]).log_probabilities.round(3).tolist()   # 2/5, 3/6
    [-0.916, -0.693]
    """

    def __init__(self, texts: Iterable[str], *, k: float = 0.1) -> None:
        if k <= 0:
            raise ValueError(f"k must be positive, not {k}")
        stories = [_words(text) for text in texts]
        seen = sorted({word for words in stories for word in words})
        self.vocabulary: tuple[str, ...] = (_END, _UNKNOWN, *seen)
        self.k = k
        self._ids = {word: i for i, word in enumerate(self.vocabulary)}
        self._pairs: Counter[tuple[int, int]] = Counter()
        self._histories: Counter[int] = Counter()
        for words in stories:
            tokens = [0, *(self._ids[word] for word in words), 0]
            self._pairs.update(pairwise(tokens))
            self._histories.update(tokens[:-1])

    name = "counting"
    precision = "float64"
    hardware = "cpu"
    context_length: int | None = None
    notes: tuple[str, ...] = ()
    start_token = 0
    end_token = 0

    @property
    def fingerprint(self) -> str:
        """A hash of the counts, the vocabulary and k."""
        content = [self.k, self.vocabulary, sorted(self._pairs.items())]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()

    def encode(self, pieces: Sequence[str]) -> list[list[int]]:
        """Return the token ids of each piece's words; unseen words get the id of the unknown word."""
        unknown = self._ids[_UNKNOWN]
        return [[self._ids.get(word, unknown) for word in _words(piece)] for piece in pieces]

    def read(self, tokens: Sequence[int]) -> PlainReading:
        """Read a sequence of at least two tokens."""
        return PlainReading(self.continuation_log_probabilities, tokens)

    def states(
        self, tokens: Sequence[int], spans: Sequence[tuple[int, int]], *, layers: Sequence[int]
    ) -> FloatArray:
        """Return the relative frequency of every vocabulary word in each span, once per layer."""
        counts = [np.bincount(tokens[start:stop], minlength=len(self.vocabulary)) for start, stop in spans]
        rows = np.array([count / max(1, count.sum()) for count in counts])
        return np.repeat(rows[:, None], len(layers), axis=1)

    def continuation_log_probabilities(
        self, context: Sequence[int], continuation: Sequence[int]
    ) -> FloatArray:
        """Return log P(continuation[i] | the token before it), nats."""
        history = [context[-1], *continuation]
        size = self.k * len(self.vocabulary)
        return np.array(
            [
                np.log((self._pairs[pair] + self.k) / (self._histories[pair[0]] + size))
                for pair in pairwise(history)
            ],
            dtype=np.float64,
        )


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
