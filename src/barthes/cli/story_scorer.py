"""Score the stories of a command: the model, loaded when it is needed, and the score cache."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from barthes.cache import ScoreCache
from barthes.cli.console import announce_duration, print_line, print_note, resumable, show_progress
from barthes.cli.story_reader import StoryReader
from barthes.cutting.cut import cut_narrative
from barthes.cutting.shortened import Shortened
from barthes.files import expand_home, make_folder
from barthes.methods import check_method, describe_method
from barthes.models.deferred import DeferredModel
from barthes.models.embedded import DEFAULT_MODEL
from barthes.models.language_model import LanguageModel
from barthes.narrative import Narrative
from barthes.salience.method import Progress
from barthes.salience.profile import Profile
from barthes.scorer import Scorer


@dataclass
class StoryScorer:
    """Scores the stories of one command.

    Attributes:
        method: The name of the method.
        model: The name of the language model.
        unit: ``event``, or one of `barthes.narrative.SPAN_UNITS`.
        window: Tokens that the model reads at once; None leaves it to the method.
        device: Where the model computes.
        dtype: The precision of its products.
        cache: Where scores are looked up and stored; None for nowhere.
        against: Another method that `score` will be called with.
        exact_top: For previews: how many of the highest estimates are scored exactly.
        with_readers: Whether to add the importance to readers, where it can be trusted.
    """

    method: str
    model: str = DEFAULT_MODEL
    unit: str = "sentence"
    window: int | None = None
    device: str = "auto"
    dtype: str = "auto"
    cache: ScoreCache | None = field(default_factory=ScoreCache)
    against: str | None = None
    exact_top: int = 0
    with_readers: bool = False

    def __post_init__(self) -> None:
        names = [self.method] if self.against is None else [self.method, self.against]
        for name in names:
            check_method(name, unit=self.unit, model=self.model)
        infos = [describe_method(name) for name in names]
        if self.model != DEFAULT_MODEL and not any(info.needs_model for info in infos):
            print_note(f"--model has no effect with {' and '.join(names)}: no language model is used.")
        if self.window is not None and not any(info.looks_ahead for info in infos):
            print_note(f"--window has no effect with {' and '.join(names)}: no sentence is removed.")

    def prepare(self) -> None:
        """Load the model now, unless its fingerprint is known and scores may be cached."""
        if describe_method(self.method).needs_model and not (self.cache and self._model.is_known):
            self._model.load()

    def score(self, narrative: Narrative, *, method: str | None = None) -> Profile:
        """Score a story, with another method if one is given; progress is shown on stderr."""
        scorer = self._scorer if method is None else self._build(method)
        with show_progress(narrative.title) as shown:
            importance = scorer.score_importance(narrative, progress=shown)
            progress = announce_duration(narrative.title, shown, advice=self._advise(scorer))
            if importance is not None and sys.stderr.isatty():
                progress = show_meanwhile(importance, progress)
            return scorer.score(narrative, progress=progress, importance=importance)

    def cut(self, narrative: Narrative, target: int, protected: Collection[int]) -> Shortened:
        """Cut a story to a number of words; progress and a long duration are shown on stderr."""
        with show_progress(narrative.title) as shown:
            progress = announce_duration(narrative.title, shown)
            return cut_narrative(
                narrative, self._model, target, protected=protected, cache=self.cache, progress=progress
            )

    def _advise(self, scorer: Scorer) -> str:
        """Return advice for long texts, if the method removes one sentence (or longer unit) after another."""
        if not scorer.info.looks_ahead:
            return ""
        advice = ""
        if self.unit == "sentence" and not scorer.info.is_estimate:
            advice += " Faster: --method preview, which estimates, or --unit scene."
        if self.cache is not None:
            advice += " If you interrupt it, the same command continues."
        return advice

    @cached_property
    def _scorer(self) -> Scorer:
        return self._build(self.method)

    def _build(self, method: str) -> Scorer:
        return Scorer(
            method,
            lambda: self._model,
            unit=self.unit,
            window=self.window,
            exact_top=self.exact_top,
            cache=self.cache,
            importance="readers" if self._may_ask_readers(method) else None,
        )

    def _may_ask_readers(self, method: str) -> bool:
        """Return whether importance to readers is added: to methods that measure the cost of a cut."""
        info = describe_method(method)
        return self.with_readers and info.needs_model and info.looks_ahead and self.model == DEFAULT_MODEL

    @cached_property
    def _model(self) -> DeferredModel:
        def load() -> LanguageModel:
            return load_with_progress(self.model, device=self.device, dtype=self.dtype)

        return DeferredModel(self.model, device=self.device, dtype=self.dtype, cache=self.cache, load=load)


_MEANWHILE = 5  # sentences


def show_meanwhile(importance: Profile, progress: Progress) -> Progress:
    """Return a progress function that first prints what readers find important, unless all work is done."""
    is_shown = False

    def report(done: int, total: int) -> None:
        nonlocal is_shown
        if not is_shown and done < total:
            is_shown = True
            print_note("the costs are being computed. Readers are likely to find most important:")
            for unit in importance.top(_MEANWHILE):
                print_line(f"  {unit.rank}  {importance.unit} {unit.index + 1}: {unit.sentence}")
        progress(done, total)

    return report


@dataclass(frozen=True)
class ProfileOpener:
    """Opens the files that `plot` and `compare` are given: stories, which it scores, or JSON of scores."""

    scorer: StoryScorer
    reader: StoryReader

    def open(self, paths: Iterable[Path]) -> list[Profile]:
        """Return the profile in each JSON file of scores, and of the story in any other file.

        All files are read before the first story is scored.
        """
        found = [Profile.load(path) if is_result(path) else self.read(path) for path in paths]
        return [each if isinstance(each, Profile) else self.score(each) for each in found]

    def read(self, path: Path) -> Narrative:
        """Return the story in a file, or the story that a file of scores is about."""
        return Profile.load(path).narrative if is_result(path) else self.reader.read_one(path)

    def score(self, narrative: Narrative, *, method: str | None = None) -> Profile:
        """Score a story, with another method if one is given, and print the notes of its profile."""
        profile = self.scorer.score(narrative, method=method)
        for note in profile.notes:
            print_note(f"{narrative.title}: {note}")
        return profile


def is_result(path: Path) -> bool:
    """Return whether a file, by its extension, holds scores and not a story."""
    return path.suffix.lower() in (".json", ".jsonl")


def load_with_progress(name: str, *, device: str, dtype: str) -> LanguageModel:
    """Load a language model, with a line on the terminal."""
    from barthes.models.loading import load_model

    with show_progress(f"loading {name}"):
        return load_model(name, device=device, dtype=dtype)


def open_cache(folder: Path | None, *, is_needed: bool = True) -> ScoreCache:
    """Return the score cache in a folder, or Barthes' own.

    Raises:
        OutputError: It is needed, and the folder cannot be created or written to.
    """
    if folder is None:
        return ScoreCache()
    folder = expand_home(folder)
    if is_needed:
        make_folder(folder)
    return ScoreCache(folder / "scores.sqlite3", limit=sys.maxsize)  # nothing is evicted from a named folder


def identify(model: LanguageModel) -> None:
    """Find the model's fingerprint before the work starts; loads the model if it is not cached."""
    with show_progress(f"loading {model.name}"):
        _ = model.fingerprint, model.precision


@contextmanager
def cached_work(cache: ScoreCache) -> Iterator[None]:
    """Run a block that caches its results; when it is interrupted, print where they are."""
    with resumable(cache.path, lambda: not (cache.stored or cache.found)), cache:
        yield
