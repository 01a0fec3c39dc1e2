"""Every table of the paper in one run, its figures beside ours.

Experiments are planned first, so that one bar can show the whole; results that an earlier run has kept are
taken from the store, and a model is loaded only if one is missing.
"""

from __future__ import annotations

import importlib.metadata
import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from barthes.errors import NarrativeError
from barthes.evaluation.experiments.catalogue import CATALOGUE, EXPERIMENTS, Result, choose_experiments
from barthes.evaluation.experiments.main_results import MainResults
from barthes.evaluation.experiments.models import Lineup, describe_models
from barthes.evaluation.experiments.settings import Settings
from barthes.evaluation.experiments.work import Ledger, WholeProgress, Work
from barthes.evaluation.remarks import describe_problems
from barthes.evaluation.store import ScoreStore
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
        models: The models that they rest on, by setting: name, fingerprint and precision.
        notes: What a reader of the figures should know; why an experiment was not run, among it.
    """

    settings: Settings
    results: Mapping[str, Result]
    models: Mapping[str, Any]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything, as `reproduction.json` has it. No dates, no durations: a second run gives the same."""
        table = self.results.get("table2")
        results = {name: self.results[name].to_dict() if name in self.results else None for name in CATALOGUE}
        return {
            "barthes": __version__,
            "versions": {"python": platform.python_version()} | _find_versions(),
            "mode": self.settings.mode.name,
            "settings": self.settings.to_dict(),
            "models": dict(self.models),
            **results,
            "scores": table.scores if isinstance(table, MainResults) else None,
            "notes": list(self.notes),
        }

    def to_json(self) -> str:
        """`to_dict` as text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def reproduce(settings: Settings, store: ScoreStore, *, progress: Progress = silent) -> Reproduction:
    """Run the experiments. Whatever is finished is in the store, however this ends.

    Args:
        settings: What to run.
        store: Where results are kept, and found again.
        progress: Called with the tokens that have gone through a model, about, and those that will.
    """
    ledger = Ledger(store)
    wanted = EXPERIMENTS if settings.only is None else choose_experiments(settings.only)
    missing = {name: CATALOGUE[name].find_missing(settings) for name in wanted}
    chosen = [name for name in wanted if missing[name] is None]
    whole = WholeProgress(progress, _share_out([CATALOGUE[name].plan(settings) for name in chosen], ledger))
    results: dict[str, Result] = {}
    notes: list[str] = []
    for name in EXPERIMENTS:
        if name not in chosen:
            notes.append(f"{name} was not run: {missing.get(name, 'it was not asked for')}.")
            continue
        try:
            results[name] = CATALOGUE[name].run(settings, ledger, results, whole.part(chosen.index(name)))
            notes += getattr(results[name], "notes", ())
        except NarrativeError as error:  # a sentence too long for a model costs one table, not all of them
            notes.append(f"{name} was not run: {error}")
    models = describe_models(_find_used(settings.models, set(results)))
    return Reproduction(settings, results, models, (*notes, *_explain(settings, results)))


def _find_used(models: Lineup, results: set[str]) -> Lineup:
    """The models that results rest on: all where settings are compared, else the first alone."""
    if results & {"table2", "perplexity"}:
        return models
    return Lineup(dict(list(models)[:1])) if results - {"table1"} else Lineup()


def _share_out(plans: Sequence[Sequence[Work]], ledger: Ledger) -> list[int]:
    """How many tokens each experiment has yet to read; what two of them need is the first one's."""
    before: list[Work] = []
    parts = []
    for plan in plans:
        known = ledger.outstanding(before)
        before += plan
        parts.append(ledger.outstanding(before) - known)
    return parts


def _explain(settings: Settings, results: Mapping[str, Result]) -> list[str]:
    notes = []
    if settings.corpus.problems:
        notes.append(describe_problems(settings.corpus))
    if "table2" in results and not all(any(tale.labels) for tale in settings.corpus):
        notes.append("Tales without a salient sentence are left out of every mean.")
    if settings.mode.name == "paper" and {"deletion", "cinderella"} & set(results):
        notes.append(
            "ROCStories and the toy story have no tokens of their own: they were read as natural text. The "
            "influence table follows the formula in both modes."
        )
    if {"perplexity", "ordering"} & set(results):
        notes.append(
            "Likelihoods are those of whole texts; one that exceeds the model's context is read in windows "
            "of 1024 tokens at most, each overlapping with the one before by half."
        )
    return notes


def _find_versions() -> dict[str, str]:
    """The versions of the libraries that figures rest on, found without importing them."""
    return {library: importlib.metadata.version(library) for library in _LIBRARIES}
