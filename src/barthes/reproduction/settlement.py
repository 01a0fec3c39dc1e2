"""Experiments whose work is done: computed now, or found whole in the store of an earlier run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from barthes.errors import BarthesError
from barthes.evaluation.model_identity import DeferredModel
from barthes.evaluation.whole_progress import WholeProgress
from barthes.reproduction.experiments import CATALOGUE
from barthes.reproduction.settings import Settings
from barthes.reproduction.work import Ledger, Plans, Work, settle_each
from barthes.salience.method import Progress, silent

__all__ = ["Settlement", "compute", "recall"]


@dataclass(frozen=True)
class Settlement:
    """The work of one experiment, done.

    Attributes:
        plans: Of the settings whose results are all there.
        ledger: Where they are.
        errors: Why there are none for a setting.
    """

    plans: Plans
    ledger: Ledger
    errors: Mapping[str | None, BarthesError] = field(default_factory=dict)


def compute(
    names: Sequence[str], settings: Settings, ledger: Ledger, *, progress: Progress = silent
) -> dict[str, Settlement]:
    """Do what is left of the work of these experiments."""
    plans = {name: CATALOGUE[name].plan(settings) for name in names}
    whole = WholeProgress(progress, _share_out(list(plans.values()), ledger))
    settled = {}
    for place, (name, each) in enumerate(plans.items()):
        errors = settle_each(each, ledger, progress=whole.part(place))
        done = {setting: works for setting, works in each.items() if setting not in errors}
        settled[name] = Settlement(done, ledger, errors)
    return settled


def recall(names: Sequence[str], settings: Settings, ledger: Ledger) -> dict[str, Settlement]:
    """Those of these experiments whose results are all there; nothing is computed, and no model loaded."""
    settled = {}
    for name in names:
        if CATALOGUE[name].find_missing(settings) is None and _is_identified(name, settings):
            plans = CATALOGUE[name].plan(settings)
            if not any(ledger.lacks(work) for work in _list(plans)):
                settled[name] = Settlement(plans, ledger)
    return settled


def _is_identified(name: str, settings: Settings) -> bool:
    """Whether its results can be looked for without loading a model."""
    asked = CATALOGUE[name].choose_models(settings.models)
    return all(not isinstance(model, DeferredModel) or model.is_known for _, model in asked)


def _share_out(plans: Sequence[Plans], ledger: Ledger) -> list[int]:
    """How many tokens each experiment has yet to read; what two of them need is the first one's."""
    before: list[Work] = []
    parts = []
    for plan in plans:
        known = ledger.outstanding(before)
        before += _list(plan)
        parts.append(ledger.outstanding(before) - known)
    return parts


def _list(plans: Plans) -> list[Work]:
    return [work for works in plans.values() for work in works]
