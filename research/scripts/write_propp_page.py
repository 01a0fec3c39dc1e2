#!/usr/bin/env python3
"""Score ProppLearner by `readers`, and write docs/propp.md: one tale beside Propp's functions.

    python scripts/write_propp_page.py PROPPLEARNER --tale story11 \
        --sd results/propplearner-smollm2-135m-sd.json \
        --results results/readers-propplearner.json --page docs/propp.md
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import barthes
from barthes.evaluation.measures import MEASURES
from barthes.evaluation.metrics import rank_correlation
from barthes.evaluation.result import Figure
from barthes.files import write_atomically
from barthes.methods import parse_method
from barthes.models.embedded import DEFAULT_MODEL
from barthes.salience.profile import rank_scores
from barthes_research.corpora import ProppLearner, Tale

CHEAP = ("ranks:words+position", "placed:centroid+similarity", "length")
SHARE = 4  # a sentence is found if it is among the first quarter

NAMES = {
    "beta": "absentation", "gamma": "interdiction", "delta": "violation", "epsilon": "reconnaissance",
    "zeta": "delivery", "eta": "trickery", "theta": "complicity", "A": "villainy", "a": "lack",
    "B": "mediation", "C": "counteraction begins", "up": "departure", "D": "first function of the donor",
    "E": "reaction of the hero", "F": "receipt of a magical agent", "G": "guidance", "H": "struggle",
    "J": "branding", "I": "victory", "K": "liquidation of the lack", "down": "return", "Pr": "pursuit",
    "Rs": "rescue", "o": "unrecognized arrival", "L": "unfounded claims", "M": "difficult task",
    "N": "solution", "Q": "recognition", "Ex": "exposure", "T": "transfiguration", "U": "punishment",
    "W": "wedding",
}  # fmt: skip
"""Propp's functions by his symbols."""

PAGE = """\
# A folktale beside Propp's functions

Propp describes a folktale by its functions: what its characters do for the course of the story. Barthes
knows nothing of them. It asks two questions of each sentence: how much harder would the rest of the tale
be to predict without it (`sd`), and how important would readers find it (`readers`)? This page shows
where the two find the functions that experts marked in “{title}”.

The tale has {sentences} sentences; functions happen in {salient} of them. A method finds a function if
it puts its sentence among the first {limit}, a quarter of the tale; by chance it would find a quarter of
them. `sd` finds {sd}, `readers` {readers}, and {both} are found by both; the sum of the two ranks finds
{sum}. Neither finds {missed}. Of the sentences without a function, `readers` puts {others} among the
first quarter.

| sentence | function | rank by `sd` | rank by `readers` |
|---|---|---|---|
{rows}

Ranks in bold are in the first quarter. The text of the corpus is not part of Barthes.

## All fifteen tales
Mean average precision: 1 if all sentences with functions come first. The last column is the p of a paired
permutation test of `readers` against the method of the row.

| method | MAP | 95 % interval | p |
|---|---|---|---|
{table}

The two questions are different ones: the mean Spearman correlation of `sd` and `readers` in a tale is
{correlation}.

Written by `python scripts/write_propp_page.py PROPPLEARNER --tale {name} …`.
"""

Scores = dict[str, list[float]]


