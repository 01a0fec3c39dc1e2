#!/usr/bin/env python3
"""Evaluate `fast` when few stories are scored together.

    python benchmarks/group_size.py -c rocstories-salience=val.json
    python benchmarks/group_size.py -c tripod=synopses_dev.csv

The stories of a corpus are divided into random groups (seed 0). Words are weighted by the document
frequencies of the group and of the bundled table, which counts as some number of documents. The table has a
row for each group size and a column for each weight of the bundled table. The last line is Spearman's
correlation (mean and minimum) of a story's scores alone with its scores in the whole corpus.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence

import numpy as np
from scipy.stats import spearmanr

from barthes.baselines import Centroid, DocumentFrequencies, Similarity
from barthes.baselines.word_methods import PRIOR
from barthes.evaluation.corpus import Labelled
from barthes.evaluation.measures import MEASURES
from barthes.evaluation.opening import open_corpus
from barthes.salience.combination import PlacedSum
from barthes_research.bench.measures import choose_measures

SIZES = (1, 2, 3, 5, 10, 20)
PRIORS = (0, 5, PRIOR, 20, 40, DocumentFrequencies.bundled().documents)


def score_group(group: Sequence[Labelled], prior: int) -> list[tuple[float, ...]]:
    frequencies = DocumentFrequencies.from_narratives([story.narrative for story in group])
    method = PlacedSum(Centroid(frequencies, prior=prior), Similarity(frequencies, prior=prior))
    return [method.score(story.narrative).scores for story in group]


def score_in_groups(stories: Sequence[Labelled], size: int, prior: int) -> list[tuple[float, ...]]:
    """Score all stories in groups of a size; the last group may be smaller."""
    groups = [stories[start : start + size] for start in range(0, len(stories), size)]
    return [scores for group in groups for scores in score_group(group, prior)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-c", "--corpus", required=True, metavar="KIND=PATH")
    corpus = open_corpus(parser.parse_args().corpus)
    measure = MEASURES[choose_measures(corpus)[0]]
    stories = list(corpus)
    random.Random(0).shuffle(stories)
    print(f"{corpus.name}, {len(stories)} stories, {measure.heading} of fast by weight of the bundled table")
    print(f"{'group':>8} " + " ".join(f"{prior:6}" for prior in PRIORS))
    for size in (*SIZES, len(stories)):
        found = []
        for prior in PRIORS:
            scored = zip(stories, score_in_groups(stories, size, prior), strict=True)
            found.append(float(np.nanmean([measure.measure(story, scores) for story, scores in scored])))
        print(f"{size:8} " + " ".join(f"{figure:6.3f}" for figure in found), flush=True)
    pairs = zip(score_in_groups(stories, 1, PRIOR), score_group(stories, PRIOR), strict=True)
    alike = [float(spearmanr(alone, together).statistic) for alone, together in pairs]
    print(f"alone and in the corpus, weight {PRIOR}: mean {np.mean(alike):.3f}, minimum {min(alike):.3f}")


if __name__ == "__main__":
    main()
