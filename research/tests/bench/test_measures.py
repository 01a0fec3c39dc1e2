"""The agreement of annotators, against plain computations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

from barthes.evaluation.corpus import LabelledNarrative
from barthes.hashing import hash_content
from barthes.narrative import Narrative
from barthes_research.bench.measures import DIVISIONS, measure_agreement
from barthes_research.corpora import Hippocorpus, RocStoriesSalience


def voted(name, *votes):
    narrative = Narrative.from_sentences([f"Sentence {k}." for k in range(len(votes))])
    chosen = tuple(tuple(map(bool, each)) for each in votes)
    return LabelledNarrative(name, narrative, (True,) * len(votes), votes=chosen)


def divide(stories, seed=0):
    """The slow way, with SciPy."""
    means = {}
    for story in stories:
        generator = np.random.default_rng([seed, int(hash_content(story.narrative.text)[:16], 16)])
        votes = np.array(story.votes)
        found = []
        for _ in range(DIVISIONS):
            order = generator.permutation(votes.shape[1])
            half = len(order) // 2
            one, other = votes[:, order[:half]].mean(axis=1), votes[:, order[half:]].mean(axis=1)
            if one.std() and other.std():
                found.append(spearmanr(one, other).statistic)
        means[story.name] = np.mean(found)
    return means


def test_agreement_equals_a_slow_computation():
    stories = [
        voted("a", [1, 1, 0, 1, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 1]),
        voted("b", [0, 1, 0, 1], [1, 1, 0, 0], [0, 0, 1, 1], [1, 1, 1, 0]),
    ]
    found = measure_agreement(stories)
    assert found.per_story == pytest.approx(divide(stories))
    assert found.value == pytest.approx(np.mean(list(found.per_story.values())))
    assert found == measure_agreement(stories)
    assert measure_agreement(stories, seed=1) != found


def test_annotators_who_all_agree():
    agreed = voted("a", [1, 1, 1, 1], [0, 0, 0, 0])
    assert measure_agreement([agreed]).value == pytest.approx(1)
    missing = voted("a", [1, 1, 1, 1], [0, 0, 0])  # the fourth did not see the second sentence
    assert measure_agreement([missing]).value == pytest.approx(1)


@pytest.mark.parametrize(
    ("reader", "path", "expected"),
    [
        (RocStoriesSalience, "rocstories_salience/val.json", 0.458),
        (Hippocorpus, "hippocorpus/events_dev.csv", 0.453),
    ],
)
def test_agreement_on_development_stories(shared, reader, path, expected):
    assert measure_agreement(list(reader(shared(f"data/{path}")))).value == pytest.approx(expected, abs=5e-4)
