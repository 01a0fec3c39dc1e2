"""Ctrl-C and kills at chosen steps: what goes on afterwards ends as if nothing had happened."""

from __future__ import annotations

import signal

import pytest

from barthes.finetuning.training import InterruptedTraining, finetune
from tests.finetuning.tiny_runs import (
    Killed,
    disturb,
    kill,
    long,
    small,
    talk_nonsense,
    tell_tales,
    write_base,
)

EVERY = 3  # steps between two evaluations


@pytest.fixture
def ctrl_c():
    """What presses Ctrl-C; a shell that runs the tests in the background has told them to ignore it."""
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield lambda: signal.raise_signal(signal.SIGINT)
    signal.signal(signal.SIGINT, usual)


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def at(step):
    return lambda pace: pace.step == step


def checkpoints(out):
    return {int(path.name.partition("-")[2]) for path in (out / "checkpoints").glob("checkpoint-*")}


@pytest.mark.parametrize("method", ["full", "lora"])
def test_ctrl_c_between_two_evaluations_changes_nothing(tmp_path, ctrl_c, method):
    """With dropout: the random numbers have to go on as well."""
    settings = long(write_base(tmp_path / "base", "gpt2"), method, evaluate_every=5)
    whole = finetune(tell_tales(), out=tmp_path / "whole", settings=settings)
    cut = tmp_path / "cut"
    with pytest.raises(InterruptedTraining) as interrupted:
        finetune(tell_tales(), out=cut, settings=settings, report=disturb("step", ctrl_c, when=at(6)))
    assert interrupted.value.step == 7
    assert checkpoints(cut) == {5, 7}
    resumed = finetune(tell_tales(), out=cut, settings=settings)
    assert files(resumed.folder) == files(whole.folder)


def test_a_run_that_goes_on_knows_the_last_perplexity(tmp_path, ctrl_c):
    settings = long(write_base(tmp_path / "base"), "full", evaluate_every=5)
    out = tmp_path / "out"
    with pytest.raises(InterruptedTraining):
        finetune(tell_tales(), out=out, settings=settings, report=disturb("step", ctrl_c, when=at(6)))
    heard = []
    finetune(
        tell_tales(), out=out, settings=settings, report=disturb("step", lambda: None, when=heard.append)
    )
    assert heard[0].step == 8
    assert heard[0].perplexity is not None


@pytest.fixture(scope="module")
def impatient(tmp_path_factory):
    """Settings for a run that is stopped by patience."""
    base = write_base(tmp_path_factory.mktemp("base") / "llama")
    return small(base, epochs=30, patience=2, evaluate_every=EVERY, learning_rate=3e-2)


@pytest.fixture(scope="module")
def stopped(impatient, tmp_path_factory):
    """That run, undisturbed."""
    out = tmp_path_factory.mktemp("stopped") / "out"
    outcome = finetune(talk_nonsense(), out=out, settings=impatient)
    steps = outcome.record["steps"]
    assert steps["best"] + 2 * EVERY == steps["done"] < steps["planned"]
    return outcome


def test_patience_is_remembered_after_ctrl_c(impatient, stopped, tmp_path, ctrl_c):
    """One evaluation without a better perplexity before, one after: together they are two."""
    worse = stopped.record["steps"]["best"] + EVERY
    report = disturb("step", ctrl_c, when=at(worse + 1))
    with pytest.raises(InterruptedTraining) as interrupted:
        finetune(talk_nonsense(), out=tmp_path / "out", settings=impatient, report=report)
    assert interrupted.value.step == worse + 2
    resumed = finetune(talk_nonsense(), out=tmp_path / "out", settings=impatient)
    assert resumed.record["steps"] == stopped.record["steps"]
    assert files(resumed.folder) == files(stopped.folder)


def test_patience_is_remembered_after_a_kill(impatient, stopped, tmp_path):
    worse = stopped.record["steps"]["best"] + EVERY
    report = disturb("step", kill, when=at(worse + 1))
    with pytest.raises(Killed):
        finetune(talk_nonsense(), out=tmp_path / "out", settings=impatient, report=report)
    assert max(checkpoints(tmp_path / "out")) == worse
    resumed = finetune(talk_nonsense(), out=tmp_path / "out", settings=impatient)
    assert resumed.record["steps"] == stopped.record["steps"]
    assert files(resumed.folder) == files(stopped.folder)


def test_a_run_whose_patience_was_out_does_not_train_again(impatient, stopped, tmp_path):
    """Killed after the last checkpoint, before the result is written: only that is left to do."""
    steps = stopped.record["steps"]
    with pytest.raises(Killed):
        finetune(
            talk_nonsense(),
            out=tmp_path / "out",
            settings=impatient,
            report=disturb("evaluate", kill, when=at(steps["done"])),
        )
    assert checkpoints(tmp_path / "out") == {steps["best"], steps["done"]}
    never = disturb("step", kill, when=lambda pace: True)
    resumed = finetune(talk_nonsense(), out=tmp_path / "out", settings=impatient, report=never)
    assert resumed.record["steps"] == steps
    assert files(resumed.folder) == files(stopped.folder)


def test_a_run_whose_steps_were_all_done_does_not_train_again(tmp_path):
    settings = small(write_base(tmp_path / "base"), epochs=1)
    whole = finetune(tell_tales(), out=tmp_path / "whole", settings=settings)
    last = disturb("evaluate", kill, when=lambda pace: pace.step == pace.steps)
    with pytest.raises(Killed):
        finetune(tell_tales(), out=tmp_path / "cut", settings=settings, report=last)
    never = disturb("step", kill, when=lambda pace: True)
    resumed = finetune(tell_tales(), out=tmp_path / "cut", settings=settings, report=never)
    assert files(resumed.folder) == files(whole.folder)
