"""`barthes finetune` as people run it: two real processes, one of them interrupted for real."""

from __future__ import annotations

import json
import signal
import time

import pytest

from research.tests.finetuning.tiny_runs import make_noise, write_base
from tests.cli.commands import check_refused, run, start

QUICK = ["--set", "block=64", "--set", "accumulate=2", "--learning-rate", "0.01"]
QUICK += ["--device", "cpu", "--dtype", "float32"]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """A folder of tales, with files in it that are none, and a model."""
    folder = tmp_path_factory.mktemp("inputs")
    (folder / "tales").mkdir()
    for tale in make_noise():
        (folder / "tales" / tale.name).write_text(tale.text, encoding="utf-8")
    (folder / "tales" / "picture.png").write_bytes(b"\x89PNG\r\n")
    (folder / "tales" / "broken.txt").write_bytes(b"\x00\x01\x02\x03")
    write_base(folder / "model", "gpt2")
    return folder


def test_from_a_folder_to_a_model_that_scores(inputs, monkeypatch):
    monkeypatch.chdir(inputs)
    command = ["finetune", "--train", "tales", "--out", "mine", "--model", "model", *QUICK, "--epochs"]
    process = start(*command, 1)
    out, err = (stream.decode() for stream in process.communicate(timeout=500))
    assert process.returncode == 0, err
    assert "Traceback" not in err
    assert err.count("skipped broken.txt") == 1
    assert "held-out perplexity" in err  # a plain line at each evaluation, as this is no terminal
    assert "shards" not in err  # of transformers' own bars
    assert out.startswith("perplexity on held-out stories: ")
    assert "--model mine" in out
    card = (inputs / "mine" / "README.md").read_text(encoding="utf-8")
    assert "barthes finetune --train tales --out mine --model model --set block=64" in card
    assert str(inputs) not in card
    notes = json.loads((inputs / "mine" / "barthes.json").read_text(encoding="utf-8"))["notes"]
    assert any("broken.txt" in note for note in notes)
    code, out, err = run("score", "tales/tale1.txt", "--model", "mine", "--format", "json")
    assert code == 0, err
    assert json.loads(out)["model"] == "mine"
    code, _, err = run(*command, 1)
    assert (code, "finished already" in err) == (0, True)
    code, _, err = run(*command, 2)
    assert (code, "epochs 1 there and 2 here" in err) == (2, True)


def adapt(inputs, out):
    """A command that takes long enough to be interrupted."""
    command = ["finetune", "--train", inputs / "tales", "--out", out, "--model", inputs / "model", "--epochs"]
    return [*command, 8, "--method", "lora", "--set", "patience=100", "--set", "evaluate_every=5", *QUICK]


@pytest.fixture(scope="module")
def undisturbed(inputs, tmp_path_factory):
    """The adapter of a run that nobody interrupted."""
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    code, _, err = run(*adapt(inputs, out))
    assert code == 0, err
    return (out / "adapter_model.safetensors").read_bytes()


def test_the_same_command_continues_after_an_interruption(inputs, undisturbed, tmp_path):
    out = tmp_path / "out"
    command = adapt(inputs, out)
    process = start(*command)
    checkpoints = out / "checkpoints"
    until = time.monotonic() + 240
    while (
        process.poll() is None
        and not list(checkpoints.glob("checkpoint-*/complete"))
        and time.monotonic() < until
    ):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=240)
    assert process.returncode == 130, err.decode()
    assert b"Traceback" not in err
    step = err.decode().split("to continue from step ")[1].partition(".")[0]
    assert (checkpoints / f"checkpoint-{step}" / "optimizer.pt").is_file()
    code, _, err = run(*command)
    assert code == 0, err
    assert f"resuming after step {step}" in err
    assert (out / "adapter_config.json").is_file()
    assert (out / "adapter_model.safetensors").read_bytes() == undisturbed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--train", "nothing.txt"], "nothing.txt"),
        (
            ["--train", "tales/tale1.txt", "--leave-out", "tales/tale1.txt"],
            "all 1 training stories share passages",
        ),
        (["--train", "tales", "--held-out", "1"], "held_out is 1.0"),
        (["--train", "tales", "--set", "patiense=1"], "Did you mean 'patience'"),
        (["--train", "tales", "--set", "rank=x"], "rank needs a number, not 'x'"),
        (["--train", "tales", "--model", "no/such/model/at-all.gguf"], "there is no such folder or file"),
        (["--train", "tales", "--tokens"], "ProppLearner"),
        (
            ["--train", "tales/tale1.txt", "--held-out", "0", "--model", "model"],
            "two blocks of 128 are needed",
        ),
        (["--train", "tales", "--model", "model", "--device", "cuda:1"], "CUDA_VISIBLE_DEVICES"),
    ],
    ids=str,
)
def test_wrong_arguments_are_explained(inputs, monkeypatch, arguments, message):
    monkeypatch.chdir(inputs)
    check_refused(["finetune", *arguments, "--out", "new"], message)
    assert not (inputs / "new").exists()
