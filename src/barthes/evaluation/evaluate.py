"""Methods on a labelled corpus: the one call behind `barthes evaluate`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from barthes.baselines.surface_cues import Random
from barthes.corpora.corpus import Corpus, Labelled
from barthes.evaluation.measures import MEASURES, check_measures
from barthes.evaluation.measuring import Run, measure, measure_stories
from barthes.evaluation.metrics import mean_over_stories
from barthes.evaluation.model_identity import ModelIdentity
from barthes.evaluation.remarks import (
    check_stories,
    count_stories,
    gather_notes,
    locate_corpus,
    make_notes,
)
from barthes.evaluation.result import Evaluation
from barthes.evaluation.store import ScoreStore
from barthes.evaluation.stored_method import Outcome, Scores, StoredMethod, score_stories
from barthes.evaluation.workbench import Workbench, choose_annotation, name_corpus
from barthes.methods import parse_formula
from barthes.models.language_model import LanguageModel
from barthes.salience.combination import add_placed, add_ranks, add_scaled
from barthes.salience.method import Method, Progress, silent

__all__ = ["check_evaluation", "combine", "evaluate"]

_RANDOM = "random"


@dataclass(frozen=True)
class _Row:
    """A row of the table to be: its name, and the single methods whose scores or ranks it adds up.

    A method that was given as an object is a part of its own, under a name that no other has.
    """

    name: str
    parts: tuple[str, ...]
    given: Method | None = None
    kind: str = ""


def evaluate(
    methods: Sequence[Method | str],
    corpus: Corpus,
    *,
    against: Sequence[Method | str] = (),
    model: LanguageModel | str | None = None,
    window: int | None = None,
    annotation: str | None = None,
    store: ScoreStore | None = None,
    seeds: int = 10,
    undefined: str = "skip",
    measures: Sequence[str] = ("map",),
    progress: Progress = silent,
) -> Evaluation:
    """How well methods find the salient sentences of a corpus, with intervals and significance.

    Args:
        methods: Methods, or their names: ``sd``, ``sd+tfidf``, ``ranks:words+position`` … Scores of a name
            go through the store; those of a method object are computed each time.
        corpus: Labelled narratives, such as `barthes.corpora.ProppLearner`.
        against: Methods that each row is compared with beside the random baseline, by Wilcoxon's test and
            by the permutation test. They need not be among `methods`.
        model: For names: a language model or its name; by default the embedded one.
        window: For names: tokens that the model reads at once.
        annotation: For names: ``gold``, what the corpus says itself (words for ``tfidf`` and its like, tags
            and roles for ``va`` and ``paa``), or ``predicted``, what Barthes finds. By default gold where
            there is any.
        store: Where scores by a language model are kept, so that a second evaluation does not compute them.
        seeds: How many times the random baseline draws; its figures are the means.
        undefined: What becomes of a story without a salient sentence: ``skip``, ``zero`` or ``error``.
        measures: Names of `barthes.evaluation.measures.MEASURES` that are told with intervals and story by
            story in `MethodResult.figures`; the tests are of the first.
        progress: Called with the work done and the work in all.

    Raises:
        BarthesError: Nothing can be measured on this corpus, or a story cannot be scored.
        UnknownNameError: There is no such method, annotation, policy or measure.

    The rows are in the order of `methods`. p-values are Wilcoxon's, two-sided, against the random baseline;
    intervals are bootstrapped over stories.
    """
    if seeds < 1:
        raise ValueError(f"{seeds} seeds: there must be at least one")
    first, *_ = measures = check_measures(measures)
    stories = check_evaluation(corpus, annotation=annotation, undefined=undefined)
    bench = Workbench(
        corpus,
        stories,
        model=model,
        window=window,
        annotation=annotation,
        memory=None if store is None else store.folder,
    )
    asked, others = _as_sequence(methods), _as_sequence(against)
    rows = [_name_row(place, method) for place, method in enumerate([*asked, *others])]
    singles = _build(rows, bench)
    outcomes = score_stories(singles, stories, corpus=name_corpus(corpus), store=store, progress=progress)
    scores = {part: {name: each.scores for name, each in found.items()} for part, found in outcomes.items()}
    draws = [_draw(seed, stories) for seed in range(seeds)]
    baseline = measure_stories(first, draws, stories)
    compared = {
        row.name: measure_stories(first, _run(row, scores, draws, stories), stories)
        for row in rows[len(asked) :]
    }
    results = [
        measure(
            row.name,
            _run(row, scores, draws, stories),
            stories,
            measures=measures,
            **_describe_model(row, singles, outcomes),
            baseline=None if row.parts == (_RANDOM,) else baseline,
            against=compared,
            undefined=undefined,
        )
        for row in rows[: len(asked)]
    ]
    return Evaluation(
        corpus=corpus.name,
        labels=corpus.labelling,
        rows=tuple(results),
        counts=count_stories(stories),
        settings=bench.settings
        | {"precision": next((row.precision for row in results if row.precision), None)}
        | {"seeds": seeds, "undefined": undefined, "against": list(compared)},
        notes=make_notes(corpus, stories, undefined=undefined) + _gather_notes(singles, outcomes, stories),
        random=mean_over_stories(baseline, undefined=MEASURES[first].policy(undefined)),
    )


def check_evaluation(
    corpus: Corpus, *, annotation: str | None = None, undefined: str = "skip"
) -> list[Labelled]:
    """The stories of a corpus, if something can be measured on them: found out before a model is loaded.

    Raises:
        BarthesError: Nothing can be measured on this corpus, or not with this annotation or policy.
        UnknownNameError: There is no such annotation or policy.
    """
    stories = list(corpus)
    check_stories(stories, corpus=locate_corpus(corpus), undefined=undefined)
    choose_annotation(corpus, annotation)
    return stories


def combine(parts: Sequence[Sequence[float]], *, kind: str = "") -> Scores:
    """The scores of a combination from those of its methods: the sum of them, each scaled to [0, 1].

    Of the kind ``ranks`` the sum of their ranks, each divided by the number of sentences; of the kind
    ``placed`` as `add_placed` says. A single method's scores stay as they are, unless they are placed.

    >>> combine([(0.0, 5.0, 10.0), (3.0, 1.0, 2.0)])
    (1.0, 0.5, 1.5)
    >>> combine([(0.0, 5.0, 10.0, 99.0), (3.0, 1.0, 2.0, 2.0)], kind="ranks")
    (1.25, 0.75, 1.375, 1.625)
    """
    if len(parts) == 1 and not kind:
        return tuple(parts[0])
    add_up = {"": add_scaled, "ranks": add_ranks, "placed": add_placed}[kind]
    return tuple(add_up(parts).tolist())


def _as_sequence(methods: Sequence[Method | str] | Method | str) -> Sequence[Method | str]:
    return [methods] if isinstance(methods, str | Method) else methods


def _name_row(place: int, method: Method | str) -> _Row:
    if isinstance(method, Method):
        return _Row(method.name, (f"{place} {method.name}",), method)
    formula = parse_formula(method)
    return _Row(str(formula), formula.parts, kind=formula.kind)


def _build(rows: Sequence[_Row], bench: Workbench) -> dict[str, StoredMethod]:
    """Every single method that the rows need, once."""
    given = {row.parts[0]: StoredMethod(row.given) for row in rows if row.given is not None}
    names = [name for row in rows for name in row.parts if name not in given and name != _RANDOM]
    return given | bench.build(names)


def _run(
    row: _Row, scores: Mapping[str, Run], draws: Sequence[Run], stories: Sequence[Labelled]
) -> list[Run]:
    """The scores of a row for every story: once, or once a seed where one of its methods draws."""
    tables = [{**scores, _RANDOM: draw} for draw in draws] if _RANDOM in row.parts else [scores]
    return [
        {
            story.name: combine([table[part][story.name] for part in row.parts], kind=row.kind)
            for story in stories
        }
        for table in tables
    ]


def _draw(seed: int, stories: Sequence[Labelled]) -> Run:
    method = Random(seed=seed)
    return {story.name: method.score(story.narrative).scores for story in stories}


def _describe_model(
    row: _Row, singles: Mapping[str, StoredMethod], outcomes: Mapping[str, Mapping[str, Outcome]]
) -> ModelIdentity:
    """The first language model behind a row: its name as people gave it, fingerprint and precision."""
    parts = [part for part in row.parts if part in singles]
    precisions = (outcome.precision for part in parts for outcome in outcomes[part].values())
    model = next((singles[part].model for part in parts if singles[part].model is not None), None)
    names = (singles[part].method.model_name for part in parts)
    return {
        "model": next(filter(None, names), None) if model is None else model.name,
        "fingerprint": None if model is None else model.fingerprint,
        "precision": next(filter(None, precisions), None),
    }


def _gather_notes(
    singles: Mapping[str, StoredMethod],
    outcomes: Mapping[str, Mapping[str, Outcome]],
    stories: Sequence[Labelled],
) -> tuple[str, ...]:
    """What the methods say about the stories, such as that they were cut into windows."""
    notes = [
        (singles[part].method.name, {story: outcome.notes for story, outcome in found.items()})
        for part, found in outcomes.items()
    ]
    return gather_notes(notes, stories=len(stories))
