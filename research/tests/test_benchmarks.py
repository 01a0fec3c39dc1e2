"""Compare what the benchmarks compute themselves with plain computations."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def benchmark(monkeypatch):
    """Return a function that imports a benchmark from its folder."""
    monkeypatch.syspath_prepend(Path(__file__).parents[1] / "benchmarks")
    return importlib.import_module


def test_similarity_to_the_story(benchmark):
    states_of = benchmark("readers_states")
    rng = np.random.default_rng(0)
    states = rng.normal(size=(6, 3, 4)) + 1
    mean = states.mean(axis=0)
    features = states_of.training.StoryFeatures(
        states - mean, np.zeros((6, 0)), np.zeros((6, 0)), np.concatenate([mean.ravel(), [1.8, 2.0]])
    )
    story = states_of.fitting.TrainingStory("tales", "group", features, [0.0] * 6)
    [scores] = states_of.compare_with_story([("corpus", "name")], [story]).values()
    whole = mean[1] / np.linalg.norm(mean[1])
    expected = [state @ whole / np.linalg.norm(state) for state in states[:, 1]]
    assert scores == pytest.approx(expected)
