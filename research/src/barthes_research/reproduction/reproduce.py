"""Run the paper's experiments and compare its figures with ours (`barthes reproduce`).

All experiments are planned first, so that one progress bar covers them. Cached results are reused, and a
model is loaded only if a result is missing.
"""

from __future__ import annotations

import importlib.metadata
import json
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from barthes.annotation.pipeline import check_english
from barthes.cache import ScoreCache
from barthes.errors import BarthesError, ModelError, NarrativeError, UnknownNameError
from barthes.evaluation.corpus_notes import describe_problems
from barthes.evaluation.score_table import OverallProgress
from barthes.models.deferred import DeferredModel
from barthes.salience.method import Progress, silent
from barthes.version import __version__
from barthes_research.corpora.rocstories import RocStories
from barthes_research.reproduction.corpus_experiments import Cinderella, CorpusPerplexity, CorpusStatistics
from barthes_research.reproduction.document import name_fine_tuning
from barthes_research.reproduction.experiment import (
    LIKELIHOOD_WINDOW,
    Computed,
    Experiment,
    ExperimentResult,
    Models,
    Plans,
    ReproductionSettings,
    TaskResults,
)
from barthes_research.reproduction.main_results import MainResults
from barthes_research.reproduction.published import FINE_TUNINGS
from barthes_research.reproduction.sanity_checks import DeletionDetection, SentenceOrdering

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        CorpusStatistics(),
        MainResults(),
        CorpusPerplexity(),
        SentenceOrdering(),
        DeletionDetection(),
        Cinderella(),
    )
}
"""All experiments, in the order in which they are run."""

_LIBRARIES = ("numpy", "scipy", "spacy", "torch", "transformers")


@dataclass(frozen=True)
class Reproduction:
    """The results of the experiments.

    Attributes:
        settings: The settings of the run.
        results: The results of the experiments that were run, by name.
        models: Name, fingerprint, precision and device of the models used, by fine-tuning.
        notes: Notes for readers, including why an experiment was not run.
        failures: Notes on texts that could not be scored and models that could not be used.
    """

    settings: ReproductionSettings
    results: Mapping[str, ExperimentResult]
    models: Mapping[str, Any]
    notes: tuple[str, ...]
    failures: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return everything, as in `reproduction.json`; a second run gives the same."""
        table = self.results.get("table2")
        return {
            "barthes": __version__,
            "versions": {"python": platform.python_version()} | _find_versions(),
            "mode": self.settings.mode.name,
            "settings": self.settings.to_dict(),
            "models": dict(self.models),
            **{name: self._describe(name) for name in EXPERIMENTS},
            "scores": None if table is None else table.scores,
            "notes": list(self.notes),
        }

    def to_json(self) -> str:
        """Return `to_dict` as text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"

    def _describe(self, name: str) -> dict[str, Any] | None:
        """Return the figures of an experiment, with its model if it uses a single one."""
        if name not in self.results:
            return None
        asked: dict[str, Any] = {}
        if EXPERIMENTS[name].needs_model and not EXPERIMENTS[name].compares_models:
            [(fine_tuning, model)] = EXPERIMENTS[name].choose_models(self.settings.models).items()
            asked = {"model": model.name, "fine_tuning": fine_tuning}
        return asked | self.results[name].figures


def reproduce(
    settings: ReproductionSettings, cache: ScoreCache, *, progress: Progress = silent
) -> Reproduction:
    """Run the experiments; each result is cached as soon as it is computed.

    Experiments that were not requested are included if all of their results are cached, so that a full
    report is not replaced by a partial one.

    Args:
        settings: The experiments to run.
        cache: The cache of results.
        progress: Called with the approximate number of tokens read by models, and the total.
    """
    asked = tuple(EXPERIMENTS) if settings.only is None else choose_experiments(settings.only)
    missing = {name: EXPERIMENTS[name].find_missing(settings) for name in asked}
    known = TaskResults(cache)
    plans, errors = _compute([name for name in asked if missing[name] is None], settings, known, progress)
    plans |= _recall([name for name in EXPERIMENTS if name not in asked], settings, known)
    results: dict[str, ExperimentResult] = {}
    notes: list[str] = []
    failures: list[str] = []
    for name, experiment in EXPERIMENTS.items():
        if name not in plans:
            notes.append(f"{name} was not run: {missing.get(name) or 'not requested'}.")
            continue
        for fine_tuning, error in errors.get(name, {}).items():
            tuning = f"fine-tuning: {fine_tuning}" if fine_tuning else "no fine-tuning"
            failures.append(
                f"{name} with {settings.models[fine_tuning].name} ({tuning}) was not run: {error}"
            )
            notes.append(failures[-1])
        if plans[name] or not experiment.needs_model:
            results[name] = experiment.collect(Computed(settings, plans[name], known, results))
            notes += results[name].notes
    models = describe_models(choose_models(results, settings.models))
    notes += _make_notes(settings, results)
    return Reproduction(settings, results, models, tuple(notes), tuple(failures))


