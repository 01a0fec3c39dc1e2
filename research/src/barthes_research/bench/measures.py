"""The measures of each corpus, and how well annotators agree."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from barthes.evaluation.corpus import Corpus, Labelled
from barthes.evaluation.metrics import rank_correlation
from barthes.evaluation.result import Figure
from barthes.hashing import hash_content
from barthes_research.corpora.fairytaleqa import FairytaleQA
from barthes_research.corpora.hippocorpus import Hippocorpus
from barthes_research.corpora.recall import Recall
from barthes_research.corpora.rocstories_salience import RocStoriesSalience
from barthes_research.corpora.telegraphic import Telegraphic, TelegraphicEvents
from barthes_research.corpora.tripod import Tripod

DIVISIONS = 50
"""How often the annotators of each story are divided."""


def choose_measures(corpus: Corpus) -> tuple[str, ...]:
    """Return the names of the measures for a corpus, the deciding one first."""
    if isinstance(corpus, RocStoriesSalience):  # labelled by votes, which are graded
        return ("spearman", "auc")
    if isinstance(corpus, FairytaleQA | Hippocorpus | Recall | Telegraphic):  # graded too
        return ("spearman", "map")
    if isinstance(corpus, TelegraphicEvents):  # kept or not; about as many are as are not
        return ("auc", "map")
    if isinstance(corpus, Tripod):  # a turning point may also be seen in the sentence before or after
        return ("map", "agreement")
    return ("map",)


def measure_agreement(stories: Sequence[Labelled], *, seed: int = 0) -> Figure | None:
    """Return Spearman's correlation between the choices of two random halves of the annotators.

    The figure of a story is the mean over 50 divisions; NaN if a half never distinguishes its sentences, or
    there is one annotator only. None if no story has votes.

    It is not a ceiling for methods: half a panel is noisier than the whole panel, whose mean choice a method
    is compared with.
    """
    found = {}
    for story in stories:
        votes: Sequence[Sequence[bool]] = getattr(story, "votes", ())
        # Seeded by the text, so that the order of the stories does not matter.
        generator = np.random.default_rng([seed, int(hash_content(story.narrative.text)[:16], 16)])
        found[story.name] = _divide(votes, generator) if votes else math.nan
    if all(map(math.isnan, found.values())):
        return None
    return Figure(found)


def _divide(votes: Sequence[Sequence[bool]], generator: np.random.Generator) -> float:
    """Return the mean correlation of the halves of one story's annotators."""
    fewest = min(map(len, votes))  # sentences may lack an annotator
    table = np.array([chosen[:fewest] for chosen in votes], dtype=np.float64)
    correlations = []
    for _ in range(DIVISIONS):
        order = generator.permutation(fewest)
        one, other = table[:, order[: fewest // 2]], table[:, order[fewest // 2 :]]
        if fewest > 1:
            correlations.append(rank_correlation(one.mean(axis=1), other.mean(axis=1)))
    known = [each for each in correlations if not math.isnan(each)]
    return math.fsum(known) / len(known) if known else math.nan
