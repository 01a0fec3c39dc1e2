"""How much the preset `fast` follows the length of sentences, and what it is worth without this effect.

    python benchmarks/preset_length.py -c rocstories-salience=val.json -c tripod=synopses_dev.csv -c …

Prints for each corpus the mean Spearman correlation of `fast` with the number of words, and the agreement
with people of `fast`, of the rest of its ranks after a regression on the ranks by length, of `fast` divided
by the square root of the number of words, and of `length`. Each story is scored alone.
"""

from __future__ import annotations

import argparse

import numpy as np
from cues import NamedCue
from scipy.stats import rankdata, spearmanr

from barthes.evaluation.evaluate import evaluate
from barthes.evaluation.opening import open_corpus
from barthes.methods import parse_method
from barthes.models.counting import CountingModel
from barthes.models.language_model import FloatArray
from barthes.narrative import Narrative
from barthes_research.bench.measures import choose_measures

FAST = parse_method("fast", model=lambda: CountingModel([]))


def count_words(story: Narrative) -> FloatArray:
    return np.array([len(str(sentence).split()) for sentence in story], dtype=np.float64)


def score_fast(story: Narrative) -> FloatArray:
    return np.array(FAST.score(story).scores)


def take_length_away(story: Narrative) -> FloatArray:
    """Return what is left of the ranks by `fast` after a regression on the ranks by length."""
    length, ranks = rankdata(count_words(story)), rankdata(score_fast(story))
    length, ranks = length - length.mean(), ranks - ranks.mean()
    size = float(length @ length)
    return np.asarray(ranks - length * (length @ ranks) / size if size else ranks)


def divide_by_root(story: Narrative) -> FloatArray:
    return score_fast(story) / np.sqrt(count_words(story))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-c", "--corpus", action="append", required=True, metavar="KIND=PATH")
    cues = [
        NamedCue("fast", score_fast),
        NamedCue("without length", take_length_away),
        NamedCue("per root of words", divide_by_root),
    ]
    for text in parser.parse_args().corpus:
        corpus = open_corpus(text)
        measure = choose_measures(corpus)[0]
        found = evaluate([*cues, "length"], corpus, measures=(measure,), seeds=10)
        stories = [story.narrative for story in corpus if len(story.narrative) > 2]
        follows = np.nanmean([spearmanr(score_fast(each), count_words(each)).statistic for each in stories])
        figures = ", ".join(f"{row.method} {row.figures[measure].value:.3f}" for row in found.rows)
        print(f"{corpus.name} ({measure}; random {found.random:.3f}): {figures}; with length {follows:.2f}")


if __name__ == "__main__":
    main()
