"""Evaluate methods on a labelled corpus (`barthes evaluate`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from barthes.cache import ScoreCache
from barthes.errors import BarthesError, UnknownNameError
from barthes.evaluation.corpus import Corpus, Labelled, choose_unit, get_unit
from barthes.evaluation.corpus_notes import join_notes, make_notes
from barthes.evaluation.measures import MEASURES, measure_stories
from barthes.evaluation.result import Evaluation, MethodResult
from barthes.evaluation.score_table import MethodParts, ScoreTable
from barthes.models.language_model import LanguageModel
from barthes.salience.method import Method, Progress, silent

ANNOTATIONS = ("gold", "predicted")
"""Sources of words, tags and roles: the corpus itself, or Barthes."""


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
        progress: Called with the work done and the total work.

    Raises:
        BarthesError: The corpus cannot be evaluated, has no labels for the unit, or a story cannot be scored.
        UnknownNameError: There is no such unit, method or annotation.

    Rows are in the order of `methods`. p-values are Wilcoxon's, two-sided, for MAP against the random
    baseline; intervals are bootstrapped over stories. Stories without a salient sentence are left out of the
    means.
    """
    if seeds < 1:
        raise ValueError(f"{seeds} seeds: there must be at least one")
    corpus = choose_unit(corpus, unit)
    stories = check_evaluation(corpus, annotation=annotation)
    annotation = annotation or ("predicted" if corpus.annotate is None else "gold")
    gold = annotation == "gold"
    table = ScoreTable(corpus, stories, gold=gold, model=model, window=window, cache=cache)
    rows = [table.add(method) for method in _as_sequence(methods)]
    others = [table.add(method) for method in _as_sequence(against)]
    random = table.add("random")
    table.compute(seeds=seeds, progress=progress)

    baseline = measure_stories("map", table.combine(random), stories)
    compared = {each.method.name: measure_stories("map", table.combine(each), stories) for each in others}

    def measure(row: MethodParts) -> MethodResult:
        runs, name = table.combine(row), row.method.name
        figures = {measure: measure_stories(measure, runs, stories) for measure in MEASURES}
        ours = figures["map"]
        return MethodResult(
            name,
            figures,
            vs_random=None if row.is_random else ours.compare(baseline),
            p_vs={other: None if other == name else ours.compare(compared[other]) for other in compared},
            **table.identify(row),
        )

    results = tuple(map(measure, rows))
    notes = make_notes(corpus, stories, unit=unit) + join_notes(table.list_notes(), stories=len(stories))
    return Evaluation(
        corpus=corpus.name,
        labels=corpus.labelling,
        unit=unit,
        rows=results,
        counts={
            "stories": len(stories),
            f"{unit}s": sum(len(story.labels) for story in stories),
            "salient": sum(sum(story.labels) for story in stories),
        },
        settings={
            "window": window,
            "annotation": annotation,
            "precision": next((row.precision for row in results if row.precision), None),
            "seeds": seeds,
            "against": list(compared),
        },
        notes=tuple(notes),
        random=baseline.value,
    )


def check_evaluation(corpus: Corpus, *, annotation: str | None = None) -> list[Labelled]:
    """Return the stories of a corpus after checking that they can be evaluated.

    Raises:
        BarthesError: Nothing is salient, two stories share a name, or there is no such annotation of them.
        UnknownNameError: There is no such annotation.
    """
    stories = list(corpus)
    where = str(getattr(corpus, "path", None) or corpus.name)
    if not any(any(story.labels) for story in stories):
        raise BarthesError(
            f"no {get_unit(corpus)} is labelled as salient, so there is nothing to find.",
            where=where,
            remedy="Check its labels.",
        )
    twice = [name for name, count in Counter(story.name for story in stories).items() if count > 1]
    if twice:
        raise BarthesError(
            f"{len(twice)} of its names stand for more than one story, such as {twice[0]}.",
            where=where,
            remedy="Give every story a name of its own.",
        )
    if annotation not in (None, *ANNOTATIONS):
        raise UnknownNameError("annotation", str(annotation), ANNOTATIONS)
    if annotation == "gold" and corpus.annotate is None:
        raise BarthesError(
            "the corpus has no annotation of its own.",
            where=corpus.name,
            remedy="Choose the annotation 'predicted': Barthes finds verbs and participants with spaCy.",
            option="annotation",
        )
    return stories


def _as_sequence(methods: Sequence[Method | str] | Method | str) -> Sequence[Method | str]:
    return [methods] if isinstance(methods, str | Method) else methods
