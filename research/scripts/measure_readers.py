"""Compare the scores of `readers` for unseen stories with cheap baselines, and write the table of figures."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from fit_readers import TrainingStory

from barthes.evaluation.corpus import Labelled
from barthes.evaluation.measures import MEASURES
from barthes.evaluation.result import Figure
from barthes.methods import parse_method
from barthes_research.bench.bench import CHEAP

Scores = dict[str, dict[str, list[float]]]
"""The scores of each story, by corpus and name."""

FAST = "placed:centroid+similarity"


@dataclass(frozen=True)
class GradedStory:
    """A story of a corpus, and what is learned from it."""

    corpus: str
    labelled: Labelled
    training: TrainingStory


def score_cheaply(stories: Sequence[GradedStory]) -> dict[str, Scores]:
    """Return the scores of the baselines that need no model."""
    methods = {name: parse_method(name, model=lambda: sys.exit("no model")) for name in CHEAP}
    found: dict[str, Scores] = {}
    for name, method in methods.items():
        for story in stories:
            own = found.setdefault(name, {}).setdefault(story.corpus, {})
            own[story.labelled.name] = list(method.score(story.labelled.narrative).scores)
    return found


def measure(stories: Sequence[GradedStory], scores: Scores, name: str) -> dict[str, dict[str, float]]:
    """Return a measure of each story, by corpus and name."""
    found: dict[str, dict[str, float]] = {}
    for story in stories:
        given = scores[story.corpus][story.labelled.name]
        own = found.setdefault(story.corpus, {})
        own[story.labelled.name] = MEASURES[name].measure(story.labelled, given)
    return found


def tabulate(
    stories: Sequence[GradedStory], ours: Mapping[str, Scores], cheap: Mapping[str, Scores]
) -> list[dict[str, Any]]:
    """Return a row per corpus: our figures with intervals, and the paired tests against cheap baselines."""
    spearman = {name: measure(stories, scores, "spearman") for name, scores in (ours | cheap).items()}
    precision = {name: measure(stories, scores, "map") for name, scores in (ours | cheap).items()}

    def mean(name: str, corpus: str, table: Any = spearman) -> float:
        return float(np.nanmean(list(table[name][corpus].values())))

    rows = []
    for corpus in dict.fromkeys(story.corpus for story in stories):
        table = precision if corpus == "TRIPOD" else spearman
        others = [other for other in spearman["left out"] if other != corpus]
        best = max(cheap, key=lambda name: mean(name, corpus, table))
        elsewhere = max(cheap, key=lambda name: np.mean([mean(name, other) for other in others]))
        row: dict[str, Any] = {"corpus": corpus, "stories": len(table["left out"][corpus])}
        row["measure"] = "MAP" if table is precision else "Spearman"
        for way in ours:
            figure = Figure(table[way][corpus])
            row[way] = {"value": figure.value, "interval": figure.interval, "spearman": mean(way, corpus)}
            for what, name in (
                ("best", best),
                ("elsewhere", elsewhere),
                ("fast", FAST),
            ):
                p = figure.compare(Figure(table[name][corpus]))["permutation"]
                row[way][what] = {"baseline": name, "value": mean(name, corpus, table), "p": p}
            gain = mean(way, corpus) - mean(FAST, corpus)
            row[way]["gain over fast"] = gain
        rows.append(row)
    return rows


def estimate_agreement(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Return `ReadersWeights.agreement`: unknown kinds by what was left out, known ones cross-validated."""
    figures = {
        way: [(row[way]["spearman"], row[way]["gain over fast"]) for row in rows]
        for way in rows[0]
        if way in ("left out", "cross-validated")
    }
    return np.vstack([np.mean(figures["left out"], axis=0), figures["cross-validated"]])


def render(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the tables of figures in Markdown."""
    lines = [
        "| corpus (stories) | measure | left out | cross-validated "
        "| best cheap | best cheap elsewhere | `fast` |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        ways = [row["left out"], row["cross-validated"]]
        ours = [f"{way['value']:.3f} ({way['interval'][0]:.3f} to {way['interval'][1]:.3f})" for way in ways]
        baselines = [_describe(ways[0][what]) for what in ("best", "elsewhere", "fast")]
        cells = [f"{row['corpus']} ({row['stories']})", row["measure"], *ours, *baselines]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _describe(against: Mapping[str, Any]) -> str:
    """Return a baseline's figure, its name, and the p of `readers`, left out, against it."""
    p = "–" if against["p"] is None else f"{against['p']:.3f}"
    return f"{against['value']:.3f} (`{against['baseline']}`, p = {p})"
