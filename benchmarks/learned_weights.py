#!/usr/bin/env python3
"""How far sums get when their weights are learned on other stories of the same corpus.

    python benchmarks/learned_weights.py words position pmi -c propplearner=PROPPLEARNER
    python benchmarks/learned_weights.py centroid position embedding -c tripod=synopses_dev.csv
    python benchmarks/learned_weights.py words position sd -c propplearner=PROPPLEARNER \\
        --scores sd=docs/research/results/propplearner-smollm2-135m-sd.json

The scores of each method are brought to [0, 1] within a story (or to ranks); logistic regression learns their
weights on all stories but one, and that one is measured with them, in turn. Printed beside the sum in which
all count the same. Stories of the same corpus teach the weights, so this is more than a method may know that
is chosen on other data; but no bound, for the regression does not learn what is measured.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from barthes.cache import ScoreCache
from barthes.corpora.corpus import Corpus, Labelled
from barthes.corpora.opening import open_corpus
from barthes.evaluation.evaluate import MethodBuilder, score_stories
from barthes.evaluation.measures import MEASURES, Measure, choose_measures
from barthes.models.language_model import FloatArray
from barthes.salience.combination import rank_from_lowest, scale_to_unit

SCALES: dict[str, Callable[[Sequence[float]], FloatArray]] = {
    "min-max": scale_to_unit,
    "ranks": lambda scores: rank_from_lowest(scores) / len(scores),
}


def learn(features: list[FloatArray], stories: Sequence[Labelled], measure: Measure) -> float:
    """The mean figure of stories by weights that the others taught."""
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
    """Return scores by method and story: computed, or from the files that METHOD=FILE names."""
    stories = list(corpus)
    given = dict(each.split("=", 1) for each in files)
    builder = MethodBuilder(corpus, stories, cache=cache)
    asked = {name: builder.build(name) for name in methods if name not in given}
    scores = {
        name: {story: list(scored.values) for story, scored in found.items()}
        for name, found in score_stories(asked, stories, cache=cache).items()
    }
    for name, file in given.items():
        scores[name] = json.loads(Path(file).read_text(encoding="utf-8"))["tales"]
    return scores


def main() -> None:
    """Print two rows: by min-max and by ranks."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("methods", nargs="+", help="single methods")
    parser.add_argument("-c", "--corpus", required=True, metavar="KIND=PATH")
    parser.add_argument(
        "--scores", action="append", default=[], metavar="METHOD=FILE", help="of docs/research/results"
    )
    parser.add_argument("--results", type=Path, help="where scores are kept, as of barthes bench")
    chosen = parser.parse_args()
    corpus = open_corpus(chosen.corpus)
    stories = list(corpus)
    cache = ScoreCache(chosen.results and chosen.results / "scores.sqlite3")
    scores = find_scores(corpus, chosen.methods, chosen.scores, cache)
    measure = MEASURES[choose_measures(corpus)[0]]
    print(f"{corpus.name}, {len(stories)} stories, {measure.heading}: {' + '.join(chosen.methods)}")
    for name, scale in SCALES.items():
        features = [
            np.stack([scale(scores[method][story.name]) for method in chosen.methods], axis=1)
            for story in stories
        ]
        pairs = zip(stories, features, strict=True)
        equal = np.nanmean([measure.measure(story, each.sum(axis=1).tolist()) for story, each in pairs])
        print(f"{name:8} all the same {equal:.3f}, learned {learn(features, stories, measure):.3f}")


if __name__ == "__main__":
    main()
