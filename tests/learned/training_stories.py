"""Training stories with planted signals, and small weights fitted to them."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from barthes.learned.story_features import CUES, LAYERS, StoryFeatures, describe_places

sys.path.insert(0, str(Path(__file__).parents[2] / "research" / "scripts"))
from fit_readers import FitSettings, TrainingStory, fit_weights

__all__ = ["SMALL", "WIDTH", "fit_small", "make_stories", "make_story"]

WIDTH = 6
"""The number of states of a sentence."""

SMALL = FitSettings(penalty=0.1, kind_penalty=0.1, dimensions=2, draws=3)


def centre(values):
    return values - values.mean(axis=0)


def make_story(rng, kind, number, *, late=0.0, sentences=12):
    """Make a story graded by its first state and by `late` times the position, which the second one shows."""
    place = describe_places(sentences)
    states = rng.normal(size=(sentences, len(LAYERS), WIDTH))
    states[:, :, 1] = place[:, :1] * 3 + 0.1 * rng.normal(size=(sentences, len(LAYERS)))
    grades = states[:, :, 0].mean(axis=1) + late * place[:, 0] * 5
    kinds = {"": 0.0, "early": 4.0, "late": -4.0}
    story = rng.normal(size=len(LAYERS) * WIDTH + 2) * 0.3 + kinds[kind]
    features = StoryFeatures(
        centre(states), centre(rng.normal(size=(sentences, len(CUES)))), centre(place), story
    )
    nothing = np.empty((sentences, 0))
    events = StoryFeatures(centre(states), nothing, nothing, story)
    wanted = [float(grade > 0) for grade in states[:, :, 2].mean(axis=1)]
    return TrainingStory(kind, f"{kind}{number // 2}", features, grades.tolist(), events, wanted)


def make_stories(seed=0, count=30):
    rng = np.random.default_rng(seed)
    early = [make_story(rng, "early", k, late=-1.0) for k in range(count)]
    late = [make_story(rng, "late", k, late=1.0) for k in range(count)]
    return [*early, *late]


def fit_small(*, model="counting", stories=None, settings=SMALL):
    return fit_weights(stories or make_stories(), model=model, settings=settings)
