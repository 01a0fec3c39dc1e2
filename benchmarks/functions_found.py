#!/usr/bin/env python3
"""Which of Propp's functions methods find: where the sentences that tell them stand in a method's order.

    python benchmarks/functions_found.py words position -c propplearner=PROPPLEARNER \\
        --scores sd=docs/research/results/propplearner-smollm2-135m-sd.json

A row a group of functions, a column a method: the mean, over the sentences that tell a function of the group,
of the share of the tale's other sentences that the method puts below (ties count half). By chance that is
0.50; a single sentence at the top of its tale has 1.00. In brackets the standard error over sentences, which
takes them to be independent.
"""

from __future__ import annotations

import argparse
import math
import re
from collections import defaultdict

import numpy as np
from learned_weights import find_scores

from barthes.cache import ScoreCache
from barthes.corpora.opening import open_corpus
from barthes.corpora.propplearner import ProppLearner
from barthes.corpora.tale import Tale

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
"""Propp's functions in the order of a tale, by the letters of their symbols."""


def find_group(symbol: str) -> str | None:
    """The group of a function, by its symbol without numbers and marks.

    >>> find_group("A15(xvi)"), find_group("Pr7"), find_group("F_9")
    ('villainy, lack', 'pursuit, rescue', 'donor, gift')
    """
    letters = re.split(r"[^A-Za-z]", symbol)[0]
    return next((group for group, known in GROUPS.items() if letters in known), None)


def find_sentences(tale: Tale) -> dict[str, set[int]]:
    """By group, the sentences of a tale that tell one of its functions."""
    found: dict[str, set[int]] = defaultdict(set)
    for function in tale.salient_functions:
        group = find_group(function.symbol)
        if group is None:
            raise SystemExit(f"{tale.name}: no group knows the function {function.symbol}")
        for token in function.actual:
            found[group] |= {k for k, (a, b) in enumerate(tale.narrative.spans) if a <= token.start < b}
    return found


def place(scores: list[float], k: int) -> float:
    """The share of the other sentences that are below sentence k."""
    others = np.delete(np.array(scores), k)
    return float(((others < scores[k]) + 0.5 * (others == scores[k])).mean())


Scores = dict[str, list[float]]
"""By tale."""


def describe(scores: Scores, told: dict[str, set[int]]) -> str:
    """The mean place of the sentences that are told of by tale, and its standard error."""
    shares = [place(scores[name], k) for name, sentences in told.items() for k in sorted(sentences)]
    return f"{np.mean(shares):.2f} ({np.std(shares, ddof=1) / math.sqrt(len(shares)):.2f})"


def main() -> None:
    """Print a row a group."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("methods", nargs="*", help="single methods")
    parser.add_argument("-c", "--corpus", required=True, metavar="propplearner=PATH")
    parser.add_argument(
        "--scores", action="append", default=[], metavar="METHOD=FILE", help="of docs/research/results"
    )
    chosen = parser.parse_args()
    corpus = open_corpus(chosen.corpus)
    if not isinstance(corpus, ProppLearner):
        raise SystemExit("only ProppLearner has functions")
    scores = find_scores(corpus, chosen.methods, chosen.scores, ScoreCache())
    found = {tale.name: find_sentences(tale) for tale in corpus}
    print(f"{'':18} {'n':>3} " + " ".join(f"{name:>12}" for name in scores))
    for group in [*GROUPS, "all"]:
        chosen_groups = GROUPS if group == "all" else [group]
        told = {name: {k for each in chosen_groups for k in by.get(each, ())} for name, by in found.items()}
        cells = " ".join(f"{describe(by_tale, told):>12}" for by_tale in scores.values())
        print(f"{group:18} {sum(map(len, told.values())):3} {cells}")


if __name__ == "__main__":
    main()
