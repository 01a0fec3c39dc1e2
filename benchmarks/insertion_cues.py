#!/usr/bin/env python3
"""Insertion instead of deletion: how much of the story one sentence tells by itself.

    python benchmarks/insertion_cues.py -c rocstories-salience=val.json

Deletion asks what is missing without a sentence, and others may say the same. Insertion asks what it alone
gives away. Rows, each measured as `barthes bench` measures methods:

    headline    the other sentences, in their order, after the sentence as a heading and without it
    pairs       each other sentence right after it alone, and as the beginning of a text

Both are gains in nats per token of the other sentences; `-all` are the same gains, summed over tokens. For
every sentence the others are read again, so the cost grows with the square of a story's length: meant for
short ones.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np
from influence_cues import print_figures, read_arguments

import barthes
from barthes.models.language_model import Edit, FloatArray, LanguageModel
from barthes.salience.method import Method, Progress, silent
from barthes.salience.profile import Profile

Sentences = list[list[int]]
"""The tokens of each sentence, as they are after another one."""


@dataclass(frozen=True)
class Gains:
    """What each sentence gives to the others: nats in all, and how many tokens those have."""

    nats: FloatArray
    tokens: FloatArray


def encode(model: LanguageModel, narrative: barthes.Narrative) -> Sentences:
    """The first sentence too as if it came after another: it will stand in other places."""
    return model.encode(["", *(str(sentence) for sentence in narrative)])[1:]


def read_headline(model: LanguageModel, narrative: barthes.Narrative) -> Gains:
    """The story without a sentence, once after that sentence and once alone."""
    sentences = encode(model, narrative)
    rests = [list(chain(*sentences[:k], *sentences[k + 1 :])) for k in range(len(sentences))]
    headed = [
        ([model.start_token, *ids, *rest], 1 + len(ids)) for ids, rest in zip(sentences, rests, strict=True)
    ]
    after = [np.nansum(reading.log_probabilities) for reading in model.read_together(headed)]
    return Gains(np.array(after) - delete_each(model, sentences), np.array([len(rest) for rest in rests]))


def delete_each(model: LanguageModel, sentences: Sentences) -> FloatArray:
    """log P of the story without each sentence in turn, the others having been read once."""
    reading = model.read([model.start_token, *chain(*sentences)])
    edges = np.cumsum([0, *map(len, sentences)])
    edits = [Edit(int(a) + 1, int(b) + 1) for a, b in pairwise(edges) if b < edges[-1]]
    after = [*(float(each.sum()) for each in reading.rescore(edits)), 0.0]
    before = [float(reading.log_probabilities[:start].sum()) for start in edges[:-1]]
    return np.array(before) + np.array(after)


def read_pairs(model: LanguageModel, narrative: barthes.Narrative) -> Gains:
    """Each other sentence after one, and alone."""
    sentences = encode(model, narrative)
    alone = model.read_together([([model.start_token, *ids], 1) for ids in sentences])
    told = np.array([reading.log_probabilities.sum() for reading in alone])
    places = [(k, j) for k in range(len(sentences)) for j in range(len(sentences)) if j != k]
    texts = [([model.start_token, *sentences[k], *sentences[j]], 1 + len(sentences[k])) for k, j in places]
    nats, tokens = np.zeros(len(sentences)), np.zeros(len(sentences))
    for (k, j), reading in zip(places, model.read_together(texts), strict=True):
        nats[k] += np.nansum(reading.log_probabilities) - told[j]
        tokens[k] += len(sentences[j])
    return Gains(nats, tokens)


class InsertionCue(Method):
    """One of the gains, per token or in all."""

    def __init__(self, name: str, gains: Callable[[barthes.Narrative], Gains], *, per_token: bool) -> None:
        self._name = name
        self._gains = gains
        self._per_token = per_token

    @property
    def name(self) -> str:
        return self._name

    def score(self, narrative: barthes.Narrative, *, progress: Progress = silent) -> Profile:
        gains = self._gains(narrative)
        scores = gains.nats / np.maximum(1, gains.tokens) if self._per_token else gains.nats
        return Profile(narrative, tuple(scores.tolist()), method=self.name)


def main() -> None:
    """Print a row a cue."""
    corpus, model, _ = read_arguments(__doc__)
    methods: list[Method] = []
    for name, read in {"headline": read_headline, "pairs": read_pairs}.items():
        gains = functools.cache(functools.partial(read, model))
        methods += [
            InsertionCue(name, gains, per_token=True),
            InsertionCue(f"{name}-all", gains, per_token=False),
        ]
    print_figures(methods, corpus)


if __name__ == "__main__":
    main()
