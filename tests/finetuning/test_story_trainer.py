"""Steps and interruptions: learning rate, gradients, precision, and runs that are resumed."""

from __future__ import annotations

import json
import math
import signal
from dataclasses import replace

import pytest
import torch
from safetensors.torch import load_file

from barthes.finetuning.training import InterruptedTraining, finetune
from tests.finetuning.tiny_runs import (
    Killed,
    disturb,
    files,
    kill,
    long,
    small,
    talk_nonsense,
    tell_tales,
    write_base,
)

EVERY = 3  # steps between two evaluations


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return write_base(tmp_path_factory.mktemp("base") / "llama")


@pytest.fixture
def ctrl_c():
    """What presses Ctrl-C; a shell that runs the tests in the background has told them to ignore it."""
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield lambda: signal.raise_signal(signal.SIGINT)
    signal.signal(signal.SIGINT, usual)


def at(step):
    return lambda pace: pace.step == step


def checkpoints(out):
    return {int(path.name.partition("-")[2]) for path in (out / "checkpoints").glob("checkpoint-*")}


def checkpoint(settings, out, *, when=lambda pace: pace.step == pace.steps):
    """The last checkpoint of a run, or an earlier one: the run is killed before it tidies up."""
    with pytest.raises(Killed):
        finetune(tell_tales(), out=out, settings=settings, report=disturb("checkpoint", kill, when=when))
    return out / "checkpoints" / f"checkpoint-{max(checkpoints(out))}"


def history(folder):
    """What the Trainer noted about every step."""
    state = json.loads((folder / "trainer_state.json").read_text(encoding="utf-8"))
    return [entry for entry in state["log_history"] if "loss" in entry]


def cosine(step, *, steps, warmup):
    """The share of the highest rate at a step that is counted from 0, as in the textbook."""
    rising = math.ceil(warmup * steps)
    if step < rising:
        return step / rising
    return (1 + math.cos(math.pi * (step - rising) / (steps - rising))) / 2


@pytest.mark.parametrize(("warmup", "epochs"), [(0.4, 4), (0.0, 4)])
def test_the_rate_rises_in_the_warm_up_and_then_falls_as_a_cosine(base, tmp_path, warmup, epochs):
    settings = long(base, "full", epochs=epochs, warmup=warmup, evaluate_every=1000)
    rates = [entry["learning_rate"] for entry in history(checkpoint(settings, tmp_path / "out"))]
    expected = [settings.rate * cosine(step, steps=len(rates), warmup=warmup) for step in range(len(rates))]
    assert rates == pytest.approx(expected)
    assert rates.index(max(rates)) == math.ceil(warmup * len(rates))
    assert 0 < rates[-1] < settings.rate / 100


@pytest.mark.parametrize("method", ["full", "lora"])
def test_a_run_of_one_step(base, tmp_path, method):
    """Its rate is not the 0 of a warm-up, its loss is a mean over all tokens, and it is measured."""
    settings = small(base, method=method, accumulate=50, epochs=1, evaluate_every=1000)
    result = finetune(tell_tales(), out=tmp_path / "out", settings=settings)
    record, before = result.record, result.record["perplexity"]["train"]["before"]
    assert record["steps"] == {"planned": 1, "done": 1, "best": 1}
    assert before["tokens"] == record["tokens"]["train"]
    assert record["losses"] == [[1, pytest.approx(before["nats_per_token"], abs=1e-5)]]
    assert [step for step, _ in record["held_out_losses"]] == [1]
    assert result.after < result.before


def length_of_gradient(folder):
    """The norm of the gradient of the first step, of whose mean AdamW has then taken in a tenth."""
    state = torch.load(folder / "optimizer.pt", weights_only=True)["state"]
    return 10 * math.sqrt(sum(float(each["exp_avg"].square().sum()) for each in state.values()))


@pytest.mark.parametrize(("method", "clip"), [("lora", 0.001), ("full", 1000.0), ("full", 0.0)])
def test_no_gradient_is_longer_than_clip(base, tmp_path, method, clip):
    """A long one is made as long as that, a short one stays as it is; 0 leaves all as they are."""
    folder = checkpoint(long(base, method, clip=clip), tmp_path / "out", when=at(1))
    [entry] = history(folder)
    assert 0.01 < entry["grad_norm"] < 100  # before it is clipped
    expected = clip if clip == 0.001 else entry["grad_norm"]
    assert length_of_gradient(folder) == pytest.approx(expected, rel=0.001)


