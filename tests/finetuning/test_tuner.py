"""What the settings do to a step: the learning rate, the longest gradient, the precision of products."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
import torch
from safetensors.torch import load_file

from barthes.finetuning.training import finetune
from tests.finetuning.tiny_runs import Killed, disturb, kill, long, small, tell_tales, write_base


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return write_base(tmp_path_factory.mktemp("base") / "llama")


def checkpoint(settings, out, *, when=lambda pace: pace.step == pace.steps):
    """The last checkpoint of a run, or an earlier one: the run is killed before it tidies up."""
    with pytest.raises(Killed):
        finetune(tell_tales(), out=out, settings=settings, report=disturb("evaluate", kill, when=when))
    return max((out / "checkpoints").glob("checkpoint-*"), key=lambda path: int(path.name.partition("-")[2]))


def history(folder):
    """What the Trainer noted of every step."""
    state = json.loads((folder / "trainer_state.json").read_text(encoding="utf-8"))
    return [entry for entry in state["log_history"] if "loss" in entry]


def cosine(step, *, steps, warmup):
    """The share of the highest rate at a step that is counted from 0, as the textbook has it."""
    rising = math.ceil(warmup * steps)
    if step < rising:
        return step / rising
    return (1 + math.cos(math.pi * (step - rising) / (steps - rising))) / 2


@pytest.mark.parametrize(("warmup", "epochs"), [(0.1, 4), (0.1, 5), (0.4, 4), (0.0, 4)])
def test_the_rate_rises_in_the_warm_up_and_then_falls_as_a_cosine(base, tmp_path, warmup, epochs):
    settings = long(base, "full", epochs=epochs, warmup=warmup, evaluate_every=1000)
    rates = [entry["learning_rate"] for entry in history(checkpoint(settings, tmp_path / "out"))]
    steps = len(rates)
    assert rates == pytest.approx(
        [settings.rate * cosine(step, steps=steps, warmup=warmup) for step in range(steps)]
    )
    highest = math.ceil(warmup * steps)
    assert rates.index(max(rates)) == highest
    assert rates[: highest + 1] == sorted(rates[: highest + 1])
    assert rates[highest:] == sorted(rates[highest:], reverse=True)
    assert 0 < rates[-1] < settings.rate / 100


def test_a_run_of_one_step_trains(base, tmp_path):
    """A tenth of one step is none: its rate is not that at which a warm-up starts, which is 0."""
    settings = small(base, accumulate=50, epochs=1, warmup=0.1)
    outcome = finetune(tell_tales(), out=tmp_path / "out", settings=settings)
    assert outcome.record["steps"] == {"planned": 1, "done": 1, "best": 1}
    before, after = (load_file(folder / "model.safetensors") for folder in (base, outcome.folder))
    assert any(not torch.equal(before[name], after[name]) for name in before)
    assert outcome.after < outcome.before


def length_of_gradient(folder):
    """The norm of the gradient of the first step, of whose mean AdamW has then taken in a tenth."""
    state = torch.load(folder / "optimizer.pt", weights_only=True)["state"]
    return 10 * math.sqrt(sum(float(each["exp_avg"].square().sum()) for each in state.values()))


@pytest.mark.parametrize("method", ["full", "lora"])
@pytest.mark.parametrize("clip", [0.001, 1000.0, 0.0])
def test_no_gradient_is_longer_than_clip(base, tmp_path, method, clip):
    """A long one is made as long as that, a short one stays as it is; 0 leaves all as they are."""
    settings = long(base, method, clip=clip)
    folder = checkpoint(settings, tmp_path / "out", when=lambda pace: pace.step == 1)
    [entry] = history(folder)
    assert 0.01 < entry["grad_norm"] < 100  # before it is clipped
    expected = clip if clip == 0.001 else entry["grad_norm"]
    assert length_of_gradient(folder) == pytest.approx(expected, rel=0.001)


@pytest.mark.parametrize(
    ("method", "weights"), [("full", "model.safetensors"), ("lora", "adapter_model.safetensors")]
)
def test_products_in_bfloat16_change_little_and_nothing_that_is_stored(base, tmp_path, method, weights):
    """At a low rate: a high one would make much of small differences."""
    plain = small(base, method=method, epochs=1, learning_rate=1e-3)
    fine, coarse = (
        finetune(tell_tales(), out=tmp_path / dtype, settings=replace(plain, dtype=dtype))
        for dtype in ("float32", "bfloat16")
    )
    assert (fine.record["precision"], coarse.record["precision"]) == ("float32", "bfloat16")
    for name in ("losses", "held_out_losses"):
        exact, rounded = dict(fine.record[name]), dict(coarse.record[name])
        assert rounded == pytest.approx(exact, rel=0.02)
        assert rounded != pytest.approx(exact, rel=1e-4)  # more than another order of sums would do
    expected, found = (load_file(outcome.folder / weights) for outcome in (fine, coarse))
    assert {tensor.dtype for tensor in found.values()} == {torch.float32}
    assert found.keys() == expected.keys()
    differences = [float((found[name] - expected[name]).abs().max()) for name in found]
    assert 1e-4 < max(differences) < 0.02
    assert any(not torch.equal(tensor, tensor.bfloat16().float()) for tensor in found.values())


def test_a_variable_of_accelerate_does_not_decide_the_precision(base, tmp_path, monkeypatch):
    settings = small(base, epochs=1)
    plain = finetune(tell_tales(), out=tmp_path / "plain", settings=settings)
    monkeypatch.setenv("ACCELERATE_MIXED_PRECISION", "bf16")
    other = finetune(tell_tales(), out=tmp_path / "other", settings=settings)
    assert other.record == plain.record
