"""Table 2: mean average precision of baselines and proposed methods, alone and with TF-IDF.

A dagger marks a row that is better than random with p < 0.05 (Wilcoxon's signed-rank test, two-sided, over
tales, against the mean of the random seeds, as in the paper). Near that line it depends on the seeds: each
row has the p against the exact expectation of random orders too. Bold marks the best of the proposed methods
alone, bold italic the best of the combinations; what is the same to three decimals shares the mark, as in the
paper.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from barthes.corpora.propplearner import ProppLearner
from barthes.evaluation.measuring import average_precisions
from barthes.evaluation.metrics import mean_over_stories
from barthes.evaluation.plain import to_plain
from barthes.evaluation.significance import bootstrap_interval, is_better, wilcoxon
from barthes.models.language_model import LanguageModel
from barthes.reproduction.chance import Chance
from barthes.reproduction.models import Lineup
from barthes.reproduction.modes import Mode
from barthes.reproduction.published import (
    BEST_AGAINST_TFIDF,
    RANDOM_SD,
    RANDOM_SEEDS,
    TABLE_2,
    PublishedRow,
)
from barthes.reproduction.tale_scores import TaleScores
from barthes.reproduction.work import Ledger, Plans, Work

__all__ = [
    "MainResults",
    "Measured",
    "ResultRow",
    "gather_main_results",
    "mark_rows",
    "plan_main_results",
]

_DECIMALS = 3  # of MAP, in the paper


@dataclass(frozen=True)
class Measured:
    """What a method reaches on the corpus.

    Attributes:
        map: Mean average precision.
        interval: Its bootstrap interval over tales.
        p_vs_random: Wilcoxon's p against the random baseline; None for that baseline.
        p_vs_expectation: The same against the mean over all random orders, which no seed decides.
        per_story: The average precision of each tale; NaN where no sentence is salient.
    """

    map: float
    interval: tuple[float, float]
    p_vs_random: float | None
    per_story: Mapping[str, float]
    p_vs_expectation: float | None = None


@dataclass(frozen=True)
class ResultRow:
    """A row of Table 2, the paper's and ours; without `ours` its model was not given, or failed."""

    paper: PublishedRow
    ours: Measured | None = None
    dagger: bool = False
    bold: bool = False
    bold_italic: bool = False

    @property
    def rounded(self) -> float | None:
        """Our MAP as the paper would print it; None where there is none."""
        if self.ours is None or math.isnan(self.ours.map):
            return None
        return round(self.ours.map, _DECIMALS)

    def to_dict(self) -> dict[str, Any]:
        """The row as JSON holds it."""
        ours = self.ours
        return {
            "method": self.paper.method,
            "tfidf": self.paper.tfidf,
            "fine_tuning": self.paper.fine_tuning,
            "paper": self.paper.map,
            "paper_dagger": self.paper.dagger,
            "paper_bold": self.paper.bold,
            "paper_bold_italic": self.paper.bold_italic,
            "status": "not run" if ours is None else "run",
            "ours": ours and ours.map,
            "interval": ours and ours.interval,
            "p_vs_random": ours and ours.p_vs_random,
            "p_vs_expectation": ours and ours.p_vs_expectation,
            "dagger": self.dagger,
            "bold": self.bold,
            "bold_italic": self.bold_italic,
            "per_story": ours and ours.per_story,
        }


