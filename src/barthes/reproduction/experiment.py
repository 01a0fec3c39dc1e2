"""What the experiments of the paper have in common, and the settings they are run with."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from barthes.annotation.pipeline import describe_parser
from barthes.corpora.propplearner import ProppLearner
from barthes.corpora.rocstories import RocStories
from barthes.models.language_model import LanguageModel
from barthes.reproduction.document import Section
from barthes.reproduction.modes import Mode, PaperMode
from barthes.reproduction.published import FINE_TUNINGS, ORDERING_PERMUTATIONS, RANDOM_SEEDS
from barthes.reproduction.tasks import Plans, Results, Task

__all__ = ["LIKELIHOOD_WINDOW", "Computed", "Experiment", "ExperimentResult", "Models", "Settings"]

Models = Mapping[str | None, LanguageModel]
"""Language models by fine-tuning: None, ``domain``, ``transductive``. They may be deferred."""

LIKELIHOOD_WINDOW = (
    "the whole text; where it exceeds the model's context, windows of 1024 tokens (or of the context, if "
    "that is smaller), each overlapping with the one before by half"
)
"""What is read at once for perplexity and sentence ordering, in both modes."""


@dataclass(frozen=True)
class Settings:
    """What is run, on what, with what.

    Attributes:
        corpus: ProppLearner.
        models: The language models by fine-tuning; they are used in the paper's order.
        mode: As the authors' release computes, or as the paper's formula says.
        stories: ROCStories, for deletion detection; None without them.
        absent: Why there are no stories.
        only: The names of the experiments to run; None for all.
        permutations: Permutations of the sentences of each tale.
        seeds: How often the random baseline draws.
        seed: For the permutations.
    """

    corpus: ProppLearner
    models: Models = field(default_factory=dict)
    mode: Mode = field(default_factory=PaperMode)
    stories: RocStories | None = None
    absent: str = "ROCStories were not given"
    only: tuple[str, ...] | None = None
    permutations: int = ORDERING_PERMUTATIONS
    seeds: int = RANDOM_SEEDS
    seed: int = 0

    def __post_init__(self) -> None:
        ordered = {each: self.models[each] for each in FINE_TUNINGS if each in self.models}
        object.__setattr__(self, "models", ordered)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as JSON holds them, without the models."""
        stories = self.stories
        return {
            "corpus": self.corpus.name,
            "labels": self.corpus.labelling,
            "parser": describe_parser(),
            "window": self.mode.window,
            "likelihood_window": LIKELIHOOD_WINDOW,
            "seeds": self.seeds,
            "permutations": self.permutations,
            "permutation_seed": self.seed,
            "stories": None if stories is None else {"read": len(stories), "of": stories.total},
            "sha256": {
                "corpus": dict(self.corpus.sha256),
                "stories": None if stories is None else stories.sha256,
            },
            "intervals": "95 %, by 10,000 bootstrap resamples (seed 0) of tales; of stories for deletion",
        }


@dataclass(frozen=True)
class ExperimentResult:
    """What an experiment gives.

    Attributes:
        figures: The paper's figures and ours, as JSON holds them.
        notes: What a reader of them should know.
        scores: Of Table 2, the labels and scores of each tale's sentences; else None.
    """

    figures: dict[str, Any]
    notes: tuple[str, ...] = ()
    scores: dict[str, Any] | None = None


@dataclass(frozen=True)
class Computed:
    """An experiment whose tasks have been computed.

    Attributes:
        settings: The settings.
        plans: The tasks of each model; none of a model that failed.
        results: Their results.
        earlier: The results of earlier experiments, by name.
    """

    settings: Settings
    plans: Plans
    results: Results
    earlier: Mapping[str, ExperimentResult] = field(default_factory=dict)


class Experiment(ABC):
    """One experiment of the paper: tasks for models, figures from their results, and a section of the page.

    Attributes:
        name: Its name on the command line.
        heading: Its heading on the page.
        needs_model: Whether there is nothing to show without a language model.
        compares_models: Whether it asks every model; otherwise it asks the first one only.
    """

    name: ClassVar[str]
    heading: ClassVar[str]
    needs_model: ClassVar[bool] = True
    compares_models: ClassVar[bool] = False

    def choose_models(self, models: Models) -> Models:
        """Return the models that it asks."""
        return models if self.compares_models else dict(list(models.items())[:1])

    def find_missing(self, settings: Settings) -> str | None:
        """Return what it cannot be run without; None if everything is there."""
        return "no language model was given" if self.needs_model and not settings.models else None

    def needs_parser(self, settings: Settings) -> bool:
        """Return whether it needs spaCy's English pipeline."""
        return False

    @abstractmethod
    def plan(self, settings: Settings, model: LanguageModel) -> list[Task]:
        """Return the tasks of one model."""

    @abstractmethod
    def collect(self, computed: Computed) -> ExperimentResult:
        """Return the figures of the models whose tasks have been computed."""

    @abstractmethod
    def describe(self, figures: dict[str, Any]) -> Section:
        """Return the section of the page that shows its figures."""
