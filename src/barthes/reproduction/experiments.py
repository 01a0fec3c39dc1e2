"""The experiments by name, each with what it needs, its plan and its figures; the order is the paper's."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol

from barthes.annotation.pipeline import check_english
from barthes.errors import UnknownNameError
from barthes.models.language_model import LanguageModel
from barthes.reproduction.cinderella import Cinderella, gather_cinderella, plan_cinderella
from barthes.reproduction.corpus_perplexity import CorpusPerplexity, gather_perplexity, plan_perplexity
from barthes.reproduction.corpus_statistics import CorpusStatistics, count_corpus
from barthes.reproduction.deletion_detection import (
    DeletionDetection,
    gather_deletion,
    plan_deletion,
)
from barthes.reproduction.main_results import MainResults, gather_main_results, plan_main_results
from barthes.reproduction.models import Lineup
from barthes.reproduction.sentence_ordering import SentenceOrdering, gather_ordering, plan_ordering
from barthes.reproduction.settings import Settings
from barthes.reproduction.work import Ledger, Plans, Work

__all__ = ["CATALOGUE", "EXPERIMENTS", "Experiment", "Result", "check_parser", "choose_experiments"]


class Result(Protocol):
    """What every experiment gives."""

    def to_dict(self) -> dict[str, Any]:
        """The figures, the paper's beside ours, as JSON holds them."""
        ...


class Experiment(ABC):
    """One experiment of the paper: work for a model, and figures once that is settled.

    Attributes:
        name: As ``--only`` calls it.
        needs_model: Whether there is nothing to show without a language model.
        compares_models: Whether it asks every model; else it asks the first one only.
    """

    name: ClassVar[str]
    needs_model: ClassVar[bool] = True
    compares_models: ClassVar[bool] = False

    def choose_models(self, models: Lineup) -> Lineup:
        """Those of the models that it asks."""
        return models if self.compares_models else models.first_alone

    def find_missing(self, settings: Settings) -> str | None:
        """What it cannot be run without; None where all is there."""
        return "no language model was given" if self.needs_model and not settings.models.first else None

    def needs_parser(self, settings: Settings) -> bool:
        """Whether spaCy's English pipeline has to be there."""
        return False

    def plan(self, settings: Settings) -> Plans:
        """The work of each model that it asks."""
        asked = self.choose_models(settings.models)
        return {setting: self._plan(settings, model) for setting, model in asked}

    @abstractmethod
    def gather(
        self, settings: Settings, plans: Plans, ledger: Ledger, earlier: Mapping[str, Result]
    ) -> Result:
        """The figures, from plans that have been settled; `earlier` has the results so far."""

    @abstractmethod
    def _plan(self, settings: Settings, model: LanguageModel) -> list[Work]: ...


class _Table1(Experiment):
    name = "table1"
    needs_model = False

    def choose_models(self, models: Lineup) -> Lineup:
        return Lineup()

    def gather(
        self, settings: Settings, plans: Plans, ledger: Ledger, earlier: Mapping[str, Result]
    ) -> CorpusStatistics:
        return count_corpus(settings.corpus)

    def _plan(self, settings: Settings, model: LanguageModel) -> list[Work]:
        return []


class _Table2(Experiment):
    name = "table2"
    needs_model = False  # the rows of a model that is not given say so
    compares_models = True

    def gather(
        self, settings: Settings, plans: Plans, ledger: Ledger, earlier: Mapping[str, Result]
    ) -> MainResults:
        return gather_main_results(settings.models, settings.corpus, plans, ledger, seeds=settings.seeds)

    def needs_parser(self, settings: Settings) -> bool:
        return settings.models.first is not None and not settings.mode.follows_formula  # it tags verbs

    def _plan(self, settings: Settings, model: LanguageModel) -> list[Work]:
        return plan_main_results(model, settings.corpus, settings.mode)


class _Perplexity(Experiment):
    name = "perplexity"
    compares_models = True

    def gather(
        self, settings: Settings, plans: Plans, ledger: Ledger, earlier: Mapping[str, Result]
    ) -> CorpusPerplexity:
        table = earlier.get("table2")
        maps = table.maps if isinstance(table, MainResults) else {}
        return gather_perplexity(settings.models, plans, ledger, maps=maps)

    def _plan(self, settings: Settings, model: LanguageModel) -> list[Work]:
        return plan_perplexity(model, settings.corpus, settings.mode)


class _Ordering(Experiment):
    name = "ordering"

    def gather(
        self, settings: Settings, plans: Plans, ledger: Ledger, earlier: Mapping[str, Result]
    ) -> SentenceOrdering:
        return gather_ordering(_single(plans), ledger)

    def _plan(self, settings: Settings, model: LanguageModel) -> list[Work]:
        return plan_ordering(
            model, settings.corpus, settings.mode, permutations=settings.permutations, seed=settings.seed
        )


class _Deletion(Experiment):
    name = "deletion"

    def find_missing(self, settings: Settings) -> str | None:
        return super().find_missing(settings) or (settings.absent if settings.stories is None else None)

    def needs_parser(self, settings: Settings) -> bool:
        if self.find_missing(settings) is not None or settings.stories is None:
            return False
        return None in settings.stories.spans  # stories that are yet to be split

    def gather(
        self, settings: Settings, plans: Plans, ledger: Ledger, earlier: Mapping[str, Result]
    ) -> DeletionDetection:
        return gather_deletion(_single(plans), ledger)

    def _plan(self, settings: Settings, model: LanguageModel) -> list[Work]:
        if settings.stories is None:
            raise ValueError(settings.absent)
        return plan_deletion(model, settings.stories, settings.mode)


class _Cinderella(Experiment):
    name = "cinderella"

    def gather(
        self, settings: Settings, plans: Plans, ledger: Ledger, earlier: Mapping[str, Result]
    ) -> Cinderella:
        return gather_cinderella(_single(plans), ledger)

    def _plan(self, settings: Settings, model: LanguageModel) -> list[Work]:
        return plan_cinderella(model, settings.mode)


CATALOGUE: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (_Table1(), _Table2(), _Perplexity(), _Ordering(), _Deletion(), _Cinderella())
}

EXPERIMENTS = tuple(CATALOGUE)
"""The names of all experiments, in the order in which they are run."""


def choose_experiments(names: Sequence[str]) -> tuple[str, ...]:
    """Experiments by name, in the paper's order.

    Raises:
        UnknownNameError: There is no such experiment.

    >>> choose_experiments(["ordering", "table1"])
    ('table1', 'ordering')
    """
    for name in names:
        if name not in CATALOGUE:
            raise UnknownNameError("experiment", name, CATALOGUE)
    return tuple(name for name in CATALOGUE if name in names)


def check_parser(settings: Settings, names: Sequence[str]) -> None:
    """Find out before any model is loaded that experiments cannot be run for want of a parser.

    Raises:
        ModelError: One of them needs spaCy's English pipeline, and it is not installed.
    """
    if any(CATALOGUE[name].needs_parser(settings) for name in names):
        check_english()


def _single(plans: Plans) -> Sequence[Work]:
    """The work of the one model that was asked."""
    [works] = plans.values()
    return works
