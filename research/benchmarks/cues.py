"""Shared code of the cue benchmarks: cues as methods, caching per story, arguments and the table."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import TypeVar

import barthes
from barthes.evaluation.corpus import Corpus
from barthes.evaluation.evaluate import evaluate
from barthes.evaluation.measures import MEASURES
from barthes.evaluation.opening import open_corpus
from barthes.evaluation.result import Figure
from barthes.models.embedded import DEFAULT_MODEL
from barthes.models.language_model import FloatArray
from barthes.salience.method import Method, Progress, silent
from barthes.salience.profile import Profile
from barthes_research.bench.measures import choose_measures

Found = TypeVar("Found")


class NamedCue(Method):
    """A method made of a name and a function that returns a number for each sentence."""

    def __init__(self, name: str, find: Callable[[barthes.Narrative], FloatArray]) -> None:
        self._name = name
        self._find = find

    @property
    def name(self) -> str:
        return self._name

    def score(self, narrative: barthes.Narrative, *, progress: Progress = silent) -> Profile:
        return Profile(narrative, tuple(self._find(narrative).tolist()), method=self.name)


def remember(
    find: Callable[[barthes.Narrative], Found], *, what: str = ""
) -> Callable[[barthes.Narrative], Found]:
    """Cache a function's results by story, and print how many stories are done."""
    known: dict[barthes.Narrative, Found] = {}

    def recall(narrative: barthes.Narrative) -> Found:
        if narrative not in known:
            known[narrative] = find(narrative)
            print(f"\r{what}{len(known)} stories ", end="", file=sys.stderr, flush=True)
        return known[narrative]

    return recall


def read_arguments(description: str | None) -> tuple[Corpus, barthes.LanguageModel, int | None]:
    """Return the corpus, the model and the horizon from the command line."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-c", "--corpus", required=True, metavar="KIND=PATH")
    parser.add_argument("--model", default=DEFAULT_MODEL)
    parser.add_argument("--horizon", type=int, help="tokens rescored after each sentence (default: all)")
    chosen = parser.parse_args()
    corpus = open_corpus(chosen.corpus)
    return corpus, barthes.load_model(chosen.model, dtype="float32"), chosen.horizon


def print_figures(methods: Sequence[Method], corpus: Corpus) -> None:
    """Print a row for each method."""
    measures = choose_measures(corpus)
    found = evaluate(methods, corpus, measures=measures)
    print(f"{corpus.name}, {len(corpus)} stories; random {found.random:.3f}")
    for row in found.rows:
        cells = [f"{MEASURES[name].heading} {format_figure(row.figures[name])}" for name in measures]
        print(f"{row.method:14} {', '.join(cells)}")


def format_figure(figure: Figure) -> str:
    low, high = figure.interval or (float("nan"), float("nan"))
    return f"{figure.value:.3f} ({low:.3f} to {high:.3f})"
