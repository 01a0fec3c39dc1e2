#!/usr/bin/env python3
"""What company does to a story: how well `fast` finds salient sentences when few stories are scored together.

    python benchmarks/group_size.py -c rocstories-salience=val.json
    python benchmarks/group_size.py -c tripod=synopses_dev.csv

The stories of a corpus are put into random groups (seed 0; the last may be smaller), and words are weighed by
the document frequencies of the group, beside which the bundled table counts as some number of documents:
none, a few, or as many as it has. A row a size of the groups, a column a number of documents. Below it, how
alike a story's scores are alone and in its whole corpus: Spearman's coefficient, mean and lowest of all.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence

import numpy as np
from scipy.stats import spearmanr

from barthes.baselines import Centroid, DocumentFrequencies, Similarity
from barthes.baselines.word_methods import PRIOR
from barthes.corpora.corpus import Labelled
from barthes.corpora.opening import open_corpus
from barthes.evaluation.measures import MEASURES, choose_measures
from barthes.salience.combination import PlacedSum

SIZES = (1, 2, 3, 5, 10, 20)
PRIORS = (0, 5, PRIOR, 20, 40, DocumentFrequencies.bundled().documents)


def score_group(group: Sequence[Labelled], prior: int) -> list[tuple[float, ...]]:
    """The scores of stories that are scored together."""
    frequencies = DocumentFrequencies.from_narratives([story.narrative for story in group])
    method = PlacedSum(Centroid(frequencies, prior=prior), Similarity(frequencies, prior=prior))
    return [method.score(story.narrative).scores for story in group]


def score_in_groups(stories: Sequence[Labelled], size: int, prior: int) -> list[tuple[float, ...]]:
    """The scores of all stories, each among as many others as its group has."""
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
    print(
        f"{corpus.name}, {len(stories)} stories, {measure.heading} of fast; documents of the bundled table:"
    )
    print(f"{'together':>8} " + " ".join(f"{prior:6}" for prior in PRIORS))
    for size in (*SIZES, len(stories)):
        found = []
        for prior in PRIORS:
            scored = zip(stories, score_in_groups(stories, size, prior), strict=True)
            found.append(float(np.nanmean([measure.measure(story, scores) for story, scores in scored])))
        print(f"{size:8} " + " ".join(f"{figure:6.3f}" for figure in found), flush=True)
    pairs = zip(score_in_groups(stories, 1, PRIOR), score_group(stories, PRIOR), strict=True)
    alike = [float(spearmanr(alone, together).statistic) for alone, together in pairs]
    print(f"alone and together, {PRIOR} documents: {np.mean(alike):.3f}, lowest {min(alike):.3f}")


if __name__ == "__main__":
    main()
