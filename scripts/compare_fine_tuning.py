"""What fine-tuning changes: its rows of a reproduced Table 2 against the plain model's, tale by tale.

    python scripts/compare_fine_tuning.py docs/research/results/reproduction-paper.json

The average precisions of each tale are kept with the table, so no corpus and no model is needed. Differences
are fine-tuned minus plain, with a bootstrapped 95 % interval of their mean over the tales and Wilcoxon's p,
two-sided. "Alike" is the median over tales of Spearman's correlation of the two models' scores.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from barthes.evaluation.metrics import rank_correlation
from barthes.evaluation.significance import bootstrap_interval, wilcoxon
from barthes.reproduction.published import PROPOSED

Kept = Mapping[str, Any]
"""A reproduction as `barthes reproduce` or `scripts/keep_reproduction.py` wrote it, the plain model in it."""

HEADING = "| row | plain | fine-tuned | difference | 95 % interval | tales better, worse | p | alike |"


def compare(kept: Kept) -> list[str]:
    """A line of a table for each row of a fine-tuned model; none where it or the plain one was not run."""
    rows = {
        (row["method"], row["tfidf"], row["fine_tuning"]): row
        for row in kept["table2"]["rows"]
        if row["method"] in PROPOSED and row["status"] == "run"
    }
    return [
        format_row(row, rows[method, tfidf, None], find_likeness(kept["scores"], method, setting))
        for (method, tfidf, setting), row in rows.items()
        if setting is not None and (method, tfidf, None) in rows
    ]


def format_row(tuned: Kept, plain: Kept, likeness: float) -> str:
    """Both means, and what the differences between them are worth."""
    after, before = (np.array(list(row["per_story"].values()), dtype=float) for row in (tuned, plain))
    gained = after - before
    low, high = bootstrap_interval(gained)
    name = f"{tuned['method'].upper()}{' + TF-IDF' if tuned['tfidf'] else ''}, {tuned['fine_tuning']}"
    told = (
        f"| {name} | {plain['ours']:.3f} | {tuned['ours']:.3f} | {gained.mean():+.4f} "
        f"| {low:+.3f} to {high:+.3f} | {(gained > 0).sum()}, {(gained < 0).sum()} "
        f"| {wilcoxon(after, before):.3f} | {likeness:.2f} |"
    )
    return told.replace("-", "−").replace("TF−IDF", "TF-IDF")


def find_likeness(scores: Kept, method: str, setting: str) -> float:
    """How far both models order sentences alike, in the median tale."""
    return median(rank_correlation(found[setting][method], found[method]) for found in scores.values())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("reproduction", type=Path)
    kept = json.loads(parser.parse_args().reproduction.read_text(encoding="utf-8"))
    print(HEADING, "|---" * (HEADING.count("|") - 1) + "|", *compare(kept), sep="\n")


if __name__ == "__main__":
    main()
