"""Tasks for a language model: each is computed once, cached, and found again by the next run.

An experiment is planned as a list of tasks before anything is computed, so that one progress bar can show
the whole. Each result is cached as soon as it is known: an interruption costs the task in progress only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from barthes.cache import ScoreCache
from barthes.errors import BarthesError, ModelError, NarrativeError
from barthes.evaluation.evaluate import OverallProgress
from barthes.hashing import hash_content
from barthes.models.deferred import identify_model
from barthes.models.language_model import LanguageModel
from barthes.narrative import Narrative
from barthes.salience.method import Progress, silent
from barthes.scoring import REVISION
from barthes.version import __version__

__all__ = ["Plans", "Results", "Task", "compute_plans", "estimate_tokens", "hash_story", "make_key"]

_CHARACTERS_PER_TOKEN = 4.2  # of English tales with SmolLM2 and GPT-2; only the progress bar depends on it


@dataclass(frozen=True)
class Task:
    """Something to compute with a language model.

    Attributes:
        key: Everything that decides the result: `make_key`.
        tokens: Roughly how many tokens go through the model.
        compute: Computes the result, as JSON can hold it; called with a progress report.
    """

    key: Mapping[str, Any]
    tokens: int
    compute: Callable[[Progress], Any] = field(repr=False)

    @cached_property
    def identifier(self) -> str:
        """A hash of the key."""
        return hash_content(self.key)


Plans = Mapping[str | None, Sequence[Task]]
"""The tasks of each model, by its fine-tuning (None, ``domain``, ``transductive``)."""


class Results:
    """The results of tasks, each looked up in the cache once.

    Args:
        cache: Where results are kept.
    """

    def __init__(self, cache: ScoreCache) -> None:
        self.cache = cache
        self._known: dict[str, Any] = {}

    def __getitem__(self, task: Task) -> Any:
        return self._known[task.identifier]

    def __contains__(self, task: Task) -> bool:
        """Return whether the result is known or cached."""
        if task.identifier not in self._known:
            found = self.cache.fetch(task.key)
            if found is None:
                return False
            self._known[task.identifier] = found
        return True

    def outstanding(self, tasks: Iterable[Task]) -> int:
        """Return roughly how many tokens have yet to be read for these; equal tasks count once."""
        return sum({task.identifier: task.tokens for task in tasks if task not in self}.values())

    def compute(self, tasks: Sequence[Task], *, progress: Progress = silent) -> None:
        """Compute the results that are not known, in order, and cache each at once."""
        missing = list({task.identifier: task for task in tasks if task not in self}.values())
        overall = OverallProgress(progress, [task.tokens for task in missing])
        for place, task in enumerate(missing):
            report = overall.part(place)
            report(0, 1)
            value = task.compute(report)
            self.cache.store(task.key, value)
            self._known[task.identifier] = value
            report(1, 1)


def compute_plans(
    plans: Plans, results: Results, *, progress: Progress = silent
) -> dict[str | None, BarthesError]:
    """Compute one model's tasks after the other's; an error of one model does not stop the others.

    Returns:
        Why a model's tasks could not be computed: a tale does not fit it, or it cannot be used (lack of
        memory, or results that are not numbers). What it had finished before is cached.
    """
    overall = OverallProgress(progress, [results.outstanding(tasks) for tasks in plans.values()])
    failed: dict[str | None, BarthesError] = {}
    for place, (fine_tuning, tasks) in enumerate(plans.items()):
        report = overall.part(place)
        try:
            results.compute(tasks, progress=report)
        except (NarrativeError, ModelError) as error:
            failed[fine_tuning] = error
        report(1, 1)
    return failed


def make_key(model: LanguageModel, **fields: Any) -> dict[str, Any]:
    """Return the key of a task: the fields that decide its result, the model and the version of Barthes."""
    return {"version": __version__, "revision": REVISION, **identify_model(model), **fields}


def hash_story(narrative: Narrative) -> str:
    """Hash a narrative's text and where its sentences stand in it."""
    return hash_content([narrative.text, narrative.spans])


def estimate_tokens(text: str) -> int:
    """Estimate from its length how many tokens a text has, without a tokenizer."""
    return round(len(text) / _CHARACTERS_PER_TOKEN) + 1
