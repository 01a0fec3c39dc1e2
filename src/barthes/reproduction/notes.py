"""What a reader of a reproduction should know about the texts behind its figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from barthes.corpora.rocstories import RocStories
from barthes.evaluation.remarks import describe_problems
from barthes.reproduction.experiments import Result
from barthes.reproduction.settings import LIKELIHOOD_WINDOW, Settings

__all__ = ["explain"]


def explain(settings: Settings, results: Mapping[str, Result]) -> list[str]:
    """The notes on corpora, texts and windows that concern these results."""
    notes = []
    if settings.corpus.problems:
        notes.append(describe_problems(settings.corpus.problems))
    if "table2" in results and not all(any(tale.labels) for tale in settings.corpus):
        notes.append("Tales without a salient sentence are left out of every mean.")
    if "deletion" in results and settings.stories is not None:
        notes += _explain_stories(settings.stories)
    if not settings.mode.follows_formula and {"deletion", "cinderella"} & set(results):
        notes.append(
            "ROCStories and the toy story have no tokens of their own: they were read as natural text. The "
            "influence table follows the formula in both modes."
        )
    if {"perplexity", "ordering"} & set(results):
        notes.append(f"Likelihoods (perplexity, ordering) are read so: {LIKELIHOOD_WINDOW}.")
    return notes


def _explain_stories(stories: RocStories) -> Iterator[str]:
    if len(stories) + len(stories.problems) < stories.total:
        yield f"Deletion detection: the first {len(stories):,} of {stories.total:,} stories in the file."
    if stories.problems:
        yield f"Deletion detection: {describe_problems(stories.problems, of='ROCStories')}"
