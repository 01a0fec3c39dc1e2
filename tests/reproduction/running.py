"""One experiment from its plan to its figures, as `reproduce` runs it among the others."""

from __future__ import annotations

from barthes.reproduction.cinderella import gather_cinderella, plan_cinderella
from barthes.reproduction.corpus_perplexity import gather_perplexity, plan_perplexity
from barthes.reproduction.deletion_detection import gather_deletion, plan_deletion
from barthes.reproduction.main_results import gather_main_results, plan_main_results
from barthes.reproduction.sentence_ordering import gather_ordering, plan_ordering
from barthes.reproduction.work import settle

__all__ = [
    "detect_deletions",
    "measure_main_results",
    "measure_perplexity",
    "order_sentences",
    "score_cinderella",
]


def measure_main_results(models, corpus, mode, ledger, **options):
    plans = _settle_all(plan_main_results, models, corpus, mode, ledger)
    return gather_main_results(models, corpus, plans, ledger, **options)


def measure_perplexity(models, corpus, mode, ledger, **options):
    plans = _settle_all(plan_perplexity, models, corpus, mode, ledger)
    return gather_perplexity(models, plans, ledger, **options)


def order_sentences(model, corpus, mode, ledger, **options):
    return gather_ordering(_settle(plan_ordering(model, corpus, mode, **options), ledger), ledger)


def detect_deletions(model, stories, mode, ledger):
    return gather_deletion(_settle(plan_deletion(model, stories, mode), ledger), ledger)


def score_cinderella(model, mode, ledger):
    return gather_cinderella(_settle(plan_cinderella(model, mode), ledger), ledger)


def _settle_all(plan, models, corpus, mode, ledger):
    return {setting: _settle(plan(model, corpus, mode), ledger) for setting, model in models}


def _settle(works, ledger):
    settle(works, ledger)
    return works