def test_products_in_bfloat16_change_little_and_nothing_that_is_stored(base, tmp_path, monkeypatch):
    """At a low rate: a high one would make much of small differences. A variable does not decide."""
    monkeypatch.setenv("ACCELERATE_MIXED_PRECISION", "bf16")
    plain = small(base, method="lora", epochs=1, learning_rate=1e-3)
    fine, coarse = (
        finetune(tell_tales(), out=tmp_path / dtype, settings=replace(plain, dtype=dtype))
        for dtype in ("float32", "bfloat16")
    )
    assert (fine.record["precision"], coarse.record["precision"]) == ("float32", "bfloat16")
    for name in ("losses", "held_out_losses"):
        exact, rounded = dict(fine.record[name]), dict(coarse.record[name])
        assert rounded == pytest.approx(exact, rel=0.02)
        assert rounded != pytest.approx(exact, rel=1e-4)  # more than another order of sums would do
    expected, found = (load_file(result.folder / "adapter_model.safetensors") for result in (fine, coarse))
    assert {tensor.dtype for tensor in found.values()} == {torch.float32}
    differences = [float((found[name] - expected[name]).abs().max()) for name in expected]
    assert 1e-4 < max(differences) < 0.02
    assert any(not torch.equal(tensor, tensor.bfloat16().float()) for tensor in found.values())


def test_ctrl_c_between_two_evaluations_changes_nothing(tmp_path, ctrl_c):
    """With dropout: the random numbers have to go on as well. The last perplexity is known at once."""
    settings = long(write_base(tmp_path / "base", "gpt2"), "full", evaluate_every=5)
    whole = finetune(tell_tales(), out=tmp_path / "whole", settings=settings)
    cut = tmp_path / "cut"
    with pytest.raises(InterruptedTraining) as interrupted:
        finetune(tell_tales(), out=cut, settings=settings, report=disturb("step", ctrl_c, when=at(6)))
    assert interrupted.value.step == 7
    assert checkpoints(cut) == {5, 7}
    heard = []
    report = disturb("step", lambda: None, when=heard.append)
    resumed = finetune(tell_tales(), out=cut, settings=settings, report=report)
    assert files(resumed.folder) == files(whole.folder)
    assert heard[0].step == 8
    assert heard[0].perplexity is not None
    assert heard[0].speed > 0


@pytest.fixture(scope="module")
def impatient(base):
    """Settings for a run that is stopped early: a high rate on noise."""
    return small(base, epochs=30, patience=2, evaluate_every=EVERY, learning_rate=3e-2)


@pytest.fixture(scope="module")
def stopped(impatient, tmp_path_factory):
    """That run, undisturbed."""
    return finetune(talk_nonsense(), out=tmp_path_factory.mktemp("stopped") / "out", settings=impatient)


def test_training_stops_when_patience_is_exhausted(stopped):
    steps, losses = stopped.record["steps"], dict(stopped.record["held_out_losses"])
    assert steps["best"] + 2 * EVERY == steps["done"] < steps["planned"]
    assert losses[steps["best"]] == min(losses.values())
    assert any("Stopped early" in note for note in stopped.notes)


def test_patience_is_remembered(impatient, stopped, tmp_path, ctrl_c):
    """One evaluation without a better perplexity before, one after: together they are two."""
    worse = stopped.record["steps"]["best"] + EVERY
    report = disturb("step", ctrl_c, when=at(worse + 1))
    with pytest.raises(InterruptedTraining):
        finetune(talk_nonsense(), out=tmp_path / "out", settings=impatient, report=report)
    assert max(checkpoints(tmp_path / "out")) == worse + 2
    resumed = finetune(talk_nonsense(), out=tmp_path / "out", settings=impatient)
    assert files(resumed.folder) == files(stopped.folder)


def test_a_run_whose_patience_was_exhausted_does_not_train_again(impatient, stopped, tmp_path):
    """Killed after the last checkpoint, before the result is written: only that is left to do."""
    steps = stopped.record["steps"]
    last = disturb("checkpoint", kill, when=at(steps["done"]))
    with pytest.raises(Killed):
        finetune(talk_nonsense(), out=tmp_path / "out", settings=impatient, report=last)
    assert checkpoints(tmp_path / "out") == {steps["best"], steps["done"]}
    never = disturb("step", kill, when=lambda pace: True)
    resumed = finetune(talk_nonsense(), out=tmp_path / "out", settings=impatient, report=never)
    assert files(resumed.folder) == files(stopped.folder)


def test_a_run_whose_steps_were_all_done_does_not_train_again(base, tmp_path):
    settings = small(base, epochs=1)
    whole = finetune(tell_tales(), out=tmp_path / "whole", settings=settings)
    checkpoint(settings, tmp_path / "cut")
    never = disturb("step", kill, when=lambda pace: True)
    resumed = finetune(tell_tales(), out=tmp_path / "cut", settings=settings, report=never)
    assert files(resumed.folder) == files(whole.folder)
