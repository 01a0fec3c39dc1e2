"""Table 2: mean average precision of baselines and proposed methods, alone and with TF-IDF.

A dagger marks a row that is better than random with p < 0.05 (Wilcoxon's signed-rank test, two-sided, over
tales, against the mean of the random seeds, as in the paper). Near 0.05 it depends on the seeds, so each row
also has the p against the exact expectation of random orders. Bold marks the best proposed method, bold
italic the best combination; rows that are equal to three decimals share the mark, as in the paper.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from barthes.baselines import DocumentFrequencies, Position, Random, TfIdf
from barthes.evaluation.measures import Run, measure_stories
from barthes.evaluation.metrics import mean_over_stories
from barthes.evaluation.result import to_plain
from barthes.evaluation.significance import bootstrap_interval, is_better, wilcoxon
from barthes.models.language_model import LanguageModel
from barthes.salience.combination import scale_to_unit
from barthes.salience.method import Method
from barthes_research.corpora.propplearner import ProppLearner
from barthes_research.reproduction.document import NOT_RUN, name_fine_tuning
from barthes_research.reproduction.experiment import (
    Computed,
    Experiment,
    ExperimentResult,
    ExperimentTask,
    ReproductionSettings,
)
from barthes_research.reproduction.main_results_page import describe_results
from barthes_research.reproduction.published import (
    BEST_AGAINST_TFIDF,
    PROPOSED,
    RANDOM_SD,
    TABLE_2,
    PublishedRow,
)

_DECIMALS = 3  # of MAP in the paper

ProposedRuns = Mapping[tuple[str, str | None], Run]
"""The scores of each tale by method and fine-tuning."""


class MainResults(Experiment):
    """Table 2, and the scores that the figures are drawn from."""

    name = "table2"
    heading = "Table 2: mean average precision"
    needs_model = False  # rows without a model are marked as not run
    compares_models = True

    def needs_parser(self, settings: ReproductionSettings) -> bool:
        """Return whether verbs have to be tagged."""
        return bool(settings.models) and not settings.mode.follows_formula

    def plan(self, settings: ReproductionSettings, model: LanguageModel) -> list[ExperimentTask]:
        """Return tasks for SD, VA and PAA of every tale; the baselines are fast and need none."""
        return [task for tale in settings.corpus for task in settings.mode.plan(model, tale)]

    def collect(self, computed: Computed) -> ExperimentResult:
        """Return all rows; those of models without results are marked as not run."""
        settings = computed.settings
        tales = list(settings.corpus)
        proposed, notes = _join_results(computed)
        baselines = _score_baselines(settings.corpus, seeds=settings.seeds)
        draws = [measure_stories("map", [run], tales).per_story for run in baselines["random"]]
        chance = _Chance(
            {tale.name: math.fsum(draw[tale.name] for draw in draws) / len(draws) for tale in tales},
            {tale.name: expect_average_precision(tale.labels) for tale in tales},
        )
        rows = [_measure_row(TABLE_2[0], chance.drawn, chance)]
        for paper in TABLE_2[1:]:
            run = _find_run(paper, baselines, proposed)
            precisions = None if run is None else measure_stories("map", [run], tales).per_story
            rows.append(_measure_row(paper, precisions, chance))
        maps = [mean_over_stories(draw.values()) for draw in draws]
        figures = {
            "labels": settings.corpus.labelling,
            "random_sd": {
                "paper": RANDOM_SD,
                "ours": float(np.std(maps, ddof=1)) if len(maps) > 1 else None,
            },
            "random_expected": mean_over_stories(chance.expected.values()),
            "best_combination_vs_tfidf": {"paper": BEST_AGAINST_TFIDF, "ours": _compare_best(rows)},
            "rows": mark_rows(rows, mean_over_stories(chance.drawn.values())),
        }
        scores = _list_scores(settings.corpus, proposed, baselines["tfidf"][0])
        return ExperimentResult(to_plain(figures), notes, scores)

    def describe(self, figures: dict[str, Any]) -> list[str]:
        """Return Table 2 with the paper's marks."""
        return describe_results(figures)


@dataclass(frozen=True)
class _Chance:
    """The average precision of each tale by random orders: the mean over seeds, and over all orders."""

    drawn: Mapping[str, float]
    expected: Mapping[str, float]


def expect_average_precision(labels: Sequence[bool]) -> float:
    """Return the mean of average precision over all orders of the sentences; NaN if none is salient.

    With R of n sentences salient, the one at rank k is salient with probability R/n, and each of the k - 1
    before it then with (R - 1)/(n - 1); the sum over k is (H_n + (R - 1)/(n - 1) · (n - H_n)) / n.

    >>> expect_average_precision([True, False])  # (1 + 1/2) / 2
    0.75
    """
    n, salient = len(labels), sum(labels)
    if not salient:
        return math.nan
    harmonic = math.fsum(1 / k for k in range(1, n + 1))
    others = (salient - 1) / (n - 1) if n > 1 else 0.0
    return (harmonic + others * (n - harmonic)) / n


