"""Compare the rows of fine-tuned models in a reproduced Table 2 with those of the plain model.

    python scripts/compare_fine_tuning.py results/reproduction-paper.json

Uses the stored average precision of each tale, so neither corpus nor model is needed. Differences are
fine-tuned minus plain, with a bootstrapped 95 % interval of the mean and a two-sided Wilcoxon p. The last
column is the median over tales of Spearman's correlation of the two models' scores.
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
from barthes_research.reproduction.published import PROPOSED

Kept = Mapping[str, Any]
"""The JSON of `barthes reproduce` or `scripts/keep_reproduction.py`, with the plain model."""

HEADING = "| row | plain | fine-tuned | difference | 95 % interval | tales better, worse | p | alike |"


def compare(kept: Kept) -> list[str]:
    """Return a table row for each row of a fine-tuned model; both models must have been run."""
    rows = {
        (row["method"], row["tfidf"], row["fine_tuning"]): row
        for row in kept["table2"]["rows"]
        if row["method"] in PROPOSED and row["status"] == "run"
    }
    return [
        format_row(row, rows[method, tfidf, None], correlate(kept["scores"], method, setting))
        for (method, tfidf, setting), row in rows.items()
        if setting is not None and (method, tfidf, None) in rows
    ]


def format_row(tuned: Kept, plain: Kept, correlation: float) -> str:
    """Return a table row with both means and the significance of their difference."""
    after, before = (np.array(list(row["per_story"].values()), dtype=float) for row in (tuned, plain))
    gained = after - before
    low, high = bootstrap_interval(gained)
    name = f"{tuned['method'].upper()}{' + TF-IDF' if tuned['tfidf'] else ''}, {tuned['fine_tuning']}"
    cells = (
        f"| {name} | {plain['ours']:.3f} | {tuned['ours']:.3f} | {gained.mean():+.4f} "
        f"| {low:+.3f} to {high:+.3f} | {(gained > 0).sum()}, {(gained < 0).sum()} "
        f"| {wilcoxon(after, before):.3f} | {correlation:.2f} |"
    )
    return cells.replace("-", "−").replace("TF−IDF", "TF-IDF")


def correlate(scores: Kept, method: str, setting: str) -> float:
    """Return the median correlation of both models' scores over tales."""
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
