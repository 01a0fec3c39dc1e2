"""Compare methods with all cheap baselines on several corpora (`barthes bench`).

Each row is also tested against the best cheap baseline. That baseline is chosen on the stories it is tested
on, which favours it: the true gain over it is, if anything, larger.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from barthes.cache import ScoreCache
from barthes.evaluation.corpus import Corpus, choose_unit
from barthes.evaluation.evaluate import evaluate
from barthes.evaluation.result import Evaluation, Figure, MethodResult, find_method, save_json, to_plain
from barthes.evaluation.score_table import OverallProgress
from barthes.methods import parse_formula
from barthes.models.language_model import LanguageModel
from barthes.salience.method import Method, Progress, silent
from barthes.version import __version__
from barthes_research.bench.kept_scores import KeptScores, check_names
from barthes_research.bench.measures import choose_measures, measure_agreement
from barthes_research.bench.summary import BenchSummary, summarize
from barthes_research.corpora.functions import RULES
from barthes_research.corpora.propplearner import ProppLearner

_CUES = ("length", "tfidf", "words", "centroid", "similarity")

_POSITIONS = ("position", "position-desc")

CHEAP = (
    *("random", *_POSITIONS, *_CUES),
    *(f"{cue}+{position}" for position in _POSITIONS for cue in _CUES),
    *(f"ranks:{cue}+{position}" for position in _POSITIONS for cue in _CUES),
    *("placed:centroid", "placed:centroid+similarity"),
)
"""The baselines without a language model: single cues, their min-max and rank sums with the position in both
directions, and two in which the position counts less in longer stories."""

_RANDOM, _TFIDF = "random", "tfidf"
_STEPS = 1000  # of the progress of one corpus


@dataclass(frozen=True)
class BenchRow:
    """A method on a corpus.

    Attributes:
        result: Its figures.
        cheap: Whether it is one of the baselines.
        p_vs: For the first measure, the two-sided p of Wilcoxon's and of the permutation test against
            ``random``, ``tfidf`` and the best cheap baseline; None for the method itself.
        gain: The mean difference of the first measure to the best cheap baseline, story by story; None for
            that baseline itself.
    """

    result: MethodResult
    cheap: bool
    p_vs: Mapping[str, Mapping[str, float | None] | None] = field(default_factory=dict)
    gain: Figure | None = None

    def to_dict(self, measures: Sequence[str]) -> dict[str, Any]:
        """Return a JSON row with these measures; undefined values are null."""
        figures = {name: self.result.figures[name].to_dict() for name in measures}
        difference = None if self.gain is None else self.gain.to_dict()
        return {
            "method": self.result.method,
            "model": self.result.model,
            "cheap": self.cheap,
            **{name: figure["value"] for name, figure in figures.items()},
            "interval": {name: figure["interval"] for name, figure in figures.items()},
            "p_vs": to_plain(self.p_vs),
            "gain": None if difference is None else {key: difference[key] for key in ("value", "interval")},
            "fingerprint": self.result.fingerprint,
            "precision": self.result.precision,
            "per_story": {name: figure["per_story"] for name, figure in figures.items()},
        }


@dataclass(frozen=True)
class CorpusBench:
    """All methods on one corpus.

    Attributes:
        evaluation: The result of `evaluate`.
        measures: The names of the corpus's measures; the first decides.
        rows: The cheap baselines, then the requested methods.
        best_cheap: The name of the baseline with the highest first measure.
        people: Spearman's correlation between two halves of the annotators; None without their votes.
    """

    evaluation: Evaluation
    measures: tuple[str, ...]
    rows: tuple[BenchRow, ...]
    best_cheap: str
    people: Figure | None = None

    def __getitem__(self, method: str) -> BenchRow:
        """Return the row of a method by its name or preset."""
        return self.rows[find_method(method, [row.result.method for row in self.rows])]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain dicts and lists."""
        people = None if self.people is None else self.people.to_dict()
        return {
            "corpus": self.evaluation.corpus,
            "labels": self.evaluation.labels,
            "unit": self.evaluation.unit,
            "measures": list(self.measures),
            "best_cheap": self.best_cheap,
            "people": None if people is None else {key: people[key] for key in ("value", "interval")},
            "rows": [row.to_dict(self.measures) for row in self.rows],
            "counts": dict(self.evaluation.counts),
            "annotation": self.evaluation.settings.get("annotation"),
            "notes": list(self.evaluation.notes),
        }


