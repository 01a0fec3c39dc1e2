#!/usr/bin/env python3
"""Evaluate other ways to aggregate the influence matrix of sentence deletion.

    python benchmarks/influence_cues.py -c rocstories-salience=val.json
    python benchmarks/influence_cues.py -c tripod=synopses_dev.csv --horizon 64

Every story is scored once by sentence deletion (up to --horizon later tokens). The losses of later sentences
are then aggregated in several ways, and each result is evaluated like a method of `barthes bench`:

    sd          mean over all later tokens, as published
    sum         sum over all later tokens
    sentences   mean over later sentences
    largest     maximum over later sentences
    losing      share of later sentences with a positive loss
    next        loss of the next sentence
    decay       weighted mean; weights fall by a factor of 0.8 per sentence
    ending      loss of the last sentence of the story
    received    sum of the sentence's own losses when earlier sentences are deleted
    pagerank    PageRank of the graph in which sentences point to those they depend on

For the last sentence, the end-of-text token takes the place of later sentences; nothing depends on it in the
graph. With a horizon, `ending` and `pagerank` are skipped.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from cues import NamedCue, print_figures, read_arguments, remember

import barthes
from barthes.models.language_model import FloatArray
from barthes.removal.removal import delete_sentences
from barthes.salience.profile import Profile
from barthes.salience.removal_method import RemovalMethod

DECAY, DAMPING, STEPS = 0.8, 0.85, 100

Cue = Callable[[Profile, FloatArray], FloatArray]
"""Compute scores from a profile and its loss matrix (row: affected, column: deleted sentence)."""


def pagerank(losses: FloatArray) -> FloatArray:
    size = len(losses)
    depends = np.maximum(losses, 0.0)
    total = depends.sum(axis=1, keepdims=True)
    step = np.divide(depends, total, out=np.full_like(depends, 1 / size), where=total > 0)
    share = np.full(size, 1 / size)
    for _ in range(STEPS):
        share = (1 - DAMPING) / size + DAMPING * share @ step
    return share


def columns(profile: Profile) -> list[FloatArray]:
    """Return the losses of later sentences by deleted sentence; the last has that of the end of the text."""
    if profile.influences is None:
        return []
    *known, _ = profile.influences.columns
    return [*map(np.nan_to_num, known), np.array(profile.scores[-1:])]


def over(reduce: Callable[[FloatArray], float]) -> Cue:
    """Return a cue that aggregates the losses after each sentence."""
    return lambda profile, losses: np.array([reduce(column) for column in columns(profile)])


def fade(column: FloatArray) -> float:
    return float(np.average(column, weights=DECAY ** np.arange(len(column))))


def count_tokens(profile: Profile, model: barthes.LanguageModel) -> FloatArray:
    """Return the number of tokens after each sentence, counting the end of the text after the last."""
    lengths = [len(ids) for ids in model.encode([str(sentence) for sentence in profile.narrative])]
    return np.array([max(1, sum(lengths[k + 1 :])) for k in range(len(lengths))], dtype=float)


def make_cues(model: barthes.LanguageModel, *, whole: bool) -> dict[str, Cue]:
    """Return the cues by name; some need all later sentences."""
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
    """Print a row for each cue."""
    corpus, model, horizon = read_arguments(__doc__)
    scoring = remember(RemovalMethod(model, delete_sentences, horizon=horizon).score)

    def reduce(cue: Cue, narrative: barthes.Narrative) -> FloatArray:
        profile = scoring(narrative)
        return cue(profile, np.nan_to_num(np.asarray(profile.influence)))

    cues = make_cues(model, whole=horizon is None)
    print_figures([NamedCue(name, partial(reduce, cue)) for name, cue in cues.items()], corpus)


if __name__ == "__main__":
    main()
