"""Appendix A: whether the model prefers the original order of sentences, and detects deleted sentences.

Sentence ordering (A.1) compares the log-likelihood of each tale with that of permutations of its sentences,
which are never the original order. Deletion detection (A.3) removes each sentence of five-sentence stories,
none of which is superfluous: σ > 0 is the right answer. The last sentence is scored by the end-of-text token.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np

from barthes.annotation.pipeline import describe_parser
from barthes.evaluation.result import to_plain
from barthes.hashing import hash_content
from barthes.models.language_model import LanguageModel
from barthes.models.side_by_side import count_readers, side_by_side
from barthes.narrative import Narrative
from barthes.report.evaluation_tables import MISSING
from barthes.salience.method import Progress
from barthes_research.corpora.rocstories import SENTENCES
from barthes_research.corpora.tale import Tale
from barthes_research.perplexity import measure_likelihood
from barthes_research.reproduction.accuracy import bootstrap_share
from barthes_research.reproduction.corpus_experiments import plan_likelihood
from barthes_research.reproduction.document import mark_up, name_source, tabulate
from barthes_research.reproduction.experiment import (
    Computed,
    Experiment,
    ExperimentResult,
    ExperimentTask,
    ReproductionSettings,
    estimate_tokens,
    hash_story,
    make_key,
)
from barthes_research.reproduction.numerals import as_number, format_count, format_interval, format_share
from barthes_research.reproduction.published import DELETION, ORDERING

T = TypeVar("T")

ORDERS = 10
"""Number of permutations per task."""

STORIES = 20
"""Number of stories per task: about ten seconds."""


class SentenceOrdering(Experiment):
    """How often a tale is likelier than a permutation of its sentences."""

    name = "ordering"
    heading = "Appendix A.1: sentence ordering"

    def plan(self, settings: ReproductionSettings, model: LanguageModel) -> list[ExperimentTask]:
        """Return tasks for the likelihood of every tale, and for those of its permutations."""
        return [
            task
            for tale in settings.corpus
            for task in (plan_likelihood(model, tale, settings.mode), *_plan_batches(settings, model, tale))
        ]

    def collect(self, computed: Computed) -> ExperimentResult:
        """Compare every tale with its permutations."""
        original: dict[str, float] = {}
        shuffled: dict[str, list[float]] = {}
        [tasks] = computed.plans.values()
        for task in tasks:
            story, value = task.key["story"], computed.results[task]
            if "part" in task.key:
                shuffled[story] += value
            else:
                original[story], shuffled[story] = value["log_probability"], []
        return ExperimentResult(compare_orders(original, shuffled))

    def describe(self, figures: dict[str, Any]) -> list[str]:
        """Return the share of permuted texts that are less likely than the original, also by tale."""
        unit = "pairs of a tale and a permutation of it"
        blocks = _summarize(figures, "Sentence ordering", unit, figures["pairs"], over="tales")
        if figures.get("per_story"):
            rows = [(name, format_share(value)) for name, value in figures["per_story"].items()]
            caption = "Sentence ordering, accuracy of each tale"
            blocks += tabulate(caption, ("tale",), ("accuracy (ours)",), rows)
        paragraph = "The likelihood of each tale is compared with that of its sentences in random order."
        return [mark_up(paragraph), *name_source(figures), *blocks]


class DeletionDetection(Experiment):
    """How often σ > 0 in ROCStories."""

    name = "deletion"
    heading = "Appendix A.3: deletion detection"

    def find_missing(self, settings: ReproductionSettings) -> str | None:
        """Return why it cannot be run: no model, or no stories."""
        return super().find_missing(settings) or (settings.absent if settings.stories is None else None)

    def needs_parser(self, settings: ReproductionSettings) -> bool:
        """Return whether some stories are not split into sentences yet."""
        if self.find_missing(settings) is not None or settings.stories is None:
            return False
        return None in settings.stories.spans

    def plan(self, settings: ReproductionSettings, model: LanguageModel) -> list[ExperimentTask]:
        """Return a task per batch of stories; they are split later, because that loads a parser."""
        stories, mode = settings.stories, settings.mode
        if stories is None:
            raise ValueError(settings.absent)

        def compute(start: int, stop: int, progress: Progress) -> list[list[float]]:
            narratives = stories.split(start, stop)  # not in the jobs: spaCy is not thread-safe
            return _run_jobs([partial(mode.delete, model, each) for each in narratives], model, progress)

        tasks = []
        for start in range(0, len(stories.texts), STORIES):
            texts, spans = stories.texts[start : start + STORIES], stories.spans[start : start + STORIES]
            stop = start + len(texts)
            key = make_key(
                model,
                task="deletion",
                mode=mode.name,
                text=hash_content([texts, spans]),
                parser=describe_parser(),  # it decides where sentences end
                part=[start, stop],
            )
            tokens = sum(estimate_tokens(text) * (SENTENCES + 1) // 2 for text in texts)
            tasks.append(ExperimentTask(key, tokens, partial(compute, start, stop)))
        return tasks

    def collect(self, computed: Computed) -> ExperimentResult:
        """Count the deletions with σ > 0."""
        [tasks] = computed.plans.values()
        return count_positive([scores for task in tasks for scores in computed.results[task]])

    def describe(self, figures: dict[str, Any]) -> list[str]:
        """Return the share of deletions with σ > 0, also by position of the deleted sentence."""
        blocks = _summarize(figures, "Deletion detection", "deletions", figures["deletions"], over="stories")
        if figures["by_position"]:
            rows = [
                (str(row["position"]), format_share(row["accuracy"]), format_count(row["count"]))
                for row in figures["by_position"]
            ]
            caption = "Deletion detection by position of the deleted sentence"
            blocks += tabulate(caption, ("deleted sentence",), ("accuracy (ours)", "deletions"), rows)
        paragraph = (
            f"The share of sentences with σ > 0 in {format_count(figures['stories'])} ROCStories; chance is "
            "50 %. The paper used all stories of both sets (45,495 and 52,664)."
        )
        return [mark_up(paragraph), *name_source(figures), *blocks]


def compare_orders(original: Mapping[str, float], shuffled: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Return how often tales are likelier than their permutations, given log-probabilities in nats.

    Ties count as wrong. A tale whose sentences are all equal has no permutations.
    """
    found = {name: sum(value > each for each in shuffled[name]) for name, value in original.items()}
    pairs = {name: len(shuffled[name]) for name in original}
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
                name: {"told": value, "shuffled": list(shuffled[name])} for name, value in original.items()
            },
        }
    )
    return plain


