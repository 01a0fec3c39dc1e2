#!/usr/bin/env python3
"""Measure how many of the words that a cut keeps were kept by people, too, and how many references it breaks.

    python benchmarks/cutting.py --corpus TELEGRAPHIC --json results/cutting-references.json

Cuts each story of Telegraphic to half and to 85 % of its words by the importance to readers alone, from
weights that did not see the story (results/readers-cv.json), so no model is needed: it compares what
references and the ending do to a cut.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from barthes.corpora import open_corpus
from barthes.cutting.choice import choose, find_prices
from barthes.cutting.references import References, find_references
from barthes.cutting.shortened import count_unit_words
from barthes.models.language_model import FloatArray

SCORES = Path(__file__).parent.parent / "results" / "readers-cv.json"
SHARES = (0.5, 0.85)
WAYS = ("random", "readers", "readers, references", "readers, references, ending")
MEASURES = ("people's words", "broken", "loosely broken", "sentences cut")
DRAWS = 10_000


def measure_story(
    story: Any, importance: FloatArray, to: float, draw: np.random.Generator
) -> list[list[float]]:
    """Return the measures of each way to cut a story."""
    narrative, words = story.narrative, count_unit_words(story.narrative)
    references = find_references(narrative)
    nothing = (frozenset[int](),) * len(words)
    none = References(nothing, nothing)
    ranks = np.argsort(np.argsort(importance)) / max(1, len(words) - 1)
    ending = find_prices(importance * np.maximum(1, words), None, words)  # as costs, so per word
    ways = [(draw.random(len(words)), none), (ranks, none), (ranks, references), (ending, references)]
    found = []
    for prices, needed in ways:
        gone = choose(prices, words, int(to * sum(words)), needed)
        loose = {later for k in gone for later in references.loose[k]} - set(gone)
        firm = {later for k in gone for later in references.firm[k]} - set(gone)
        found.append([measure_share(story, set(gone)), len(firm), len(loose), len(gone)])
    return found


def measure_share(story: Any, gone: set[int]) -> float:
    """Return the share of the words in kept sentences that people kept."""
    text = story.narrative.text
    is_kept = np.zeros(len(text), dtype=bool)
    for start, end in story.kept:
        is_kept[start:end] = True
    spans = (span for k, span in enumerate(story.narrative.spans) if k not in gone)
    starts = [start + found.start() for start, end in spans for found in re.finditer(r"\w+", text[start:end])]
    return float(is_kept[starts].mean())


def describe(values: FloatArray, draw: np.random.Generator) -> list[float]:
    """Return the mean over stories with its 95 % bootstrap interval."""
    samples = values[draw.integers(len(values), size=(DRAWS, len(values)))].mean(axis=1)
    return [round(float(each), 4) for each in (values.mean(), *np.quantile(samples, (0.025, 0.975)))]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", required=True, help="the folder of Telegraphic")
    parser.add_argument("--json", type=Path, required=True, help="where to write the figures")
    options = parser.parse_args()
    scores = json.loads(SCORES.read_text())["corpora"]["Telegraphic"]
    stories = [each for each in open_corpus(f"telegraphic={options.corpus}") if each.name in scores]
    draw = np.random.default_rng(0)
    result: dict[str, Any] = {"stories": len(stories), "ways": {}}
    for to in SHARES:
        table = np.array([measure_story(each, np.array(scores[each.name]), to, draw) for each in stories])
        result["ways"][f"{to:.0%}"] = {
            way: {measure: describe(table[:, i, j], draw) for j, measure in enumerate(MEASURES)}
            | {"minus readers": describe(table[:, i, 0] - table[:, 1, 0], draw)}
            for i, way in enumerate(WAYS)
        }
    options.json.write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
