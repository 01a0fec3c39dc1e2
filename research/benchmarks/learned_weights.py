#!/usr/bin/env python3
"""Evaluate weighted sums of methods whose weights are learned on other stories of the same corpus.

    python benchmarks/learned_weights.py words position pmi -c propplearner=PROPPLEARNER
    python benchmarks/learned_weights.py centroid position pmi -c tripod=synopses_dev.csv
    python benchmarks/learned_weights.py words position sd -c propplearner=PROPPLEARNER \\
        --scores sd=results/propplearner-smollm2-135m-sd.json

The scores of each method are scaled to [0, 1] within a story, or replaced by ranks. Logistic regression
learns the weights with leave-one-out cross-validation. The sum with equal weights is printed for comparison.
Training on the same corpus is an advantage over methods chosen on other data, but not an upper bound,
because the regression does not optimise the evaluation measure.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from barthes.cache import ScoreCache
from barthes.evaluation.corpus import Corpus, Labelled
from barthes.evaluation.evaluate import MethodBuilder, score_stories
from barthes.evaluation.measures import MEASURES, Measure
from barthes.evaluation.opening import open_corpus
from barthes.models.deferred import DeferredModel
from barthes.models.language_model import FloatArray
from barthes.salience.combination import rank_from_lowest, scale_to_unit
from barthes_research.bench.measures import choose_measures

SCALES: dict[str, Callable[[Sequence[float]], FloatArray]] = {
    "min-max": scale_to_unit,
    "ranks": lambda scores: rank_from_lowest(scores) / len(scores),
}


def learn(features: list[FloatArray], stories: Sequence[Labelled], measure: Measure) -> float:
    """Return the mean measure of stories under leave-one-out weights."""
    found = []
    for place, story in enumerate(stories):
        others = [i for i in range(len(stories)) if i != place]
        model = LogisticRegression(class_weight="balanced", max_iter=1000)
        model.fit(
            np.concatenate([features[i] for i in others]),
            np.concatenate([np.array(stories[i].labels) for i in others]),
        )
        found.append(measure.measure(story, (features[place] @ model.coef_[0]).tolist()))
    return float(np.nanmean(found))


def find_scores(
    corpus: Corpus, methods: Sequence[str], files: Sequence[str], cache: ScoreCache
) -> dict[str, dict[str, list[float]]]:
    """Return scores by method and story, computed or read from files given as METHOD=FILE."""
    stories = list(corpus)
    given = dict(each.split("=", 1) for each in files)
    model = DeferredModel(dtype="float32", cache=cache)
    builder = MethodBuilder(corpus, stories, model=model, cache=cache)
    asked = {name: builder.build(name) for name in methods if name not in given}
    scores = {
        name: {story: list(scored.values) for story, scored in found.items()}
        for name, found in score_stories(asked, stories, cache=cache).items()
    }
    for name, file in given.items():
        scores[name] = json.loads(Path(file).read_text(encoding="utf-8"))["tales"]
    return scores


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("methods", nargs="+", help="names of methods")
    parser.add_argument("-c", "--corpus", required=True, metavar="KIND=PATH")
    parser.add_argument(
        "--scores", action="append", default=[], metavar="METHOD=FILE", help="use stored scores"
    )
    parser.add_argument("--results", type=Path, help="folder for scores, as in barthes bench")
    arguments = parser.parse_args()
    corpus = open_corpus(arguments.corpus)
    stories = list(corpus)
    cache = ScoreCache(arguments.results and arguments.results / "scores.sqlite3")
    scores = find_scores(corpus, arguments.methods, arguments.scores, cache)
    measure = MEASURES[choose_measures(corpus)[0]]
    print(f"{corpus.name}, {len(stories)} stories, {measure.heading}: {' + '.join(arguments.methods)}")
    for name, scale in SCALES.items():
        features = [
            np.stack([scale(scores[method][story.name]) for method in arguments.methods], axis=1)
            for story in stories
        ]
        pairs = zip(stories, features, strict=True)
        equal = np.nanmean([measure.measure(story, each.sum(axis=1).tolist()) for story, each in pairs])
        print(f"{name:8} equal weights {equal:.3f}, learned weights {learn(features, stories, measure):.3f}")


if __name__ == "__main__":
    main()
