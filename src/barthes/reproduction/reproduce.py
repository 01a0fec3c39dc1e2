"""Every table of the paper in one run, its figures beside ours.

Experiments are planned first, so that one bar can show the whole; results that an earlier run has kept are
taken from the store, and a model is loaded only if one is missing.
"""

from __future__ import annotations

import importlib.metadata
import json
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from barthes.evaluation.store import ScoreStore
from barthes.reproduction.experiments import CATALOGUE, EXPERIMENTS, Result, choose_experiments
from barthes.reproduction.main_results import MainResults
from barthes.reproduction.models import Lineup, describe_models, describe_setting
from barthes.reproduction.notes import explain
from barthes.reproduction.remedies import advise
from barthes.reproduction.settings import Settings
from barthes.reproduction.settlement import Settlement, compute, recall
from barthes.reproduction.work import Ledger
from barthes.salience.method import Progress, silent
from barthes.version import __version__

__all__ = ["EXPERIMENTS", "Reproduction", "Settings", "choose_experiments", "reproduce"]

_LIBRARIES = ("numpy", "scikit-learn", "scipy", "spacy", "torch", "transformers")


@dataclass(frozen=True)
class Reproduction:
    """What came out.

    Attributes:
        settings: What was asked for.
        results: The results of the experiments that were run, by name.
        models: The models that they rest on, by setting: name, fingerprint, precision and device.
        notes: What a reader of the figures should know; why an experiment was not run, among it.
        failures: Those of the notes that tell of a text which could not be scored, or of a model that could
            not be used.
    """

    settings: Settings
    results: Mapping[str, Result]
    models: Mapping[str, Any]
    notes: tuple[str, ...]
    failures: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Everything, as `reproduction.json` has it. No dates, no durations: a second run gives the same."""
        table = self.results.get("table2")
        return {
            "barthes": __version__,
            "versions": {"python": platform.python_version()} | _find_versions(),
            "mode": self.settings.mode.name,
            "settings": self.settings.to_dict(),
            "models": dict(self.models),
            **{name: self._describe(name) for name in CATALOGUE},
            "scores": table.scores if isinstance(table, MainResults) else None,
            "notes": list(self.notes),
        }

    def _describe(self, name: str) -> dict[str, Any] | None:
        """The result of an experiment, with the model that it asked if that is a single one."""
        if name not in self.results:
            return None
        asked: dict[str, Any] = {}
        if CATALOGUE[name].needs_model and not CATALOGUE[name].compares_models:
            [(setting, model)] = CATALOGUE[name].choose_models(self.settings.models)
            asked = {"model": model.name, "fine_tuning": setting}
        return asked | self.results[name].to_dict()

    def to_json(self) -> str:
        """`to_dict` as text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def reproduce(settings: Settings, store: ScoreStore, *, progress: Progress = silent) -> Reproduction:
    """Run the experiments. Whatever is finished is in the store, however this ends.

    An experiment that is not asked for is shown if all of its results are in the store already.

    Args:
        settings: What to run.
        store: Where results are kept, and found again.
        progress: Called with the tokens that have gone through a model, about, and those that will.
    """
    asked = EXPERIMENTS if settings.only is None else choose_experiments(settings.only)
    missing = {name: CATALOGUE[name].find_missing(settings) for name in asked}
    runnable = [name for name in asked if missing[name] is None]
    settled = compute(runnable, settings, Ledger(store), progress=progress)
    # Afterwards, and by a store of its own: what it finds too old is not computed again, so it is not said.
    others = [name for name in EXPERIMENTS if name not in asked]
    settled |= recall(others, settings, Ledger(ScoreStore(store.folder)))
    results: dict[str, Result] = {}
    notes: list[str] = []
    failures: list[str] = []
    for name in EXPERIMENTS:
        if name not in settled:
            notes.append(f"{name} was not run: {missing.get(name) or 'it was not asked for'}.")
            continue
        done, experiment = settled[name], CATALOGUE[name]
        failed = [_describe_failure(name, setting, settings, done) for setting in done.errors]
        notes += failed
        failures += failed
        if done.plans or not experiment.needs_model:
            results[name] = experiment.gather(settings, done.plans, done.ledger, results)
            notes += getattr(results[name], "notes", ())
    models = describe_models(_find_used(settings.models, results))
    return Reproduction(settings, results, models, (*notes, *explain(settings, results)), tuple(failures))


def _find_used(models: Lineup, results: Iterable[str]) -> Lineup:
    """The models that results rest on: all where settings are compared, else the first alone."""
    asked = (CATALOGUE[name].choose_models(models) for name in results)
    return Lineup({setting: model for lineup in asked for setting, model in lineup})


def _describe_failure(name: str, setting: str | None, settings: Settings, done: Settlement) -> str:
    model = settings.models[setting]
    who = "" if model is None else f" with {model.name} ({describe_setting(setting)})"
    return f"{name}{who} was not run: {advise(done.errors[setting])}"


def _find_versions() -> dict[str, str]:
    """The versions of the libraries that figures rest on, found without importing them."""
    return {library: importlib.metadata.version(library) for library in _LIBRARIES}