def main() -> None:
    """Write the scores, the figures and the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--tale", default="story11")
    for name in ("sd", "results", "page"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    given = parser.parse_args()
    corpus = ProppLearner(given.corpus)
    scores = {"sd": json.loads(given.sd.read_text(encoding="utf-8"))["tales"]}
    for name in ("readers", *CHEAP):
        method = parse_method(name, model=lambda: barthes.load_model(DEFAULT_MODEL))
        scores[name] = {tale.name: list(method.score(tale.narrative).scores) for tale in corpus}
    scores["readers+sd"] = {
        name: add_ranks(own, scores["sd"][name]) for name, own in scores["readers"].items()
    }
    figures = measure(corpus, scores)
    kept = {"figures": figures, "tales": scores["readers"]}
    write_atomically(given.results, json.dumps(kept) + "\n")
    [tale] = [tale for tale in corpus if tale.name == given.tale]
    write_atomically(given.page, render(tale, scores, figures))


def add_ranks(one: Sequence[float], other: Sequence[float]) -> list[float]:
    """Return the sum of the ranks in two lists of scores; higher is better."""
    return [-float(a + b) for a, b in zip(rank_scores(one), rank_scores(other), strict=True)]


def measure(corpus: ProppLearner, scores: Mapping[str, Scores]) -> dict[str, Any]:
    """Return the figures of each method, and the paired tests of `readers` against the others."""
    each = {
        name: {tale.name: MEASURES["map"].measure(tale, own[tale.name]) for tale in corpus}
        for name, own in scores.items()
    }
    figures: dict[str, Any] = {}
    for name, own in each.items():
        figure = Figure(own)
        p = None if name == "readers" else Figure(each["readers"]).compare(figure)["permutation"]
        figures[name] = {"map": figure.value, "interval": figure.interval, "p of readers against it": p}
    pairs = [rank_correlation(scores["readers"][tale.name], scores["sd"][tale.name]) for tale in corpus]
    figures["spearman of readers and sd"] = sum(pairs) / len(pairs)
    return figures


def find_functions(tale: Tale) -> list[str]:
    """Return the functions that happen in each sentence, by Propp's symbol and name."""
    found: list[list[str]] = [[] for _ in tale.narrative]
    for function in tale.salient_functions:
        for k, (start, end) in enumerate(tale.narrative.spans):
            if any(start <= token.span[0] < end for token in function.actual):
                symbol = function.symbol.rstrip("0123456789")
                found[k].append(f"{function.symbol} {NAMES.get(symbol, '')}".strip())
    return [", ".join(dict.fromkeys(each)) for each in found]


def render(tale: Tale, scores: Mapping[str, Scores], figures: Mapping[str, Any]) -> str:
    """Return the page."""
    ranks = {name: rank_scores(scores[name][tale.name]) for name in ("sd", "readers", "readers+sd")}
    limit = -(-len(tale.narrative) // SHARE)
    functions = find_functions(tale)
    salient = [k for k, names in enumerate(functions) if names]
    both = [k for k in salient if ranks["sd"][k] <= limit and ranks["readers"][k] <= limit]
    counts = {name: sum(own[k] <= limit for k in salient) for name, own in ranks.items()}
    missed = [k for k in salient if all(own[k] > limit for own in (ranks["sd"], ranks["readers"]))]
    figure = "| {} | {:.3f} | {:.3f} to {:.3f} | {} |"
    table = [
        figure.format(f"`{name}`", row["map"], *row["interval"], "" if row[_P] is None else f"{row[_P]:.3f}")
        for name, row in figures.items()
        if isinstance(row, Mapping)
    ]
    rows = [
        f"| {k + 1} | {functions[k]} | {_mark(ranks['sd'][k], limit)} | {_mark(ranks['readers'][k], limit)} |"
        for k in salient
    ]
    counted = {
        "title": tale.narrative.title,
        "sentences": len(functions),
        "salient": len(salient),
        "limit": limit,
        "both": len(both),
        "missed": len(missed),
        "others": sum(not functions[k] and ranks["readers"][k] <= limit for k in range(len(functions))),
        "sd": counts["sd"],
        "readers": counts["readers"],
        "sum": counts["readers+sd"],
        "correlation": f"{figures['spearman of readers and sd']:.2f}",
        "rows": "\n".join(rows),
        "table": "\n".join(table),
        "name": tale.name,
    }
    return PAGE.format(**counted)


_P = "p of readers against it"


def _mark(rank: int, limit: int) -> str:
    return f"**{rank}**" if rank <= limit else str(rank)


if __name__ == "__main__":
    main()
