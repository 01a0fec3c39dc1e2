"""The experiments by name, each with what it needs, its plan and its run; the order is the paper's."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol

from barthes.errors import UnknownNameError
from barthes.evaluation.experiments.cinderella import Cinderella, plan_cinderella, score_cinderella
from barthes.evaluation.experiments.corpus_statistics import CorpusStatistics, count_corpus
from barthes.evaluation.experiments.deletion_detection import (
    DeletionDetection,
    detect_deletions,
    plan_deletion,
)
from barthes.evaluation.experiments.main_results import (
    MainResults,
    measure_main_results,
    plan_main_results,
)
from barthes.evaluation.experiments.perplexity import CorpusPerplexity, measure_perplexity, plan_perplexity
from barthes.evaluation.experiments.sentence_ordering import (
    SentenceOrdering,
    order_sentences,
    plan_ordering,
)
from barthes.evaluation.experiments.settings import Settings
from barthes.evaluation.experiments.work import Ledger, Work
from barthes.models.language_model import LanguageModel
from barthes.salience.method import Progress

__all__ = ["CATALOGUE", "EXPERIMENTS", "Experiment", "Result", "choose_experiments"]


class Result(Protocol):
    """What every experiment gives."""

    def to_dict(self) -> dict[str, Any]:
        """The figures, the paper's beside ours, as JSON holds them."""
        ...


class Experiment(ABC):
    """One experiment of the paper."""

    name: ClassVar[str]

    def find_missing(self, settings: Settings) -> str | None:
        """What it cannot be run without; None where all is there. By default it asks a language model."""
        return None if settings.models.first else "no language model was given"

    def plan(self, settings: Settings) -> list[Work]:
        """The work for a language model."""
        return []

    @abstractmethod
    def run(
        self, settings: Settings, ledger: Ledger, earlier: Mapping[str, Result], progress: Progress
    ) -> Result:
        """Do what is left of the work and draw the figures from it; `earlier` has the results so far."""


class _Table1(Experiment):
    name = "table1"

    def find_missing(self, settings: Settings) -> None:
        return None

    def run(
        self, settings: Settings, ledger: Ledger, earlier: Mapping[str, Result], progress: Progress
    ) -> CorpusStatistics:
        return count_corpus(settings.corpus)


class _Table2(Experiment):
    name = "table2"

    def find_missing(self, settings: Settings) -> None:
        return None  # the rows of a model that is not given say so

    def plan(self, settings: Settings) -> list[Work]:
        return plan_main_results(settings.models, settings.corpus, settings.mode)

    def run(
        self, settings: Settings, ledger: Ledger, earlier: Mapping[str, Result], progress: Progress
    ) -> MainResults:
        return measure_main_results(
            settings.models, settings.corpus, settings.mode, ledger, seeds=settings.seeds, progress=progress
        )


class _Perplexity(Experiment):
    name = "perplexity"

    def plan(self, settings: Settings) -> list[Work]:
        return plan_perplexity(settings.models, settings.corpus, settings.mode)

    def run(
        self, settings: Settings, ledger: Ledger, earlier: Mapping[str, Result], progress: Progress
    ) -> CorpusPerplexity:
        table = earlier.get("table2")
        maps = table.maps if isinstance(table, MainResults) else {}
        return measure_perplexity(
            settings.models, settings.corpus, settings.mode, ledger, maps=maps, progress=progress
        )


class _Ordering(Experiment):
    name = "ordering"

    def plan(self, settings: Settings) -> list[Work]:
        return plan_ordering(
            _first(settings),
            settings.corpus,
            settings.mode,
            permutations=settings.permutations,
            seed=settings.seed,
        )

    def run(
        self, settings: Settings, ledger: Ledger, earlier: Mapping[str, Result], progress: Progress
    ) -> SentenceOrdering:
        return order_sentences(
            _first(settings),
            settings.corpus,
            settings.mode,
            ledger,
            permutations=settings.permutations,
            seed=settings.seed,
            progress=progress,
        )


class _Deletion(Experiment):
    name = "deletion"

    def find_missing(self, settings: Settings) -> str | None:
        return super().find_missing(settings) or (settings.absent if settings.stories is None else None)

    def plan(self, settings: Settings) -> list[Work]:
        if settings.stories is None:
            return []
        return plan_deletion(_first(settings), settings.stories, settings.mode)

    def run(
        self, settings: Settings, ledger: Ledger, earlier: Mapping[str, Result], progress: Progress
    ) -> DeletionDetection:
        if settings.stories is None:
            raise ValueError(settings.absent)
        return detect_deletions(_first(settings), settings.stories, settings.mode, ledger, progress=progress)


class _Cinderella(Experiment):
    name = "cinderella"

    def plan(self, settings: Settings) -> list[Work]:
        return plan_cinderella(_first(settings), settings.mode)

    def run(
        self, settings: Settings, ledger: Ledger, earlier: Mapping[str, Result], progress: Progress
    ) -> Cinderella:
        return score_cinderella(_first(settings), settings.mode, ledger, progress=progress)


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


def _first(settings: Settings) -> LanguageModel:
    if settings.models.first is None:
        raise ValueError("this experiment asks a language model")
    return settings.models.first
