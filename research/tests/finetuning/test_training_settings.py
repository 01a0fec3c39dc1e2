"""Check settings: defaults, limits, names, and the number of steps."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barthes.errors import BarthesError, UnknownNameError
from barthes_research.finetuning.training_settings import TrainingSettings


@pytest.mark.parametrize(("method", "rate"), [("full", 5e-5), ("lora", 2e-4)])
def test_each_method_has_its_learning_rate(method, rate):
    assert TrainingSettings(method=method).rate == rate
    assert TrainingSettings(method=method, learning_rate=1e-3).rate == 1e-3
    assert TrainingSettings(method=method).to_dict()["learning_rate"] == rate


INVALID = {
    "held_out": (1.0, -0.1, math.nan),
    "warmup": (1.0,),
    "learning_rate": (0.0, math.nan, math.inf),
    "block": (8,),
    "clip": (-1.0,),
    "weight_decay": (math.inf,),
    "seed": (-1, 2**32),
} | dict.fromkeys(("epochs", "batch", "accumulate", "patience", "evaluate_every", "rank", "alpha"), (0,))


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in INVALID for value in INVALID[name]])
def test_values_out_of_range_are_refused_by_name(name, value):
    with pytest.raises(BarthesError, match=name.replace("_", "[ _]")):
        TrainingSettings(**{name: value})


@pytest.mark.parametrize("wrong", [{"method": "prompt"}, {"dtype": "float16"}])
def test_unknown_names_are_refused(wrong):
    with pytest.raises(UnknownNameError):
        TrainingSettings(**wrong)


@given(st.integers(1, 500), st.integers(1, 9), st.integers(1, 9), st.integers(1, 5))
def test_steps_are_counted_as_the_trainer_does(blocks, batch, accumulate, epochs):
    settings = TrainingSettings(batch=batch, accumulate=accumulate, epochs=epochs)
    batches = len(range(0, blocks, batch))
    assert settings.count_steps(blocks) == len(range(0, batches, accumulate)) * epochs
    assert 1 <= settings.interval(blocks) <= settings.count_steps(blocks)
    assert settings.count_steps(blocks) / settings.interval(blocks) <= 12
