"""Settings that make sense, and words for those that do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.errors import BarthesError, UnknownNameError
from barthes.finetuning.training_settings import TrainingSettings


@pytest.mark.parametrize(("method", "rate"), [("full", 5e-5), ("lora", 2e-4)])
def test_each_method_has_its_learning_rate(method, rate):
    assert TrainingSettings(method=method).rate == rate
    assert TrainingSettings(method=method, learning_rate=1e-3).rate == 1e-3
    assert TrainingSettings(method=method).to_dict()["learning_rate"] == rate


@pytest.mark.parametrize(
    "wrong",
    [
        {"held_out": 1.0},
        {"held_out": -0.1},
        {"held_out": float("nan")},
        {"warmup": 1.0},
        {"learning_rate": 0.0},
        {"learning_rate": float("nan")},
        {"learning_rate": float("inf")},
        {"epochs": 0},
        {"block": 8},
        {"batch": 0},
        {"accumulate": 0},
        {"patience": 0},
        {"evaluate_every": 0},
        {"clip": -1.0},
        {"weight_decay": float("inf")},
        {"rank": 0},
        {"seed": -1},
    ],
    ids=str,
)
def test_nonsense_is_refused_with_its_name(wrong):
    (name,) = wrong
    with pytest.raises(BarthesError, match=name.replace("_", "[ _]")):
        TrainingSettings(**wrong)


@pytest.mark.parametrize("wrong", [{"method": "prompt"}, {"dtype": "float16"}, {"adapter_dtype": "int8"}])
def test_names_that_do_not_exist(wrong):
    with pytest.raises(UnknownNameError):
        TrainingSettings(**wrong)


@given(st.integers(1, 500), st.integers(1, 9), st.integers(1, 9), st.integers(1, 5))
def test_steps_are_counted_as_the_trainer_does(blocks, batch, accumulate, epochs):
    settings = TrainingSettings(batch=batch, accumulate=accumulate, epochs=epochs)
    batches = len(range(0, blocks, batch))
    assert settings.count_steps(blocks) == len(range(0, batches, accumulate)) * epochs
    assert 1 <= settings.interval(blocks) <= settings.count_steps(blocks)
    assert settings.count_steps(blocks) / settings.interval(blocks) <= 12
