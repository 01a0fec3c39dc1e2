"""The parts that the paper's experiments share: settings, tasks for language models, and their results.

An experiment is planned as a list of tasks before anything is computed, so that one progress bar covers it.
Each result is cached at once: an interruption costs only the task in progress.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from barthes.annotation.pipeline import describe_parser
from barthes.cache import ScoreCache
from barthes.evaluation.score_table import OverallProgress
from barthes.hashing import hash_content
from barthes.models.deferred import identify_model
from barthes.models.language_model import LanguageModel
from barthes.narrative import Narrative
from barthes.salience.method import Progress, silent
from barthes.scorer import REVISION
from barthes.version import __version__
from barthes_research.corpora.propplearner import ProppLearner
from barthes_research.corpora.rocstories import RocStories
from barthes_research.reproduction.published import FINE_TUNINGS, ORDERING_PERMUTATIONS, RANDOM_SEEDS

if TYPE_CHECKING:
    from barthes_research.reproduction.modes import Mode

_CHARACTERS_PER_TOKEN = 4.2  # of English tales with SmolLM2 and GPT-2; only the progress bar depends on it

Models = Mapping[str | None, LanguageModel]
"""Language models by fine-tuning: None, ``domain``, ``transductive``. They may be deferred."""

LIKELIHOOD_WINDOW = (
    "the whole text; where it exceeds the model's context, windows of 1024 tokens (or of the context, if "
    "that is smaller), each overlapping with the one before by half"
)
"""The text that is read at once for perplexity and sentence ordering, in both modes."""


@dataclass(frozen=True)
class ReproductionSettings:
    """The experiments to run, their data and their models.

    Attributes:
        corpus: ProppLearner.
        models: The language models by fine-tuning; they are used in the paper's order.
        mode: By the paper's formula, or as the authors' release computes.
        stories: ROCStories, for deletion detection; None without them.
        absent: Why there are no stories.
        only: The names of the experiments to run; None for all.
        permutations: Number of permutations of each tale's sentences.
        seeds: Number of seeds of the random baseline.
        seed: Seed of the permutations.
    """

    corpus: ProppLearner
    models: Models
    mode: Mode
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
        """Return the settings as in JSON, without the models."""
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
class ExperimentTask:
    """A computation with a language model; its result can be stored as JSON.

    `key` has everything that determines the result (`make_key`); the model reads about `tokens` tokens.
    """

    key: Mapping[str, Any]
    tokens: int
    compute: Callable[[Progress], Any] = field(repr=False)

    @cached_property
    def identifier(self) -> str:
        """A hash of the key."""
        return hash_content(self.key)


Plans = Mapping[str | None, Sequence[ExperimentTask]]
"""The tasks of each model, by its fine-tuning (None, ``domain``, ``transductive``)."""


class TaskResults:
    """The results of tasks, each looked up in the cache once."""

    def __init__(self, cache: ScoreCache) -> None:
        self.cache = cache
        self._known: dict[str, Any] = {}

    def __getitem__(self, task: ExperimentTask) -> Any:
        return self._known[task.identifier]

    def __contains__(self, task: ExperimentTask) -> bool:
        """Return whether the result is known or cached."""
        if task.identifier not in self._known:
            found = self.cache.fetch(task.key)
            if found is None:
                return False
            self._known[task.identifier] = found
        return True

    def outstanding(self, tasks: Iterable[ExperimentTask]) -> int:
        """Return about how many tokens are left to read for these tasks; equal tasks count once."""
        return sum({task.identifier: task.tokens for task in tasks if task not in self}.values())

    def compute(self, tasks: Sequence[ExperimentTask], *, progress: Progress = silent) -> None:
        """Compute the missing results in order, and cache each at once."""
        missing = list({task.identifier: task for task in tasks if task not in self}.values())
        overall = OverallProgress(progress, [task.tokens for task in missing])
        for place, task in enumerate(missing):
            report = overall.part(place)
            report(0, 1)
            value = task.compute(report)
            self.cache.store(task.key, value)
            self._known[task.identifier] = value
            report(1, 1)


def make_key(model: LanguageModel, **fields: Any) -> dict[str, Any]:
    """Return the key of a task: the fields that determine its result, the model and our version."""
    return {"version": __version__, "revision": REVISION, **identify_model(model), **fields}


def hash_story(narrative: Narrative) -> str:
    """Hash a narrative's text and the spans of its sentences."""
    return hash_content([narrative.text, narrative.spans])


def estimate_tokens(text: str) -> int:
    """Estimate from its length how many tokens a text has, without a tokenizer."""
    return round(len(text) / _CHARACTERS_PER_TOKEN) + 1


@dataclass(frozen=True)
class ExperimentResult:
    """The paper's figures and ours as in JSON, notes on them, and (for Table 2) the scores of each tale."""

    figures: dict[str, Any]
    notes: tuple[str, ...] = ()
    scores: dict[str, Any] | None = None


@dataclass(frozen=True)
class Computed:
    """The tasks of each model that did not fail, their results, and the results of earlier experiments."""

    settings: ReproductionSettings
    plans: Plans
    results: TaskResults
    earlier: Mapping[str, ExperimentResult] = field(default_factory=dict)


class Experiment(ABC):
    """An experiment of the paper: tasks for models, figures from their results, and a section of the page.

    Attributes:
        name: Its name on the command line.
        heading: Its heading on the page.
        needs_model: Whether it needs a language model.
        compares_models: Whether it uses every model; otherwise it uses only the first.
    """

    name: ClassVar[str]
    heading: ClassVar[str]
    needs_model: ClassVar[bool] = True
    compares_models: ClassVar[bool] = False

    def choose_models(self, models: Models) -> Models:
        """Return the models that it uses."""
        return models if self.compares_models else dict(list(models.items())[:1])

    def find_missing(self, settings: ReproductionSettings) -> str | None:
        """Return why it cannot be run, or None."""
        return "no language model was given" if self.needs_model and not settings.models else None

    def needs_parser(self, settings: ReproductionSettings) -> bool:
        """Return whether it needs spaCy's English pipeline."""
        return False

    def plan(self, settings: ReproductionSettings, model: LanguageModel) -> list[ExperimentTask]:
        """Return the tasks of one model; by default none."""
        return []

    @abstractmethod
    def collect(self, computed: Computed) -> ExperimentResult:
        """Return the figures of the models whose tasks have been computed."""

    @abstractmethod
    def describe(self, figures: dict[str, Any]) -> list[str]:
        """Return the section of the page that shows its figures, as blocks of Markdown."""
