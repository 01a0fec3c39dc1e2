"""Compare the preview of sentence deletion with the exact scores.

Usage::

    python benchmarks/preview.py --corpus PROPPLEARNER                       all fifteen tales
    python benchmarks/preview.py --corpus PROPPLEARNER --tales story1,story9 --horizon 32

The exact scores are stored in docs/research/results. Prints for each tale Spearman's correlation with them,
the factor by which fewer tokens are computed, and the share of the exact top tenth that is in the preview's
top fifth.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

import barthes
from barthes.corpora.propplearner import ProppLearner
from barthes.salience.removal_method import HORIZON, Preview

EXACT = Path(__file__).parents[1] / "docs" / "research" / "results" / "propplearner-smollm2-135m-sd.json"


def find_top(scores: list[float], share: float) -> set[int]:
    count = max(1, round(share * len(scores)))
    return set(np.argsort(scores)[::-1][:count].tolist())


def main() -> None:
    """Print a line for each tale, and the means."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--tales", help="names separated by commas (default: all)")
    parser.add_argument("--horizon", type=int, default=HORIZON)
    arguments = parser.parse_args()
    exact = json.loads(EXACT.read_text(encoding="utf-8"))["tales"]
    names = arguments.tales.split(",") if arguments.tales else list(exact)
    tales = {tale.name: tale.narrative for tale in ProppLearner(arguments.corpus)}
    model = barthes.load_model(dtype="float32")
    method = Preview(model, horizon=arguments.horizon)
    rows = []
    for name in names:
        lengths = [len(ids) for ids in model.encode([str(sentence) for sentence in tales[name]])]
        after = [sum(lengths[k + 1 :]) for k in range(len(lengths))]
        read = sum(lengths) + sum(min(arguments.horizon, rest) for rest in after)
        began = time.process_time()
        scores = list(method.score(tales[name]).scores)
        spent = time.process_time() - began
        found = find_top(exact[name], 0.1)
        rows.append(
            (
                float(spearmanr(scores, exact[name]).statistic),
                (sum(lengths) + sum(after)) / read,
                len(found & find_top(scores, 0.2)) / len(found),
            )
        )
        rho, fewer, kept = rows[-1]
        print(
            f"{name:10} Spearman {rho:.3f}, {fewer:5.1f} times fewer tokens, top tenth found {kept:.0%},"
            f" {spent:.0f} s CPU time",
            flush=True,
        )
    rho, fewer, kept = (statistics.mean(column) for column in zip(*rows, strict=True))
    print(f"{'mean':10} Spearman {rho:.3f}, {fewer:5.1f} times fewer tokens, top tenth found {kept:.0%}")


if __name__ == "__main__":
    main()
