"""Score stories for commands: one model, loaded when it is needed, and the cache of scores."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from barthes.baselines.frequencies import DocumentFrequencies
from barthes.cache import ScoreCache
from barthes.cli.complaints import remark
from barthes.cli.progress import show_progress
from barthes.files import decode_name
from barthes.methods import check_method, describe_method, parse_method
from barthes.models.deferred import DeferredModel
from barthes.models.embedded import DEFAULT_MODEL
from barthes.models.language_model import LanguageModel
from barthes.narrative import Narrative
from barthes.reading import read
from barthes.report.saved_results import is_result, load_result
from barthes.salience.method import Method
from barthes.salience.profile import Profile
from barthes.salience.removal_method import EventSalience
from barthes.scoring import score_narrative

__all__ = ["StoryOpener", "StoryScorer"]


@dataclass
class StoryScorer:
    """Scores the stories of one command.

    Attributes:
        method: The name of the method.
        model: The name of the language model.
        unit: ``sentence`` or ``event``.
        window: Tokens that the model reads at once; None leaves it to the method.
        seed: Seed of random scores.
        device: Where the model computes.
        dtype: The precision of its products.
        cache: Where scores are looked up and kept; None for nowhere.
        frequencies: Document frequencies of the stories at hand, for methods that weigh words.
    """

    method: str
    model: str = DEFAULT_MODEL
    unit: str = "sentence"
    window: int | None = None
    seed: int = 0
    device: str = "auto"
    dtype: str = "auto"
    cache: ScoreCache | None = field(default_factory=ScoreCache)
    frequencies: DocumentFrequencies | None = None

    def __post_init__(self) -> None:
        check_method(self.method)
        info = describe_method(self.method)
        if self.model != DEFAULT_MODEL and not info.needs_model:
            remark(f"--model is not used: {self.method} asks no language model.")
        if self.window is not None and not info.looks_ahead:
            remark(f"--window is not used: {self.method} does not look ahead.")

    def prepare(self) -> None:
        """Load the model now if cached scores could not be used without it.

        Raises:
            ModelError: It cannot be loaded.
        """
        if describe_method(self.method).needs_model and not (self.cache and self._model.is_known):
            self._model.load()

    def score(self, narrative: Narrative, *, method: str | None = None) -> Profile:
        """Score a story, by another method if one is given; progress is shown on stderr."""
        ready = self._ready if method is None else self._build(method)
        with show_progress(narrative.title) as progress:
            return score_narrative(narrative, ready, cache=self.cache, progress=progress)

    @cached_property
    def _ready(self) -> Method:
        return self._build(self.method)

    def _build(self, method: str) -> Method:
        if self.unit == "event":
            return EventSalience(self._model, method=method, window=self.window)
        return parse_method(
            method,
            model=lambda: self._model,
            window=self.window,
            seed=self.seed,
            frequencies=self.frequencies,
        )

    @cached_property
    def _model(self) -> DeferredModel:
        return DeferredModel(
            self.model, device=self.device, dtype=self.dtype, cache=self.cache, load=self._load
        )

    def _load(self) -> LanguageModel:
        from barthes.models.loading import load_model

        with show_progress(f"loading {self.model}"):
            return load_model(self.model, device=self.device, dtype=self.dtype)


@dataclass
class StoryOpener:
    """Opens the stories that `plot` and `compare` are given: texts, which it scores, or files of scores.

    Attributes:
        scorer: Scores the texts.
        sentences: Whether the texts have one sentence per line.
        language: The language of the texts; None for what each file says.
    """

    scorer: StoryScorer
    sentences: bool = False
    language: str | None = None

    def open(self, path: Path) -> Profile:
        """Return the profile in a JSON file of scores, or of the story in any other file."""
        return load_result(path) if is_result(path) else self.score(self.read(path))

    def read(self, path: Path) -> Narrative:
        """Return the story in a file; of a file of scores, the story that was scored."""
        if is_result(path):
            return load_result(path).narrative
        return read(path, language=self.language, sentences=self.sentences, title=decode_name(path))

    def score(self, narrative: Narrative, *, method: str | None = None) -> Profile:
        """Score a story, by another method if one is given, and print the notes of its profile."""
        profile = self.scorer.score(narrative, method=method)
        for note in profile.notes:
            remark(f"{narrative.title}: {note}")
        return profile
