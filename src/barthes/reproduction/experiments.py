"""The paper's experiments by name, in its order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from barthes.annotation.pipeline import check_english
from barthes.errors import UnknownNameError
from barthes.reproduction.cinderella import Cinderella
from barthes.reproduction.corpus_perplexity import Perplexity
from barthes.reproduction.corpus_statistics import CorpusStatistics
from barthes.reproduction.deletion_detection import DeletionDetection
from barthes.reproduction.experiment import Experiment, Models, Settings
from barthes.reproduction.main_results import MainResults
from barthes.reproduction.sentence_ordering import SentenceOrdering

__all__ = ["EXPERIMENTS", "check_parser", "choose_experiments", "choose_models"]

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        CorpusStatistics(),
        MainResults(),
        Perplexity(),
        SentenceOrdering(),
        DeletionDetection(),
        Cinderella(),
    )
}
"""All experiments, in the order in which they are run."""


def choose_experiments(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of experiments in the paper's order.

    Raises:
        UnknownNameError: There is no such experiment.

    >>> choose_experiments(["ordering", "table1"])
    ('table1', 'ordering')
    """
    for name in names:
        if name not in EXPERIMENTS:
            raise UnknownNameError("experiment", name, EXPERIMENTS)
    return tuple(name for name in EXPERIMENTS if name in names)


def choose_models(names: Iterable[str], models: Models) -> Models:
    """Return the models that experiments ask, by fine-tuning."""
    asked = (EXPERIMENTS[name].choose_models(models) for name in names)
    return {fine_tuning: model for each in asked for fine_tuning, model in each.items()}


def check_parser(settings: Settings, names: Sequence[str]) -> None:
    """Check that spaCy's English pipeline is installed if one of the experiments needs it.

    Raises:
        ModelError: It is not installed.
    """
    if any(EXPERIMENTS[name].needs_parser(settings) for name in names):
        check_english()
