"""The likelihood of whole texts, and the perplexity of a model on them (lower is better).

Perplexity is exp(-mean log P) over all tokens, so that long texts count more than short ones. How texts are
read is said in `barthes.models.windows`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from barthes.models.language_model import LanguageModel
from barthes.models.windows import predict_tokens
from barthes.narrative import Narrative


@dataclass(frozen=True, slots=True)
class Likelihood:
    """The log-probability (nats) and the number of tokens of one text, or of several together.

    >>> coin = Likelihood(3 * math.log(0.5), tokens=3)
    >>> round(coin.perplexity, 6), round(coin.mean_log_probability, 3)
    (2.0, -0.693)
    """

    log_probability: float
    tokens: int
    title: str = ""

    @property
    def mean_log_probability(self) -> float | None:
        """Mean log P per token, nats; None if there are no tokens."""
        return self.log_probability / self.tokens if self.tokens else None

    @property
    def perplexity(self) -> float | None:
        """exp(-mean log P); infinite on overflow, None if there are no tokens."""
        mean = self.mean_log_probability
        if mean is None:
            return None
        try:
            return math.exp(-mean)
        except OverflowError:
            return math.inf

    def to_dict(self) -> dict[str, Any]:
        """Return the figures for JSON; infinite values are None."""
        perplexity = self.perplexity
        return {
            "text": self.title,
            "tokens": self.tokens,
            "log_probability": self.log_probability,
            "mean_log_probability": self.mean_log_probability,
            "perplexity": perplexity if perplexity is not None and math.isfinite(perplexity) else None,
        }


@dataclass(frozen=True, slots=True)
class Perplexity:
    """The perplexity of a model on several texts, in the order given."""

    model: str
    precision: str
    texts: tuple[Likelihood, ...]

    @property
    def total(self) -> Likelihood:
        """The likelihood of all texts together."""
        total = math.fsum(text.log_probability for text in self.texts)
        return Likelihood(total, sum(text.tokens for text in self.texts), "all")

    @property
    def tokens(self) -> int:
        """The number of tokens in all texts."""
        return self.total.tokens

    @property
    def mean_log_probability(self) -> float | None:
        """Mean log P per token over all texts, nats; None if there are no tokens."""
        return self.total.mean_log_probability

    @property
    def value(self) -> float | None:
        """The perplexity over all texts; None if there are no tokens."""
        return self.total.perplexity

    def to_dict(self) -> dict[str, Any]:
        """Return the model, the figures for all texts together and those of each text."""
        total = self.total.to_dict()
        del total["text"]
        about = {"model": self.model, "precision": self.precision}
        return about | total | {"texts": [text.to_dict() for text in self.texts]}


def measure_perplexity(
    model: LanguageModel,
    narratives: Iterable[Narrative],
    *,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Perplexity:
    """Measure how well a model predicts narratives.

    Args:
        model: Any language model.
        narratives: The texts. One that does not fit into the model's context is read in overlapping windows.
        progress: Called with the number of characters read so far and in total.

    Raises:
        ModelError: The model returned NaN or infinity.

    >>> from barthes.models.counting import CountingModel
    >>> story = Narrative.from_sentences(["a", "b"], title="letters")
    >>> found = measure_perplexity(CountingModel(["a b a b"], k=1.0), [story])   # P = 2/5 · 3/6
    >>> round(found.value, 4), found.tokens
    (2.2361, 2)
    """
    texts = list(narratives)
    size = sum(len(narrative.text) for narrative in texts)
    read, found = 0, []
    for narrative in texts:
        progress(read, size)
        found.append(measure_likelihood(model, list(map(str, narrative)), title=narrative.title))
        read += len(narrative.text)
    progress(read, size)
    return Perplexity(model.name, model.precision, tuple(found))


def measure_likelihood(model: LanguageModel, sentences: Sequence[str], *, title: str = "") -> Likelihood:
    """Return the likelihood of sentences in this order, joined by one space.

    Raises:
        ModelError: The model returned NaN or infinity.

    >>> from barthes.models.counting import CountingModel
    >>> found = measure_likelihood(CountingModel(["a b a b"], k=1.0), ["a", "b"])   # 2/5 · 3/6
    >>> round(math.exp(found.log_probability), 6), found.tokens
    (0.2, 2)
    """
    ids = [token for tokens in model.encode(sentences) for token in tokens]
    return Likelihood(float(predict_tokens(model, ids).sum()), len(ids), title)