def choose_experiments(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of experiments in the paper's order; raise UnknownNameError for another one.

    >>> choose_experiments(["ordering", "table1"])
    ('table1', 'ordering')
    """
    for name in names:
        if name not in EXPERIMENTS:
            raise UnknownNameError("experiment", name, EXPERIMENTS)
    return tuple(name for name in EXPERIMENTS if name in names)


def choose_models(names: Iterable[str], models: Models) -> Models:
    """Return the models that experiments use, by fine-tuning."""
    asked = (EXPERIMENTS[name].choose_models(models) for name in names)
    return {fine_tuning: model for each in asked for fine_tuning, model in each.items()}


def check_parser(settings: ReproductionSettings, names: Sequence[str]) -> None:
    """Raise ModelError if one of the experiments needs spaCy's English pipeline and it is not installed."""
    if any(EXPERIMENTS[name].needs_parser(settings) for name in names):
        check_english()


def plan_experiment(name: str, settings: ReproductionSettings) -> Plans:
    """Return the tasks of an experiment for each model that it uses."""
    experiment = EXPERIMENTS[name]
    asked = experiment.choose_models(settings.models)
    return {fine_tuning: experiment.plan(settings, model) for fine_tuning, model in asked.items()}


def describe_models(models: Models) -> dict[str, Any]:
    """Return name, fingerprint, precision and device by fine-tuning; None without a model."""
    return {
        name_fine_tuning(fine_tuning): {
            "name": model.name,
            "fingerprint": model.fingerprint,
            "dtype": model.precision,
            "device": model.hardware,
        }
        if (model := models.get(fine_tuning)) is not None
        else None
        for fine_tuning in FINE_TUNINGS
    }


def _compute(
    names: Sequence[str], settings: ReproductionSettings, results: TaskResults, progress: Progress
) -> tuple[dict[str, Plans], dict[str, dict[str | None, BarthesError]]]:
    """Compute missing results; return the tasks with results, and the errors, by experiment and model.

    An error with one model (a tale does not fit, or it cannot be used) does not stop the others.
    """
    plans = {name: plan_experiment(name, settings) for name in names}
    groups = [(name, each, tasks) for name, plan in plans.items() for each, tasks in plan.items()]
    counted: set[str] = set()
    sizes = []
    for _, _, tasks in groups:  # a task that two experiments share counts for the first
        sizes.append(results.outstanding(task for task in tasks if task.identifier not in counted))
        counted.update(task.identifier for task in tasks)
    overall = OverallProgress(progress, sizes)
    errors: dict[str, dict[str | None, BarthesError]] = {name: {} for name in names}
    for place, (name, fine_tuning, tasks) in enumerate(groups):
        report = overall.part(place)
        try:
            results.compute(tasks, progress=report)
        except (NarrativeError, ModelError) as error:
            errors[name][fine_tuning] = error
        report(1, 1)
    done: dict[str, Plans] = {
        name: {each: tasks for each, tasks in plan.items() if each not in errors[name]}
        for name, plan in plans.items()
    }
    return done, errors


def _recall(names: Sequence[str], settings: ReproductionSettings, results: TaskResults) -> dict[str, Plans]:
    """Return the tasks of the experiments whose results are all cached, without loading a model."""
    recalled = {}
    for name in names:
        asked = EXPERIMENTS[name].choose_models(settings.models).values()
        known = all(not isinstance(model, DeferredModel) or model.is_known for model in asked)
        if known and EXPERIMENTS[name].find_missing(settings) is None:
            plans = plan_experiment(name, settings)
            if all(task in results for tasks in plans.values() for task in tasks):
                recalled[name] = plans
    return recalled


def _make_notes(settings: ReproductionSettings, names: Iterable[str]) -> Iterator[str]:
    """Return the notes on corpora, texts and windows that concern these experiments."""
    run = set(names)
    if settings.corpus.problems:
        yield describe_problems(settings.corpus.problems)
    if "table2" in run and not all(any(tale.labels) for tale in settings.corpus):
        yield "Tales without a salient sentence are left out of every mean."
    if "deletion" in run and settings.stories is not None:
        yield from _describe_stories(settings.stories)
    if not settings.mode.follows_formula and {"deletion", "cinderella"} & run:
        yield (
            "ROCStories and the toy story are not tokenized: they were read as natural text. The influence "
            "table follows the formula in both modes."
        )
    if {"perplexity", "ordering"} & run:
        yield f"Text read at once for likelihoods (perplexity, ordering): {LIKELIHOOD_WINDOW}."


def _describe_stories(stories: RocStories) -> Iterator[str]:
    if len(stories) + len(stories.problems) < stories.total:
        yield f"Deletion detection: the first {len(stories):,} of {stories.total:,} stories in the file."
    if stories.problems:
        yield f"Deletion detection: {describe_problems(stories.problems, of='ROCStories')}"


def _find_versions() -> dict[str, str]:
    """Return the versions of the libraries that the figures depend on, without importing them."""
    return {library: importlib.metadata.version(library) for library in _LIBRARIES}
