"""Read and score the stories of a command: one model, loaded when it is needed, and the cache of scores."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from barthes.baselines.frequencies import DocumentFrequencies
from barthes.cache import ScoreCache
from barthes.cli.console import ErrorCounter, kept_when_interrupted, print_note, show_progress
from barthes.files import decode_name, expand_home, make_folder
from barthes.methods import check_method, describe_method, parse_method
from barthes.models.deferred import DeferredModel
from barthes.models.embedded import DEFAULT_MODEL
from barthes.models.language_model import LanguageModel
from barthes.narrative import Narrative
from barthes.reading import find_stories, read
from barthes.reading.source import STANDARD_INPUT
from barthes.report.saved_results import is_result, load_result
from barthes.salience.method import Method, silent
from barthes.salience.profile import Profile
from barthes.scoring import score_narrative

Source = TypeVar("Source")


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
            print_note(f"--model is not used: {self.method} asks no language model.")
        if self.window is not None and not info.looks_ahead:
            print_note(f"--window is not used: {self.method} does not look ahead.")

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
        return parse_method(
            method,
            model=lambda: self._model,
            unit=self.unit,
            window=self.window,
            seed=self.seed,
            frequencies=self.frequencies,
        )

    @cached_property
    def _model(self) -> DeferredModel:
        def load() -> LanguageModel:
            return load_with_progress(self.model, device=self.device, dtype=self.dtype)

        return DeferredModel(self.model, device=self.device, dtype=self.dtype, cache=self.cache, load=load)


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
            print_note(f"{narrative.title}: {note}")
        return profile


def load_with_progress(name: str, *, device: str, dtype: str) -> LanguageModel:
    """Load a language model; a terminal shows that."""
    from barthes.models.loading import load_model

    with show_progress(f"loading {name}"):
        return load_model(name, device=device, dtype=dtype)


def find_files(sources: Iterable[str], errors: ErrorCounter) -> list[Path]:
    """Return the files behind names of files and folders, each once, under the name given first."""
    found: dict[str, Path] = {}
    for source in sources:
        with errors:
            for path in find_stories([source]):
                found.setdefault(os.path.realpath(path), path)
    return list(found.values())


def read_all(
    sources: Sequence[Source], read_source: Callable[[Source], list[Narrative]], errors: ErrorCounter
) -> list[Narrative]:
    """Return the narratives of all sources that can be read."""
    narratives: list[Narrative] = []
    is_typed = any(str(source) == STANDARD_INPUT for source in sources)  # a bar would hide what is typed
    with nullcontext(silent) if is_typed else show_progress("reading") as progress:
        for done, source in enumerate(sources):
            progress(done, len(sources))
            with errors:
                narratives += read_source(source)
    return narratives


def name_story(path: str | Path) -> str:
    """Return the name of a story in results: its path, or ``stdin``."""
    return "stdin" if str(path) == STANDARD_INPUT else decode_name(path)


def open_cache(folder: Path | None, *, needed: bool = True) -> ScoreCache:
    """Return the score cache in a folder, or Barthes' own.

    Raises:
        OutputError: It is needed, and the folder cannot be made or may not be written to.
    """
    if folder is None:
        return ScoreCache()
    folder = expand_home(folder)
    if needed:
        make_folder(folder)
    return ScoreCache(folder / "scores.sqlite3", limit=sys.maxsize)  # nothing that was asked for is evicted


def identify(model: LanguageModel) -> None:
    """Find out which model it is, before the work; if that is not remembered, the model is loaded."""
    with show_progress(f"loading {model.name}"):
        _ = model.fingerprint, model.precision


@contextmanager
def kept_in_cache(cache: ScoreCache) -> Iterator[None]:
    """Run a block of work that caches its results; say so when Ctrl-C or SIGTERM ends it."""
    with kept_when_interrupted(cache.path, lambda: not (cache.stored or cache.found)), cache:
        yield
