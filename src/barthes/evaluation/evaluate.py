"""Evaluate methods on a labelled corpus (`barthes evaluate`)."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from barthes.baselines import DocumentFrequencies, Random
from barthes.baselines.words import split_narrative
from barthes.cache import ScoreCache
from barthes.errors import BarthesError, UnknownNameError
from barthes.evaluation.corpus import UNITS, Corpus, Labelled, LabelledEvents, choose_unit, get_unit, to_units
from barthes.evaluation.corpus_notes import check_stories, count_stories, join_notes, make_notes
from barthes.evaluation.measures import Run, check_measures, measure_method, measure_stories
from barthes.evaluation.result import Evaluation, Figure
from barthes.methods import describe_method, parse_formula
from barthes.models.deferred import DeferredModel, ModelIdentity
from barthes.models.embedded import DEFAULT_MODEL
from barthes.models.language_model import LanguageModel
from barthes.salience.combination import Combination
from barthes.salience.method import Method, Progress, silent
from barthes.salience.profile import Profile
from barthes.scorer import Scorer

ANNOTATIONS = ("gold", "predicted")
"""Sources of words, tags and roles: the corpus itself, or Barthes."""

_RANDOM = "random"


def evaluate(
    methods: Sequence[Method | str],
    corpus: Corpus,
    *,
    unit: str = "sentence",
    against: Sequence[Method | str] = (),
    model: LanguageModel | str | None = None,
    window: int | None = None,
    annotation: str | None = None,
    cache: ScoreCache | None = None,
    seeds: int = 10,
    undefined: str = "skip",
    measures: Sequence[str] = ("map",),
    progress: Progress = silent,
) -> Evaluation:
    """Measure how well methods find the salient sentences or events of a corpus, with intervals and tests.

    Args:
        methods: Methods, or their names: ``sd``, ``sd+tfidf``, ``ranks:words+position`` … Scores are cached
            for names, and computed each time for method objects.
        corpus: Labelled narratives, such as `barthes.corpora.ProppLearner`.
        unit: ``sentence``, or ``event`` for corpora that label events. Methods that can score events do so
            (``readers``, ``sd``, ``va``, ``paa``); others give each event the score of its sentence.
        against: Methods to compare each row with besides the random baseline, by Wilcoxon's test and by the
            permutation test. They need not be among `methods`.
        model: For names: a language model or its name; by default the embedded one.
        window: For names: tokens that the model reads at once.
        annotation: For names: ``gold``, the corpus's own (words for methods that weigh words, tags and roles
            for ``va`` and ``paa``), or ``predicted`` by Barthes. By default gold if the corpus has it.
        cache: Caches scores by a language model.
        seeds: Draws of the random baseline; its figures are the means.
        undefined: The policy for stories without a salient sentence: ``skip``, ``zero`` or ``error``.
        measures: Names of `barthes.evaluation.measures.MEASURES` that come first in `MethodResult.figures`;
            the tests use the first.
        progress: Called with the work done and the total work.

    Raises:
        BarthesError: The corpus cannot be evaluated, has no labels for the unit, or a story cannot be scored.
        UnknownNameError: There is no such unit, method, annotation, policy or measure.

    Rows are in the order of `methods`. p-values are Wilcoxon's, two-sided, against the random baseline;
    intervals are bootstrapped over stories.
    """
    if seeds < 1:
        raise ValueError(f"{seeds} seeds: there must be at least one")
    first, *_ = measures = check_measures(measures)
    corpus = choose_unit(corpus, unit)
    stories = check_evaluation(corpus, annotation=annotation, undefined=undefined)
    builder = MethodBuilder(corpus, stories, model=model, window=window, annotation=annotation, cache=cache)
    asked, others = _as_sequence(methods), _as_sequence(against)
    rows = [_make_row(place, method, builder) for place, method in enumerate([*asked, *others])]
    singles = {key: part for row in rows for key, part in row.parts if key != _RANDOM}
    given = {key for row in rows if row.given for key, _ in row.parts}
    found = score_stories(singles, stories, cache=cache, uncached=given, progress=progress)
    draws = [_draw(seed, stories, unit) for seed in range(seeds)]

    def measure_first(row: _Row) -> Figure:
        runs = row.combine(found, draws, stories)
        return measure_stories(first, runs, stories, undefined=undefined)

    baseline = measure_first(_make_row(0, _RANDOM, builder))
    compared = {row.method.name: measure_first(row) for row in rows[len(asked) :]}
    results = [
        measure_method(
            row.method.name,
            row.combine(found, draws, stories),
            stories,
            measures=measures,
            baseline=None if [key for key, _ in row.parts] == [_RANDOM] else baseline,
            against=compared,
            undefined=undefined,
            **_describe_model(row, builder, found),
        )
        for row in rows[: len(asked)]
    ]
    notes = [
        (singles[part].name, {story: each.notes for story, each in scores.items()})
        for part, scores in found.items()
    ]
    return Evaluation(
        corpus=corpus.name,
        labels=corpus.labelling,
        unit=unit,
        rows=tuple(results),
        counts=count_stories(stories, unit=unit),
        settings={
            "window": window,
            "annotation": builder.annotation,
            "precision": next((row.precision for row in results if row.precision), None),
            "seeds": seeds,
            "undefined": undefined,
            "against": list(compared),
        },
        notes=make_notes(corpus, stories, undefined=undefined, unit=unit)
        + join_notes(notes, stories=len(stories)),
        random=baseline.value,
    )


def check_evaluation(
    corpus: Corpus, *, annotation: str | None = None, undefined: str = "skip"
) -> list[Labelled]:
    """Return the stories of a corpus after checking that they can be evaluated.

    Raises:
        BarthesError: They cannot, or not with this annotation or policy.
        UnknownNameError: There is no such annotation or policy.
    """
    stories = list(corpus)
    check_stories(stories, corpus=corpus, undefined=undefined, unit=get_unit(corpus))
    _choose_annotation(corpus, annotation)
    return stories


class MethodBuilder:
    """Builds methods by name for one corpus, with its words, its annotation and one language model.

    The options are those of `evaluate`; the cache stores the fingerprints of models.
    """

    def __init__(
        self,
        corpus: Corpus,
        stories: Sequence[Labelled],
        *,
        model: LanguageModel | str | None = None,
        window: int | None = None,
        annotation: str | None = None,
        cache: ScoreCache | None = None,
    ) -> None:
        self.annotation: str = _choose_annotation(corpus, annotation)
        if model is None or isinstance(model, str):
            model = DeferredModel(model or DEFAULT_MODEL, cache=cache)
        self.model: LanguageModel = model
        self._window = window
        self._stories = stories
        self._unit = get_unit(corpus)
        gold = self.annotation == "gold"
        self._annotate = corpus.annotate if gold else None
        self._tokenize = corpus.tokenize if gold else None

    def build(self, name: str) -> Method:
        """Return the method of that name; in a combination, those that can score the unit do."""
        formula = parse_formula(name)
        return formula.assemble([self._build_single(part) for part in formula.parts])

    def _build_single(self, name: str) -> Method:
        return Scorer(
            name,
            lambda: self.model,
            unit=self._unit if self._unit in describe_method(name).units else "sentence",
            window=self._window,
            frequencies=self._frequencies if describe_method(name).weighs_words else None,
            tokenize=self._tokenize,
            annotate=self._annotate,
        ).method

    @functools.cached_property
    def _frequencies(self) -> DocumentFrequencies | None:
        """The document frequencies of the corpus; None for a single story."""
        if len(self._stories) < 2:
            return None
        narratives = [story.narrative for story in self._stories]
        return DocumentFrequencies.from_narratives(narratives, tokenize=self._tokenize or split_narrative)


def score_stories(
    methods: Mapping[str, Method],
    stories: Sequence[Labelled],
    *,
    cache: ScoreCache | None = None,
    uncached: set[str] | frozenset[str] = frozenset(),
    progress: Progress = silent,
) -> dict[str, dict[str, Profile]]:
    """Return the profile of every story by method and story.

    Scores by a language model are cached, except for the methods in `uncached`. Progress is roughly in
    characters to read.
    """
    found: dict[str, dict[str, Profile]] = {name: {} for name in methods}
    jobs = [(name, story) for name in methods for story in stories]
    overall = OverallProgress(progress, [_estimate(methods[name], story) for name, story in jobs])
    for place, (name, story) in enumerate(jobs):
        report = overall.part(place)
        used = None if name in uncached else cache
        found[name][story.name] = Scorer(methods[name], cache=used).score(story.narrative, progress=report)
        report(1, 1)
    return found


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


@dataclass(frozen=True)
class _Row:
    """A row of the table: a method and its single methods under unique keys."""

    method: Method
    parts: tuple[tuple[str, Method], ...]
    given: bool = False

    def combine(
        self,
        found: Mapping[str, Mapping[str, Profile]],
        draws: Sequence[Mapping[str, Profile]],
        stories: Sequence[Labelled],
    ) -> list[Run]:
        """Return a score per label of every story: once, or once per seed if a part is random."""
        keys = [key for key, _ in self.parts]
        tables = [{**found, _RANDOM: draw} for draw in draws] if _RANDOM in keys else [found]
        return [
            {story.name: self._add_up([table[key][story.name] for key in keys], story) for story in stories}
            for table in tables
        ]

    def _add_up(self, parts: Sequence[Profile], story: Labelled) -> Sequence[float]:
        """Add up scores of sentences; only if a part scores events, add up those of events."""
        if self.given or not isinstance(self.method, Combination):
            return to_units(parts[0].scores, parts[0].unit, story)
        unit = max((part.unit for part in parts), key=UNITS.index)
        same = (
            part.scores if part.unit == unit else to_units(part.scores, part.unit, story) for part in parts
        )
        return to_units(self.method.add_up(list(same)).tolist(), unit, story)


def _make_row(place: int, method: Method | str, builder: MethodBuilder) -> _Row:
    if isinstance(method, Method):  # objects of the same name may differ
        return _Row(method, ((f"{place} {method.name}", method),), given=True)
    built = builder.build(method)
    parts = built.methods if isinstance(built, Combination) else (built,)
    return _Row(built, tuple((part.name, part) for part in parts))


def _as_sequence(methods: Sequence[Method | str] | Method | str) -> Sequence[Method | str]:
    return [methods] if isinstance(methods, str | Method) else methods


def _choose_annotation(corpus: Corpus, annotation: str | None) -> str:
    if annotation is None:
        return "predicted" if corpus.annotate is None else "gold"
    if annotation not in ANNOTATIONS:
        raise UnknownNameError("annotation", annotation, ANNOTATIONS)
    if annotation == "gold" and corpus.annotate is None:
        raise BarthesError(
            "the corpus has no annotation of its own.",
            where=corpus.name,
            remedy="Choose the annotation 'predicted': Barthes finds verbs and participants with spaCy.",
            option="annotation",
        )
    return annotation


def _estimate(method: Method, story: Labelled) -> int:
    """Return how many characters are read: the rest of the story per sentence, or the story once."""
    length, sentences = len(story.narrative.text), len(story.narrative)
    whole_rest = method.info.looks_ahead and not method.info.is_estimate
    return max(1, length * sentences // 2) if whole_rest else length


def _draw(seed: int, stories: Sequence[Labelled], unit: str) -> dict[str, Profile]:
    """Return random scores of every labelled unit."""
    method = Random(seed=seed)
    return {
        story.name: method.to_profile(
            story.narrative,
            method.draw(story.narrative, len(story.labels)),
            unit=unit,
            events=story.events if isinstance(story, LabelledEvents) else (),
        )
        for story in stories
    }


def _describe_model(
    row: _Row, builder: MethodBuilder, found: Mapping[str, Mapping[str, Profile]]
) -> ModelIdentity:
    """Return the language model of a row: its given name, fingerprint and precision."""
    precisions = (each.precision for key, _ in row.parts for each in found.get(key, {}).values())
    named = not row.given and row.method.info.needs_model
    return {
        "model": builder.model.name if named else row.method.model_name,
        "fingerprint": builder.model.fingerprint if named else None,
        "precision": next(filter(None, precisions), None),
    }
