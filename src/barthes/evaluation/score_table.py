"""The scores of methods on the stories of a corpus; each single method is scored once for all sums with it.

::

    "sd", "sd+tfidf", "random" ─add─▶ sd, tfidf ─compute─▶ Profile per story ─combine─▶ a score per label
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from barthes.baselines import DocumentFrequencies, Random
from barthes.baselines.words import split_narrative
from barthes.cache import ScoreCache
from barthes.evaluation.corpus import UNITS, Corpus, Labelled, get_events, get_unit, to_units
from barthes.evaluation.measures import Run
from barthes.methods import describe_method, parse_formula
from barthes.models.deferred import DeferredModel, ModelIdentity
from barthes.models.embedded import DEFAULT_MODEL
from barthes.models.language_model import LanguageModel
from barthes.salience.combination import Combination
from barthes.salience.method import Method, Progress, silent
from barthes.salience.profile import Profile
from barthes.scorer import Scorer

_RANDOM = "random"

Profiles = Mapping[str, Profile]
"""The profile of each story, by its name."""


@dataclass(frozen=True)
class MethodParts:
    """A method and the keys of the single methods that it consists of."""

    method: Method
    keys: tuple[str, ...]
    is_object: bool = False  # not given by its name

    @property
    def is_random(self) -> bool:
        """Whether it is the random baseline."""
        return self.keys == (_RANDOM,)


class ScoreTable:
    """Scores methods on the stories of a corpus, with its words, its annotation and one language model.

    Args:
        corpus: The corpus, for the unit that is labelled.
        stories: Its stories.
        gold: Whether to use the corpus's own words and annotation.
        model, window, cache: As for `barthes.evaluate`.
    """

    def __init__(
        self,
        corpus: Corpus,
        stories: Sequence[Labelled],
        *,
        gold: bool = False,
        model: LanguageModel | str | None = None,
        window: int | None = None,
        cache: ScoreCache | None = None,
    ) -> None:
        if model is None or isinstance(model, str):
            model = DeferredModel(model or DEFAULT_MODEL, cache=cache)
        self._model: LanguageModel = model
        self._stories = stories
        self._unit = get_unit(corpus)
        self._window = window
        self._cache = cache
        self._annotate = corpus.annotate if gold else None
        self._tokenize = corpus.tokenize if gold else None
        self._scorers: dict[str, Scorer] = {}
        self._found: dict[str, Profiles] = {}
        self._draws: list[Profiles] = []

    def add(self, method: Method | str) -> MethodParts:
        """Add a method that `compute` is to score; scores of method objects are not cached."""
        if isinstance(method, Method):  # objects of the same name may differ
            key = f"{len(self._scorers)} {method.name}"
            self._scorers[key] = Scorer(method)
            return MethodParts(method, (key,), is_object=True)
        formula = parse_formula(method)
        for name in formula.parts:
            if name not in self._scorers:
                self._scorers[name] = self._build(name)
        methods = [self._scorers[name].method for name in formula.parts]
        return MethodParts(formula.assemble(methods), formula.parts)

    def compute(self, *, seeds: int, progress: Progress = silent) -> None:
        """Score every story with the single methods; progress is roughly in characters to read."""
        self._draws = [self._draw(seed) for seed in range(seeds)]
        scorers = {key: scorer for key, scorer in self._scorers.items() if key != _RANDOM}
        jobs = list(itertools.product(scorers, self._stories))
        overall = OverallProgress(progress, [_estimate(scorers[key].method, story) for key, story in jobs])
        found: dict[str, dict[str, Profile]] = {key: {} for key in scorers}
        for place, (key, story) in enumerate(jobs):
            report = overall.part(place)
            found[key][story.name] = scorers[key].score(story.narrative, progress=report)
            report(1, 1)
        self._found.update(found)

    def combine(self, parts: MethodParts) -> list[Run]:
        """Return a score per label of every story: once, or once per seed if a part is random."""
        draws = self._draws if _RANDOM in parts.keys else [{}]
        tables = [{**self._found, _RANDOM: draw} for draw in draws]
        return [
            {
                story.name: self._add_up(parts, [table[key][story.name] for key in parts.keys], story)
                for story in self._stories
            }
            for table in tables
        ]

    def list_notes(self) -> list[tuple[str, dict[str, Sequence[str]]]]:
        """Return the notes of each single method, by story."""
        return [
            (self._scorers[key].method.name, {story: profile.notes for story, profile in profiles.items()})
            for key, profiles in self._found.items()
        ]

    def identify(self, parts: MethodParts) -> ModelIdentity:
        """Return the language model of a method: its name, fingerprint and precision."""
        profiles = (profile for key in parts.keys for profile in self._found.get(key, {}).values())
        is_known = parts.method.info.needs_model and not parts.is_object
        return {
            "model": self._model.name if is_known else parts.method.model_name,
            "fingerprint": self._model.fingerprint if is_known else None,
            "precision": next((each.precision for each in profiles if each.precision), None),
        }

    def _build(self, name: str) -> Scorer:
        """Return the scorer of a single method; it scores events if they are labelled and it can."""
        info = describe_method(name)
        return Scorer(
            name,
            lambda: self._model,
            unit=self._unit if self._unit in info.units else "sentence",
            window=self._window,
            frequencies=self._frequencies if info.weighs_words else None,
            tokenize=self._tokenize,
            annotate=self._annotate,
            cache=self._cache,
        )

    @functools.cached_property
    def _frequencies(self) -> DocumentFrequencies | None:
        """The document frequencies of the corpus; None for a single story."""
        if len(self._stories) < 2:
            return None
        narratives = [story.narrative for story in self._stories]
        return DocumentFrequencies.from_narratives(narratives, tokenize=self._tokenize or split_narrative)

    def _draw(self, seed: int) -> Profiles:
        """Return random scores of every labelled unit."""
        method = Random(seed=seed)
        return {
            story.name: method.to_profile(
                story.narrative,
                method.draw(story.narrative, len(story.labels)),
                unit=self._unit,
                events=get_events(story),
            )
            for story in self._stories
        }

    def _add_up(self, parts: MethodParts, profiles: list[Profile], story: Labelled) -> Sequence[float]:
        """Add up scores of sentences; only if a part scores events, add up those of events."""
        if parts.is_object or not isinstance(parts.method, Combination):
            return to_units(profiles[0].scores, profiles[0].unit, story)
        unit = max((profile.unit for profile in profiles), key=UNITS.index)
        same = [
            profile.scores if profile.unit == unit else to_units(profile.scores, profile.unit, story)
            for profile in profiles
        ]
        return to_units(parts.method.add_up(same).tolist(), unit, story)


class OverallProgress:
    """One progress report for consecutive parts of given sizes; it never decreases."""

    def __init__(self, progress: Progress, parts: Sequence[int]) -> None:
        self._progress = progress
        self._edges = list(itertools.accumulate(parts, initial=0))
        self._done = 0

    def part(self, place: int) -> Progress:
        """Return the progress callback of one part, which may use its own unit."""
        before, after, total = self._edges[place], self._edges[place + 1], self._edges[-1]
        size = after - before

        def report(done: int, whole: int) -> None:
            share = size * min(done, whole) // whole if whole > 0 else size
            self._done = max(self._done, before + share)
            self._progress(self._done, total)

        return report


def _estimate(method: Method, story: Labelled) -> int:
    """Return how many characters are read: the rest of the story per sentence, or the story once."""
    length, sentences = len(story.narrative.text), len(story.narrative)
    whole_rest = method.info.looks_ahead and not method.info.is_estimate
    return max(1, length * sentences // 2) if whole_rest else length