def permute_sentences(narrative: Narrative, count: int, *, seed: int = 0) -> list[tuple[int, ...]]:
    """Draw permutations of a narrative's sentences, never the original order.

    The same text and seed give the same permutations; a larger `count` extends a smaller one. Empty if all
    sentences are equal.

    >>> permute_sentences(Narrative.from_sentences(["The wolf came.", "It rained."]), 2)
    [(1, 0), (1, 0)]
    """
    if len({str(sentence) for sentence in narrative}) < 2:
        return []
    drawn = _draw(narrative, seed)
    return [next(drawn) for _ in range(count)]


def count_positive(scores: Sequence[Sequence[float]]) -> ExperimentResult:
    """Return how often σ > 0 for the sentences of stories, in all and by position."""
    found = [sum(score > 0 for score in story) for story in scores]
    counts = [len(story) for story in scores]
    by_position = [
        [story[k] > 0 for story in scores if k < len(story)] for k in range(max(counts, default=0))
    ]
    figures = to_plain(
        {
            "stories": len(scores),
            "deletions": sum(counts),
            "correct": sum(found),
            "accuracy": sum(found) / sum(counts) if sum(counts) else None,
            "interval": bootstrap_share(found, counts),
            "paper": DELETION,
            "by_position": [
                {"position": position, "accuracy": sum(right) / len(right), "count": len(right)}
                for position, right in enumerate(by_position, start=1)
            ],
            "scores": scores,
        }
    )
    others = sum(count != SENTENCES for count in counts)
    note = (
        f"Deletion detection: {others} of {len(scores)} stories do not have {SENTENCES} sentences; they "
        "are included."
    )
    return ExperimentResult(figures, (note,) if others else ())


def _draw(narrative: Narrative, seed: int) -> Iterator[tuple[int, ...]]:
    sentences = [str(sentence) for sentence in narrative]
    digest = hashlib.sha256(f"{seed}\n{narrative.text}".encode("utf-8", "surrogatepass")).digest()
    generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence(int.from_bytes(digest, "big"))))
    while True:
        order = tuple(int(k) for k in generator.permutation(len(sentences)))
        if [sentences[k] for k in order] != sentences:
            yield order


def _plan_batches(
    settings: ReproductionSettings, model: LanguageModel, tale: Tale
) -> Iterator[ExperimentTask]:
    narrative = settings.mode.narrate(tale)
    sentences = [str(sentence) for sentence in narrative]
    orders = permute_sentences(narrative, settings.permutations, seed=settings.seed)

    def compute(batch: Sequence[tuple[int, ...]], progress: Progress) -> list[float]:
        jobs = [partial(measure_likelihood, model, [sentences[k] for k in order]) for order in batch]
        return [found.log_probability for found in _run_jobs(jobs, model, progress)]

    for start in range(0, len(orders), ORDERS):
        batch = orders[start : start + ORDERS]
        key = make_key(
            model,
            task="permutations",
            story=tale.name,
            text=hash_story(narrative),
            orders=batch,
            part=[start, start + len(batch)],
        )
        yield ExperimentTask(key, len(batch) * estimate_tokens(narrative.text), partial(compute, batch))


def _run_jobs(jobs: Sequence[Callable[[], T]], model: LanguageModel, progress: Progress) -> list[T]:
    """Run jobs in parallel, as far as the model allows; return their results in order."""
    results: list[T] = []
    for result in side_by_side(jobs, at_once=count_readers(model.hardware)):
        results.append(result)
        progress(len(results), len(jobs))
    return results


def _summarize(figures: dict[str, Any], name: str, unit: str, count: Any, *, over: str) -> list[str]:
    """Return the table of an accuracy, with its interval over what was resampled."""
    correct = MISSING if as_number(figures["correct"]) is None else format_count(figures["correct"])
    rows = (
        ("accuracy", format_share(figures["paper"]), format_share(figures["accuracy"])),
        (f"95 % interval over {over}", MISSING, format_interval(figures["interval"], share=True)),
        ("correct", MISSING, correct),
        (unit, MISSING, format_count(count)),
    )
    return tabulate(f"{name}: accuracy", ("",), ("paper", "ours"), rows)