def mark_rows(rows: Sequence[dict[str, Any]], chance: float) -> list[dict[str, Any]]:
    """Return the rows with daggers, given random's MAP, and bold for the best methods and combinations."""

    def round_map(row: Mapping[str, Any]) -> float | None:
        return None if row["ours"] is None or math.isnan(row["ours"]) else round(row["ours"], _DECIMALS)

    def mark_best(group: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        highest = max(filter(None, map(round_map, group)), default=None)
        return [row for row in group if highest is not None and round_map(row) == highest]

    bold = mark_best([row for row in rows if row["method"] in PROPOSED and not row["tfidf"]])
    bold_italic = mark_best([row for row in rows if row["tfidf"]])
    return [
        row
        | {
            "dagger": is_better(row["p_vs_random"], row["ours"], chance),
            "bold": row in bold,
            "bold_italic": row in bold_italic,
        }
        for row in rows
    ]


def _measure_row(
    paper: PublishedRow, precisions: Mapping[str, float] | None, chance: _Chance
) -> dict[str, Any]:
    """Return a row of the table without our marks; without precisions it is not run."""
    row: dict[str, Any] = {
        "method": paper.method,
        "tfidf": paper.tfidf,
        "fine_tuning": paper.fine_tuning,
        "paper": paper.map,
        "paper_dagger": paper.dagger,
        "paper_bold": paper.bold,
        "paper_bold_italic": paper.bold_italic,
        "status": NOT_RUN,
        **dict.fromkeys(("ours", "interval", "p_vs_random", "p_vs_expectation")),
        **dict.fromkeys(("dagger", "bold", "bold_italic"), False),
        "per_story": None,
    }
    if precisions is None:
        return row
    values = list(precisions.values())
    is_random = paper.method == "random"
    return row | {
        "status": "run",
        "ours": mean_over_stories(values),
        "interval": bootstrap_interval(values),
        "p_vs_random": None if is_random else wilcoxon(values, [chance.drawn[name] for name in precisions]),
        "p_vs_expectation": wilcoxon(values, [chance.expected[name] for name in precisions]),
        "per_story": precisions,
    }


def _compare_best(rows: Sequence[dict[str, Any]]) -> float | None:
    """Return Wilcoxon's p of the best combination (the first of equals) against TF-IDF alone."""
    combined = [row for row in rows if row["tfidf"] and row["ours"] is not None]
    if not combined:
        return None
    best = max(combined, key=lambda row: row["ours"])
    alone = next(row for row in rows if row["method"] == "tfidf")
    return wilcoxon(list(best["per_story"].values()), list(alone["per_story"].values()))


def _join_results(computed: Computed) -> tuple[ProposedRuns, tuple[str, ...]]:
    """Return the scores by method and fine-tuning, and notes on them that name the tales."""
    runs: dict[tuple[str, str | None], dict[str, list[float]]] = {}
    noted: dict[tuple[str, str, str], dict[str, None]] = {}  # the names of tales, by method, note and model
    for fine_tuning, model in computed.settings.models.items():
        for method in PROPOSED:
            for task in computed.plans.get(fine_tuning, ()):
                value, story = computed.results[task], task.key["story"]
                if method in value["scores"]:
                    run = runs.setdefault((method, fine_tuning), {})
                    run.setdefault(story, []).extend(value["scores"][method])
                    for note in value["notes"]:
                        noted.setdefault((method, note, model.name), {})[story] = None
    notes = [f"{', '.join(names)} with {model}: {note}" for (_, note, model), names in noted.items()]
    return runs, tuple(dict.fromkeys(notes))


def _score_baselines(corpus: ProppLearner, *, seeds: int) -> dict[str, list[Run]]:
    """Return the scores of the baselines, in both modes those of `barthes evaluate`."""
    narratives = [tale.narrative for tale in corpus]
    frequencies = DocumentFrequencies.from_narratives(narratives, tokenize=corpus.tokenize)

    def run(method: Method) -> Run:
        return {tale.name: method.score(tale.narrative).scores for tale in corpus}

    return {
        "random": [run(Random(seed=seed)) for seed in range(seeds)],
        "position": [run(Position())],
        "position-desc": [run(Position(descending=True))],
        "tfidf": [run(TfIdf(frequencies, tokenize=corpus.tokenize))],
    }


def _find_run(row: PublishedRow, baselines: Mapping[str, list[Run]], proposed: ProposedRuns) -> Run | None:
    """Return the scores that a row of Table 2 is measured on; None if its model was not given."""
    if not row.is_proposed:
        return baselines[row.method][0]
    run = proposed.get((row.method, row.fine_tuning))
    if run is None or not row.tfidf:
        return run
    tfidf = baselines["tfidf"][0]
    return {name: (scale_to_unit(run[name]) + scale_to_unit(tfidf[name])).tolist() for name in run}


def _list_scores(corpus: ProppLearner, proposed: ProposedRuns, tfidf: Run) -> dict[str, dict[str, Any]]:
    """Return labels and scores by tale: those of the first fine-tuning by method, others under its name."""
    first, *others = dict.fromkeys(fine_tuning for _, fine_tuning in proposed) or [None]

    def list_methods(tale: str, fine_tuning: str | None) -> dict[str, list[float]]:
        known = [(method, proposed.get((method, fine_tuning))) for method in PROPOSED]
        return {method: list(run[tale]) for method, run in known if run is not None}

    return {
        tale.name: {"labels": list(tale.labels)}
        | list_methods(tale.name, first)
        | {name_fine_tuning(other): list_methods(tale.name, other) for other in others}
        | {"tfidf": list(tfidf[tale.name])}
        for tale in corpus
    }
