#!/usr/bin/env python3
"""Other sums of the same losses: what else could be read off the influence matrix of sentence deletion.

    python benchmarks/influence_cues.py -c rocstories-salience=val.json
    python benchmarks/influence_cues.py -c tripod=synopses_dev.csv --horizon 64

Every story is scored once by sentence deletion, with --horizon as far as so many tokens tell it. Then the
losses of the later sentences are summed up in other ways than the paper's mean over tokens, and each sum is
measured as `barthes bench` measures methods:

    sd          the mean over all later tokens, as published
    sum         their sum, so that early sentences are not diluted
    sentences   the mean over later sentences, each counting the same
    largest     the later sentence that loses most
    losing      the share of later sentences that lose anything
    next        the next sentence only
    decay       a mean in which each further sentence counts 0.8 times as much as the one before it
    ending      what the last sentence of the story loses
    received    how much the sentence itself loses when earlier ones go, in all
    pagerank    PageRank over "who depends on whom": depended on by what is depended on

After the last sentence comes the end-of-text token, which stands for a later sentence there; nothing depends
on it in the graph, so `pagerank` cannot choose it. With a horizon, `ending` and `pagerank` are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from cues import NamedCue, print_figures, read_arguments, remember

import barthes
from barthes.models.language_model import FloatArray
from barthes.salience.profile import Profile
from barthes.salience.removal_method import Preview, RemovalMethod, SentenceDeletion

DECAY, DAMPING, STEPS = 0.8, 0.85, 100

Cue = Callable[[Profile, FloatArray], FloatArray]
"""Scores from a profile and its matrix of losses (rows lose, columns are removed); nats per token."""


def pagerank(losses: FloatArray) -> FloatArray:
    """The share of time that a reader spends who goes from each sentence to those that it depends on."""
    size = len(losses)
    depends = np.maximum(losses, 0.0)
    total = depends.sum(axis=1, keepdims=True)
    step = np.divide(depends, total, out=np.full_like(depends, 1 / size), where=total > 0)
    share = np.full(size, 1 / size)
    for _ in range(STEPS):
        share = (1 - DAMPING) / size + DAMPING * share @ step
    return share


def columns(profile: Profile) -> list[FloatArray]:
    """The losses of the later sentences that were read, by sentence; the last has the end of the text."""
    if profile.influences is None:
        return []
    *known, _ = profile.influences.columns
    return [*map(np.nan_to_num, known), np.array(profile.scores[-1:])]


def over(reduce: Callable[[FloatArray], float]) -> Cue:
    """A cue that makes one number of the losses after a sentence."""
    return lambda profile, losses: np.array([reduce(column) for column in columns(profile)])


def fade(column: FloatArray) -> float:
    return float(np.average(column, weights=DECAY ** np.arange(len(column))))


def count_tokens(profile: Profile, model: barthes.LanguageModel) -> FloatArray:
    """How many tokens come after each sentence; 1 after the last, where the end of the text is read."""
    lengths = [len(ids) for ids in model.encode([str(sentence) for sentence in profile.narrative])]
    return np.array([max(1, sum(lengths[k + 1 :])) for k in range(len(lengths))], dtype=float)


def make_cues(model: barthes.LanguageModel, *, whole: bool) -> dict[str, Cue]:
    """The sums by name; those that need all later sentences only where all were read."""
    cues: dict[str, Cue] = {
        "sd": lambda profile, losses: np.array(profile.scores),
        "sum": lambda profile, losses: np.array(profile.scores) * count_tokens(profile, model),
        "sentences": over(lambda column: float(column.mean())),
        "largest": over(lambda column: float(column.max())),
        "losing": over(lambda column: float((column > 0).mean())),
        "next": over(lambda column: float(column[0])),
        "decay": over(fade),
        "received": lambda profile, losses: losses.sum(axis=1),
    }
    far: dict[str, Cue] = {
        "ending": over(lambda column: float(column[-1])),
        "pagerank": lambda profile, losses: pagerank(losses),
    }
    return cues | (far if whole else {})


def main() -> None:
    """Print a row a sum."""
    corpus, model, horizon = read_arguments(__doc__)
    method: RemovalMethod = SentenceDeletion(model) if horizon is None else Preview(model, horizon=horizon)
    scoring = remember(method.score)

    def reduce(cue: Cue, narrative: barthes.Narrative) -> FloatArray:
        profile = scoring(narrative)
        return cue(profile, np.nan_to_num(np.asarray(profile.influence)))

    cues = make_cues(model, whole=horizon is None)
    print_figures([NamedCue(name, partial(reduce, cue)) for name, cue in cues.items()], corpus)


if __name__ == "__main__":
    main()