@dataclass(frozen=True)
class Bench:
    """Methods and all cheap baselines on several corpora.

    Attributes:
        corpora: One table per corpus and labelling, in the given order.
        settings: Model, window and seeds.

    Printing it gives a line per corpus and method.
    """

    corpora: tuple[CorpusBench, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def summary(self) -> BenchSummary:
        """How far each method comes from chance to what can be reached, over all corpora."""
        return summarize(table.to_dict() for table in self.corpora)

    def __iter__(self) -> Iterator[CorpusBench]:
        return iter(self.corpora)

    def __len__(self) -> int:
        return len(self.corpora)

    def __getitem__(self, place: int) -> CorpusBench:
        return self.corpora[place]

    def __str__(self) -> str:
        return "\n".join(
            f"{table.evaluation.corpus} ({table.evaluation.labels})  {row.result.method}  "
            f"{table.measures[0]} {row.result.figures[table.measures[0]].value:.3f}"
            for table in self.corpora
            for row in table.rows
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the benchmark as `barthes bench --format json` prints it."""
        return {
            "corpora": [table.to_dict() for table in self.corpora],
            "summary": self.summary.to_dict(),
            "settings": dict(self.settings),
            "barthes": __version__,
        }

    def save(self, path: str | Path) -> None:
        """Write the JSON (atomically)."""
        save_json(self.to_dict(), path)


def bench(
    methods: Sequence[Method | str],
    corpora: Sequence[Corpus],
    *,
    unit: str = "sentence",
    scores: Sequence[KeptScores] = (),
    model: LanguageModel | str | None = None,
    window: int | None = None,
    cache: ScoreCache | None = None,
    seeds: int = 10,
    progress: Progress = silent,
) -> Bench:
    """Compare methods with all cheap baselines on each corpus, with intervals and paired tests.

    Args:
        methods: Methods, or their names; none for the baselines alone.
        corpora: Labelled narratives. ProppLearner is measured with both of its labellings.
        unit: ``sentence`` or ``event``, as for `evaluate`.
        scores: Kept scores, a row each, in the tables of the corpora that they cover.
        model: For names: a language model or its name; by default the embedded one.
        window: For names: tokens that the model reads at once.
        cache: Caches scores by a language model; shared with `evaluate`.
        seeds: Draws of the random baseline; its figures are the means.
        progress: Called with the work done and the total work, with equal weight for each corpus.

    Each corpus has its own measures, all with intervals; the first decides the tests and the best cheap
    baseline. Stories without a salient sentence (or event) are left out.

    Raises:
        BarthesError: A corpus cannot be evaluated, a story cannot be scored, or kept scores do not fit.
        UnknownNameError: There is no such method.
    """
    labelled = [each for corpus in corpora for each in expand_corpus(choose_unit(corpus, unit))]
    # An object is never taken for the baseline of its name: it may have other settings.
    others = (each for each in methods if isinstance(each, Method) or str(parse_formula(each)) not in CHEAP)
    asked = [*CHEAP, *others]
    check_names(scores, asked)
    bound = _bind_scores(scores, labelled)
    tables = []
    overall = OverallProgress(progress, [_STEPS] * len(labelled))
    for place, corpus in enumerate(labelled):
        measures = choose_measures(corpus)
        evaluation = evaluate(
            [*asked, *bound[place]],
            corpus,
            unit=unit,
            model=model,
            window=window,
            cache=cache,
            seeds=seeds,
            progress=overall.part(place),
        )
        people = measure_agreement(list(corpus)) if unit == "sentence" else None
        tables.append(_compare_rows(evaluation, measures, people))
    models = (row.result.model for table in tables for row in table.rows)
    return Bench(tuple(tables), {"model": next(filter(None, models), None), "window": window, "seeds": seeds})


def _bind_scores(scores: Sequence[KeptScores], corpora: Sequence[Corpus]) -> list[list[Method]]:
    """Return the kept scores of each corpus as methods, before anything is computed."""
    for kept in scores:
        if not any(map(kept.covers, corpora)):
            kept.bind(corpora[0])  # raises an error that names the corpora of the file
    return [[kept.bind(corpus) for kept in scores if kept.covers(corpus)] for corpus in corpora]


def expand_corpus(corpus: Corpus) -> tuple[Corpus, ...]:
    """Return the corpus once per labelling: ProppLearner has two."""
    if not isinstance(corpus, ProppLearner):
        return (corpus,)
    return tuple(corpus.relabel(rule) for rule in RULES)


def _compare_rows(evaluation: Evaluation, measures: tuple[str, ...], people: Figure | None) -> CorpusBench:
    """Test every row against random, TF-IDF and the best cheap baseline."""
    first = measures[0]
    cheap = evaluation.rows[: len(CHEAP)]
    best = max(cheap, key=lambda row: np.nan_to_num(row.figures[first].value, nan=-math.inf))
    others = {row.method: row for row in cheap if row.method in (_RANDOM, _TFIDF)} | {best.method: best}

    rows = []
    for place, row in enumerate(evaluation.rows):
        ours = row.figures[first]
        p_vs = {
            name: None if row is other else ours.compare(other.figures[first])
            for name, other in others.items()
        }
        over_best = None if row is best else ours - best.figures[first]
        rows.append(BenchRow(row, cheap=place < len(CHEAP), p_vs=p_vs, gain=over_best))
    return CorpusBench(evaluation, measures, tuple(rows), best.method, people)
