"""Steps and interruptions: learning rate, gradients, precision, early stopping, and resumed runs."""

from __future__ import annotations

import json
import math

import pytest
import torch

from barthes_research.finetuning.training import finetune
from research.tests.finetuning.tiny_runs import (
    Killed,
    checkpointed,
    disturb,
    files,
    kill,
    make_noise,
    make_tales,
    small,
    write_base,
)

EVERY = 3  # steps between evaluations
NEVER = disturb("step", kill, when=lambda state: True)  # fails a run that trains


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return write_base(tmp_path_factory.mktemp("base") / "llama")


def at(step):
    return lambda state: state.step == step


def checkpoints(out):
    return {int(path.name.partition("-")[2]) for path in (out / "checkpoints").glob("checkpoint-*")}


def run_to_checkpoint(settings, out, *, when=lambda state: state.step == state.steps):
    """Kill a run after a checkpoint, by default the last one, and return its folder."""
    with pytest.raises(Killed):
        finetune(make_tales(), out=out, settings=settings, report=disturb("checkpoint", kill, when=when))
    return out / "checkpoints" / f"checkpoint-{max(checkpoints(out))}"


def read_steps(checkpoint):
    """Return the Trainer's log entries of all steps."""
    state = json.loads((checkpoint / "trainer_state.json").read_text(encoding="utf-8"))
    return [entry for entry in state["log_history"] if "loss" in entry]


@pytest.mark.parametrize("warmup", [0.4, 0.0])
def test_the_rate_rises_in_the_warm_up_and_then_falls_as_a_cosine(base, tmp_path, warmup):
    settings = checkpointed(base, "full", epochs=4, warmup=warmup, evaluate_every=1000)
    rates = [entry["learning_rate"] for entry in read_steps(run_to_checkpoint(settings, tmp_path / "out"))]
    rising = math.ceil(warmup * len(rates))
    falling = len(rates) - rising
    expected = [step / rising for step in range(rising)]
    expected += [(1 + math.cos(math.pi * step / falling)) / 2 for step in range(falling)]
    assert rates == pytest.approx([settings.rate * share for share in expected])
    assert 0 < rates[-1] < settings.rate / 100


@pytest.mark.parametrize(("method", "clip"), [("lora", 0.001), ("full", 1000.0), ("full", 0.0)])
def test_gradients_are_clipped(base, tmp_path, method, clip):
    """A longer gradient is shortened, a shorter one is not changed; 0 means no clipping."""
    checkpoint = run_to_checkpoint(checkpointed(base, method, clip=clip), tmp_path / "out", when=at(1))
    [entry] = read_steps(checkpoint)
    assert 0.01 < entry["grad_norm"] < 100  # before clipping
    state = torch.load(checkpoint / "optimizer.pt", weights_only=True)["state"]
    # After the first step, AdamW's mean contains a tenth of the gradient.
    norm = 10 * math.sqrt(sum(float(each["exp_avg"].square().sum()) for each in state.values()))
    assert norm == pytest.approx(clip if clip == 0.001 else entry["grad_norm"], rel=0.001)


@pytest.mark.parametrize("method", ["full", "lora"])
def test_a_run_killed_between_two_evaluations_ends_with_the_same_weights(tmp_path, method):
    """With dropout, so that the state of random numbers must be restored; killed twice."""
    settings = checkpointed(write_base(tmp_path / "base", "gpt2"), method, evaluate_every=5)
    whole = finetune(make_tales(), out=tmp_path / "whole", settings=settings)
    cut = tmp_path / "cut"
    for step in (6, 8):
        with pytest.raises(Killed):
            finetune(make_tales(), out=cut, settings=settings, report=disturb("step", kill, when=at(step)))
        assert checkpoints(cut) == {5}
    seen = []
    report = disturb("step", lambda: None, when=seen.append)
    resumed = finetune(make_tales(), out=cut, settings=settings, report=report)
    assert files(resumed.folder) == files(whole.folder)
    assert seen[0].step == 6
    assert seen[0].perplexity is not None  # of the last evaluation


@pytest.fixture(scope="module")
def impatient(base):
    """Return settings for a run that stops early: a high rate on noise."""
    return small(base, epochs=30, patience=2, evaluate_every=EVERY, learning_rate=3e-2)


@pytest.fixture(scope="module")
def stopped(impatient, tmp_path_factory):
    """Return the result of that run without interruption."""
    return finetune(make_noise(), out=tmp_path_factory.mktemp("stopped") / "out", settings=impatient)


def test_training_stops_when_patience_is_exhausted(stopped):
    steps, losses = stopped.record["steps"], dict(stopped.record["held_out_losses"])
    assert steps["best"] + 2 * EVERY == steps["done"] < steps["planned"]
    assert losses[steps["best"]] == min(losses.values())
    assert any("Stopped early" in note for note in stopped.notes)


def test_a_run_that_had_stopped_early_does_not_train_again(impatient, stopped, tmp_path):
    """If it is killed after the last checkpoint, only the result is left to be written."""
    steps = stopped.record["steps"]
    last = disturb("checkpoint", kill, when=at(steps["done"]))
    with pytest.raises(Killed):
        finetune(make_noise(), out=tmp_path / "out", settings=impatient, report=last)
    assert checkpoints(tmp_path / "out") == {steps["best"], steps["done"]}
    resumed = finetune(make_noise(), out=tmp_path / "out", settings=impatient, report=NEVER)
    assert files(resumed.folder) == files(stopped.folder)