@dataclass(frozen=True)
class MainResults:
    """Table 2, and the scores that the figures are drawn from.

    Attributes:
        labels: The rule of the labels.
        rows: In the paper's order.
        random_sd: The standard deviation of the random row over its seeds.
        random_expected: MAP of random orders in the long run: what the random row is a draw of.
        best_against_tfidf: Wilcoxon's p of our best combination against TF-IDF alone; None without one.
        scores: By tale, the labels and the scores of each proposed method with the first model, those of
            other models by setting, and those of TF-IDF.
        remarks: How scores came about, where a reader should know.
    """

    labels: str
    rows: tuple[ResultRow, ...]
    random_sd: float
    random_expected: float
    best_against_tfidf: float | None
    scores: Mapping[str, Mapping[str, Any]]
    remarks: tuple[str, ...] = ()

    @property
    def maps(self) -> dict[tuple[str, str | None], float]:
        """MAP of each proposed method alone, by method and setting."""
        return {
            (row.paper.method, row.paper.fine_tuning): row.ours.map
            for row in self.rows
            if row.ours is not None and row.paper.is_proposed and not row.paper.tfidf
        }

    @property
    def notes(self) -> tuple[str, ...]:
        """How scores came about."""
        return self.remarks

    def to_dict(self) -> dict[str, Any]:
        """The table as JSON holds it."""
        plain: dict[str, Any] = to_plain(
            {
                "labels": self.labels,
                "random_sd": {"paper": RANDOM_SD, "ours": self.random_sd},
                "random_expected": self.random_expected,
                "best_combination_vs_tfidf": {"paper": BEST_AGAINST_TFIDF, "ours": self.best_against_tfidf},
                "rows": [row.to_dict() for row in self.rows],
            }
        )
        return plain


def plan_main_results(model: LanguageModel, corpus: ProppLearner, mode: Mode) -> list[Work]:
    """SD, VA and PAA of every tale with one model; baselines take no time worth planning."""
    return [work for tale in corpus for work in mode.plan(model, corpus.name, tale)]


def gather_main_results(
    models: Lineup,
    corpus: ProppLearner,
    plans: Plans,
    ledger: Ledger,
    *,
    seeds: int = RANDOM_SEEDS,
) -> MainResults:
    """Every row whose setting is among the plans, which have been settled."""
    scores = TaleScores.gather(models, corpus, plans, ledger, seeds=seeds)
    tales = list(corpus)
    chance = Chance.measure(scores.baselines["random"], tales)
    rows = [ResultRow(TABLE_2[0], replace(_measure(chance.per_story, chance), p_vs_random=None))]
    for paper in TABLE_2[1:]:
        run = scores.find(paper)
        rows.append(ResultRow(paper, _measure(average_precisions([run], tales), chance) if run else None))
    return MainResults(
        labels=corpus.labelling,
        rows=mark_rows(rows, chance.map),
        random_sd=chance.sd,
        random_expected=chance.expected,
        best_against_tfidf=_compare_best(rows),
        scores=scores.describe(corpus),
        remarks=scores.notes,
    )


def _measure(precisions: Mapping[str, float], chance: Chance) -> Measured:
    figures = list(precisions.values())
    drawn, expected = (
        wilcoxon(figures, [theirs[name] for name in precisions])
        for theirs in (chance.per_story, chance.expected_per_story)
    )
    interval = bootstrap_interval(figures)
    return Measured(mean_over_stories(figures), interval, drawn, precisions, expected)


def mark_rows(rows: Sequence[ResultRow], chance: float) -> tuple[ResultRow, ...]:
    """Daggers, bold for the best of the proposed methods alone, bold italic for the best combination."""
    alone = [row.rounded for row in rows if row.paper.is_proposed and not row.paper.tfidf]
    combined = [row.rounded for row in rows if row.paper.tfidf]
    return tuple(
        replace(
            row,
            dagger=_is_significant(row.ours, chance),
            bold=row.paper.is_proposed and not row.paper.tfidf and _is_highest(row, alone),
            bold_italic=row.paper.tfidf and _is_highest(row, combined),
        )
        for row in rows
    )


def _is_significant(ours: Measured | None, chance: float) -> bool:
    return ours is not None and is_better(ours.p_vs_random, ours.map, chance)


def _is_highest(row: ResultRow, figures: Sequence[float | None]) -> bool:
    return row.rounded is not None and row.rounded == max(each for each in figures if each is not None)


def _compare_best(rows: Sequence[ResultRow]) -> float | None:
    """Wilcoxon's p of the best combination (the first of equals) against TF-IDF alone."""
    measured = [row.ours for row in rows if row.paper.tfidf and row.ours is not None]
    if not measured:
        return None
    best = max(measured, key=lambda ours: ours.map)
    alone = next(row.ours for row in rows if row.paper.method == "tfidf" and row.ours is not None)
    return wilcoxon(list(best.per_story.values()), list(alone.per_story.values()))
