#!/usr/bin/env python3
"""Measure how high methods rank the sentences that contain Propp's functions.

    python benchmarks/functions_found.py words position -c propplearner=PROPPLEARNER \\
        --scores sd=results/propplearner-smollm2-135m-sd.json

The table has a row for each group of functions and a column for each method: the mean share of the tale's
other sentences that are ranked below a sentence of the group (ties count half). Chance is 0.50, the top
sentence of a tale has 1.00. The standard error in brackets assumes that sentences are independent.
"""

from __future__ import annotations

import argparse
import math
import re
from collections import defaultdict

import numpy as np
from learned_weights import find_scores

from barthes.cache import ScoreCache
from barthes.evaluation.opening import open_corpus
from barthes_research.corpora.propplearner import ProppLearner
from barthes_research.corpora.tale import Tale

GROUPS: dict[str, tuple[str, ...]] = {
    "preparation": ("beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "lambda"),
    "villainy, lack": ("A", "a"),
    "sending, leaving": ("B", "C", "up"),
    "donor, gift": ("D", "d", "E", "F"),
    "guidance": ("G",),
    "struggle, victory": ("H", "I"),
    "liquidation": ("K",),
    "return": ("down",),
    "pursuit, rescue": ("Pr", "Rs"),
    "ending": ("o", "L", "M", "N", "Q", "Ex", "T", "U", "W", "Wsub", "w"),
}
"""Propp's functions in their order in a tale, by the letters of their symbols."""


def find_group(symbol: str) -> str | None:
    """Return the group of a function by its symbol, ignoring numbers and marks.

    >>> find_group("A15(xvi)"), find_group("Pr7"), find_group("F_9")
    ('villainy, lack', 'pursuit, rescue', 'donor, gift')
    """
    letters = re.split(r"[^A-Za-z]", symbol)[0]
    return next((group for group, known in GROUPS.items() if letters in known), None)


def find_sentences(tale: Tale) -> dict[str, set[int]]:
    """Return the indices of the sentences with a function, by group."""
    found: dict[str, set[int]] = defaultdict(set)
    for function in tale.salient_functions:
        group = find_group(function.symbol)
        if group is None:
            raise SystemExit(f"{tale.name}: unknown function {function.symbol}")
        for token in function.actual:
            found[group] |= {k for k, (a, b) in enumerate(tale.narrative.spans) if a <= token.start < b}
    return found


def place(scores: list[float], k: int) -> float:
    """Return the share of the other sentences with a lower score than sentence k."""
    others = np.delete(np.array(scores), k)
    return float(((others < scores[k]) + 0.5 * (others == scores[k])).mean())


def describe(scores: dict[str, list[float]], chosen: dict[str, set[int]]) -> str:
    """Return the mean place of the chosen sentences of each tale, and its standard error."""
    shares = [place(scores[name], k) for name, sentences in chosen.items() for k in sorted(sentences)]
    return f"{np.mean(shares):.2f} ({np.std(shares, ddof=1) / math.sqrt(len(shares)):.2f})"


def main() -> None:
    """Print a row for each group."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("methods", nargs="*", help="names of methods")
    parser.add_argument("-c", "--corpus", required=True, metavar="propplearner=PATH")
    parser.add_argument(
        "--scores", action="append", default=[], metavar="METHOD=FILE", help="use stored scores"
    )
    arguments = parser.parse_args()
    corpus = open_corpus(arguments.corpus)
    if not isinstance(corpus, ProppLearner):
        raise SystemExit("only ProppLearner is annotated with functions")
    scores = find_scores(corpus, arguments.methods, arguments.scores, ScoreCache())
    found = {tale.name: find_sentences(tale) for tale in corpus}
    print(f"{'':18} {'n':>3} " + " ".join(f"{name:>12}" for name in scores))
    for group in [*GROUPS, "all"]:
        groups = GROUPS if group == "all" else [group]
        chosen = {name: {k for each in groups for k in by.get(each, ())} for name, by in found.items()}
        cells = " ".join(f"{describe(by_tale, chosen):>12}" for by_tale in scores.values())
        print(f"{group:18} {sum(map(len, chosen.values())):3} {cells}")


if __name__ == "__main__":
    main()
