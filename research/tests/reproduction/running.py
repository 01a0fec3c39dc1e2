"""Run one experiment from its plan to its figures, as `reproduce` runs it among the others."""

from __future__ import annotations

from barthes_research.reproduction.experiment import Computed, TaskResults
from barthes_research.reproduction.reproduce import EXPERIMENTS, plan_experiment


def run(name, settings, cache, earlier=None):
    plans = plan_experiment(name, settings)
    results = TaskResults(cache)
    for tasks in plans.values():
        results.compute(tasks)
    return EXPERIMENTS[name].collect(Computed(settings, plans, results, earlier or {}))


def outstanding(name, settings, cache):
    """How many tokens have yet to be read."""
    return TaskResults(cache).outstanding(
        [task for tasks in plan_experiment(name, settings).values() for task in tasks]
    )
