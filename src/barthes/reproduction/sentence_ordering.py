"""Appendix A.1: is a tale likelier than the same tale with its sentences shuffled?

The likelihood is that of the whole text, a sum over its tokens. The tale's own order is never among the
permutations. Their likelihoods are cached in batches, so that an interruption costs one batch.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from barthes.corpora.tale import Tale
from barthes.evaluation.result import to_plain
from barthes.evaluation.significance import bootstrap_share
from barthes.models.language_model import LanguageModel
from barthes.models.likelihood import measure_likelihood
from barthes.models.side_by_side import side_by_side
from barthes.narrative import Narrative
from barthes.report.numerals import format_share
from barthes.reproduction.corpus_perplexity import plan_likelihood
from barthes.reproduction.deletion_detection import summarize_accuracy
from barthes.reproduction.document import Section, Table, name_source
from barthes.reproduction.experiment import Computed, Experiment, ExperimentResult, Settings
from barthes.reproduction.published import ORDERING
from barthes.reproduction.tasks import Task, estimate_tokens, hash_story, make_key
from barthes.salience.method import Progress

__all__ = ["BATCH", "SentenceOrdering", "compare_orders", "permute_sentences"]

BATCH = 10
"""Permutations whose likelihoods are cached together."""


class SentenceOrdering(Experiment):
    """How often a tale is likelier than a permutation of its sentences."""

    name = "ordering"
    heading = "Appendix A.1: sentence ordering"

    def plan(self, settings: Settings, model: LanguageModel) -> list[Task]:
        """Return tasks for the likelihood of every tale, and for those of its permutations."""
        return [
            task
            for tale in settings.corpus
            for task in (plan_likelihood(model, tale, settings.mode), *_plan_batches(settings, model, tale))
        ]

    def collect(self, computed: Computed) -> ExperimentResult:
        """Compare every tale with its permutations."""
        told: dict[str, float] = {}
        shuffled: dict[str, list[float]] = {}
        [tasks] = computed.plans.values()
        for task in tasks:
            story, value = task.key["story"], computed.results[task]
            if "part" in task.key:
                shuffled[story] += value
            else:
                told[story], shuffled[story] = value["log_probability"], []
        return ExperimentResult(compare_orders(told, shuffled))

    def describe(self, figures: dict[str, Any]) -> Section:
        """Return the share of permuted texts that are less likely than the original, also by tale."""
        unit = "pairs of a tale and a permutation of it"
        tables = [summarize_accuracy(figures, "Sentence ordering", unit, figures["pairs"], over="tales")]
        if figures.get("per_story"):
            rows = [(name, format_share(value)) for name, value in figures["per_story"].items()]
            caption = "Sentence ordering, accuracy of each tale"
            tables.append(Table(caption, ("tale",), ("accuracy (ours)",), rows))
        paragraph = "The likelihood of each tale against that of its own sentences in a random order."
        return Section(self.name, self.heading, (paragraph, *name_source(figures)), blocks=tables)


def compare_orders(told: Mapping[str, float], shuffled: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Return how often tales are likelier than their permutations; one as likely does not count.

    Args:
        told: The log-probability of each tale's text, in nats.
        shuffled: Those of its permutations; none for a tale that cannot be permuted.
    """
    found = {name: sum(value > each for each in shuffled[name]) for name, value in told.items()}
    pairs = {name: len(shuffled[name]) for name in told}
    correct, total = sum(found.values()), sum(pairs.values())
    plain: dict[str, Any] = to_plain(
        {
            "pairs": total,
            "correct": correct,
            "accuracy": correct / total if total else None,
            "interval": bootstrap_share(list(found.values()), list(pairs.values())),
            "paper": ORDERING,
            "per_story": {name: found[name] / of if of else None for name, of in pairs.items()},
            "log_probabilities": {
                name: {"told": value, "shuffled": list(shuffled[name])} for name, value in told.items()
            },
        }
    )
    return plain


def permute_sentences(narrative: Narrative, count: int, *, seed: int = 0) -> list[tuple[int, ...]]:
    """Draw permutations of a narrative's sentences, none of which reads like the narrative itself.

    The same text and seed give the same permutations, and the first ten of eighty are those of ten. Empty
    if all sentences are the same.

    >>> permute_sentences(Narrative.from_sentences(["The wolf came.", "It rained."]), 2)
    [(1, 0), (1, 0)]
    """
    if len({str(sentence) for sentence in narrative}) < 2:
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


def _plan_batches(settings: Settings, model: LanguageModel, tale: Tale) -> Iterator[Task]:
    narrative = settings.mode.narrate(tale)
    sentences = [str(sentence) for sentence in narrative]
    orders = permute_sentences(narrative, settings.permutations, seed=settings.seed)

    def compute(batch: Sequence[tuple[int, ...]], progress: Progress) -> list[float]:
        jobs = [partial(measure_likelihood, model, [sentences[k] for k in order]) for order in batch]
        likelihoods: list[float] = []
        for found in side_by_side(jobs, at_once=model.readers):
            likelihoods.append(found.log_probability)
            progress(len(likelihoods), len(batch))
        return likelihoods

    for start in range(0, len(orders), BATCH):
        batch = orders[start : start + BATCH]
        key = make_key(
            model,
            task="permutations",
            story=tale.name,
            text=hash_story(narrative),
            orders=batch,
            part=[start, start + len(batch)],
        )
        yield Task(key, len(batch) * estimate_tokens(narrative.text), partial(compute, batch))
