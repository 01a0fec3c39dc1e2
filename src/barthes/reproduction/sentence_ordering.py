"""Appendix A.1: is a tale likelier than the same tale with its sentences shuffled?

Likelihood is that of the whole text, a sum over its tokens. The order in which the tale is told is never
among the shufflings. Their likelihoods are kept in batches, so that an interruption costs one batch.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from barthes.corpora.propplearner import ProppLearner
from barthes.corpora.tale import Tale
from barthes.evaluation.identity import Identity, hash_story
from barthes.evaluation.model_identity import identify_model
from barthes.evaluation.plain import to_plain
from barthes.evaluation.significance import bootstrap_share
from barthes.evaluation.store import are_scores
from barthes.hashing import hash_content
from barthes.models.language_model import LanguageModel
from barthes.models.likelihood import measure_likelihood
from barthes.models.side_by_side import side_by_side
from barthes.narrative import Narrative
from barthes.reproduction.corpus_perplexity import likelihood_work
from barthes.reproduction.modes import Mode
from barthes.reproduction.published import ORDERING, ORDERING_PERMUTATIONS
from barthes.reproduction.work import Ledger, Work, estimate_tokens
from barthes.salience.method import Progress

__all__ = ["BATCH", "SentenceOrdering", "gather_ordering", "permute_sentences", "plan_ordering"]

BATCH = 10
"""Shufflings whose likelihoods are kept together."""

_SHUFFLED = "shuffled"


@dataclass(frozen=True)
class SentenceOrdering:
    """How often the tale was likelier than its shuffling; one as likely is a failure.

    Attributes:
        told: By tale, the log-probability of the whole text, in nats.
        shuffled: By tale, those of its shufflings; none for a tale that cannot be shuffled.
    """

    told: Mapping[str, float]
    shuffled: Mapping[str, Sequence[float]]

    @property
    def correct(self) -> dict[str, int]:
        """By tale, how often it was likelier."""
        return {tale: sum(told > each for each in self.shuffled[tale]) for tale, told in self.told.items()}

    @property
    def pairs(self) -> dict[str, int]:
        """By tale, out of how many."""
        return {tale: len(self.shuffled[tale]) for tale in self.told}

    @property
    def accuracy(self) -> float | None:
        """The share over all pairs."""
        total = sum(self.pairs.values())
        return sum(self.correct.values()) / total if total else None

    def to_dict(self) -> dict[str, Any]:
        """The figures and the likelihoods behind them; the interval is bootstrapped over tales."""
        found, pairs = self.correct, self.pairs
        correct, total = sum(found.values()), sum(pairs.values())
        plain: dict[str, Any] = to_plain(
            {
                "pairs": total,
                "correct": correct,
                "accuracy": self.accuracy,
                "interval": bootstrap_share(list(found.values()), list(pairs.values())),
                "paper": ORDERING,
                "per_story": {name: found[name] / of if of else None for name, of in pairs.items()},
                "log_probabilities": {
                    name: {"told": told, "shuffled": list(self.shuffled[name])}
                    for name, told in self.told.items()
                },
            }
        )
        return plain


def plan_ordering(
    model: LanguageModel,
    corpus: ProppLearner,
    mode: Mode,
    *,
    permutations: int = ORDERING_PERMUTATIONS,
    seed: int = 0,
) -> list[Work]:
    """The likelihood of every tale, and those of its shufflings."""
    works = []
    for tale in corpus:
        works.append(likelihood_work(model, corpus, tale, mode))
        works += _shufflings(model, corpus, tale, mode, permutations=permutations, seed=seed)
    return works


def gather_ordering(works: Sequence[Work], ledger: Ledger) -> SentenceOrdering:
    """Every tale and its shufflings, whose work has been settled."""
    told: dict[str, float] = {}
    shuffled: dict[str, list[float]] = {}
    for identity in (work.identities[0] for work in works):
        values = ledger.value(identity)
        if identity.method == _SHUFFLED:
            shuffled[identity.story] += values
        else:
            told[identity.story] = values["log_probability"]
            shuffled[identity.story] = []
    return SentenceOrdering(told, shuffled)


def permute_sentences(narrative: Narrative, count: int, *, seed: int = 0) -> list[tuple[int, ...]]:
    """So many shufflings of a narrative's sentences, drawn one by one; none of them reads as it was told.

    The same text and seed give the same shufflings, whatever else is drawn; the first ten of eighty are
    those of ten. Empty where all sentences are the same.

    >>> permute_sentences(Narrative.from_sentences(["The wolf came.", "It rained."]), 2)
    [(1, 0), (1, 0)]
    """
    sentences = [str(sentence) for sentence in narrative]
    if len(set(sentences)) < 2:
        return []
    drawn = _draw(narrative, seed)
    return [next(drawn) for _ in range(count)]


def _draw(narrative: Narrative, seed: int) -> Iterator[tuple[int, ...]]:
    sentences = [str(sentence) for sentence in narrative]
    digest = hashlib.sha256(f"{seed}\n{narrative.text}".encode("utf-8", "surrogatepass")).digest()
    generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence(int.from_bytes(digest, "big"))))
    while True:
        order = tuple(int(k) for k in generator.permutation(len(sentences)))
        if [sentences[k] for k in order] != sentences:
            yield order


def _shufflings(
    model: LanguageModel, corpus: ProppLearner, tale: Tale, mode: Mode, *, permutations: int, seed: int
) -> list[Work]:
    narrative = mode.narrate(tale)
    orders = permute_sentences(narrative, permutations, seed=seed)
    return [
        _batch(model, corpus, tale, mode, orders[start : start + BATCH], start=start, seed=seed)
        for start in range(0, len(orders), BATCH)
    ]


def _batch(
    model: LanguageModel,
    corpus: ProppLearner,
    tale: Tale,
    mode: Mode,
    orders: Sequence[tuple[int, ...]],
    *,
    start: int,
    seed: int,
) -> Work:
    narrative = mode.narrate(tale)
    identity = Identity(
        corpus.name,
        tale.name,
        hash_content([hash_story(narrative), orders]),  # the texts that are read
        _SHUFFLED,
        kind="likelihood",
        variant=mode.name,
        **identify_model(model),
        part=f"{start + 1}-{start + len(orders)}",
        settings={"seed": seed},
    )

    def compute(progress: Progress) -> list[list[float]]:
        sentences = [str(sentence) for sentence in narrative]
        texts = [[sentences[k] for k in order] for order in orders]
        jobs = [partial(measure_likelihood, model, text) for text in texts]
        likelihoods: list[float] = []
        for found in side_by_side(jobs, at_once=model.readers):
            likelihoods.append(found.log_probability)
            progress(len(likelihoods), len(orders))
        return [likelihoods]

    tokens = len(orders) * estimate_tokens(narrative.text)
    return Work((identity,), tokens, compute, lambda values: are_scores(values, len(orders)))
