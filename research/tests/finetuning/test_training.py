"""Runs on tiny models from end to end: results, refusals, kills and a full disk."""

from __future__ import annotations

import json
import math
import random
import shutil
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest
import torch

import barthes
from barthes.errors import ModelError, OutputError, TrainingError
from barthes_research.finetuning.base_model import load_base
from barthes_research.finetuning.token_blocks import measure_loss
from barthes_research.finetuning.training import finetune
from research.tests.finetuning.tiny_runs import (
    checkpointed,
    files,
    make_noise,
    make_tales,
    small,
    start,
    write_base,
)
from tests.tiny_gguf import write_gguf


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return write_base(tmp_path_factory.mktemp("base") / "llama")


@pytest.fixture(scope="module")
def tuned(base, tmp_path_factory):
    """Return the result of a full fine-tuning."""
    return finetune(make_tales(), out=tmp_path_factory.mktemp("tuned") / "out", settings=small(base))


def remeasure(folder, result):
    """Return the held-out perplexity of the model in a folder, on the run's own blocks."""
    held_out = {story["name"] for story in result.record["stories"]["held_out"]}
    loaded = load_base(str(folder))
    blocks = loaded.pack([tale for tale in make_tales() if tale.name in held_out], small(folder))
    return measure_loss(loaded.network, blocks).perplexity


def test_full_fine_tuning_learns_and_its_result_loads(tuned):
    assert tuned.after < tuned.before / 2
    assert set(files(tuned.folder)) >= {"README.md", "barthes.json", "config.json", "model.safetensors"}
    assert not (tuned.folder / "checkpoints").exists()
    assert barthes.load_model(str(tuned.folder), dtype="float32").network.config.use_cache
    assert remeasure(tuned.folder, tuned) == pytest.approx(tuned.after, rel=1e-5)


def test_the_record_is_complete(tuned, base):
    record = json.loads((tuned.folder / "barthes.json").read_text(encoding="utf-8"))
    assert record["settings"]["seed"] == 0
    assert record["base"]["name"] == str(base)
    assert len(record["base"]["sha256"]) == len(record["base"]["sample"]) == 64
    assert len(record["stories"]["train"]) + len(record["stories"]["held_out"]) == len(make_tales())
    assert [step for step, _ in record["losses"]] == list(range(1, record["steps"]["done"] + 1))
    best = min(record["held_out_losses"], key=lambda pair: pair[1])
    assert record["steps"]["best"] == best[0]
    assert math.exp(best[1]) == pytest.approx(record["perplexity"]["held_out"]["after"]["perplexity"])
    assert {"torch", "transformers", "peft"} <= set(record["versions"])
    for part in ("held_out", "train"):
        pair = record["perplexity"][part]
        assert pair["after"]["perplexity"] < pair["before"]["perplexity"]


@pytest.mark.parametrize("architecture", ["llama", "gpt2"])
def test_adapters_learn_and_load_only_with_their_base(tmp_path, monkeypatch, architecture):
    monkeypatch.chdir(tmp_path)
    write_base(tmp_path / "base", architecture)
    settings = small("base", method="lora")
    result = finetune(make_tales(), out="runs/tuned", settings=settings)
    assert result.after < result.before / 2
    assert set(files(result.folder)) >= {"adapter_model.safetensors", "adapter_config.json", "README.md"}
    described = json.loads((result.folder / "adapter_config.json").read_text(encoding="utf-8"))
    assert described["base_model_name_or_path"] == "../../base"  # relative to the adapter
    assert described["target_modules"] == sorted(described["target_modules"])
    assert remeasure(result.folder, result) == pytest.approx(result.after, rel=1e-4)
    barthes.load_model("runs/tuned", dtype="float32")
    shutil.rmtree("base")
    write_base(tmp_path / "base", architecture, seed=7)
    with pytest.raises(ModelError, match="other weights than when the adapter was trained"):
        barthes.load_model("runs/tuned", dtype="float32")


def test_an_adapter_can_be_fine_tuned_but_not_overwritten(base, tmp_path):
    once = finetune(make_tales(4), out=tmp_path / "once", settings=small(base, method="lora", epochs=1))
    before = files(once.folder)
    again = small(once.folder, method="lora", epochs=1)
    twice = finetune(make_tales(4), out=tmp_path / "twice", settings=again)
    assert twice.record["base"]["sample"] is None  # merged weights depend on the machine
    barthes.load_model(str(twice.folder), dtype="float32")
    for model in (once.folder, twice.folder):
        with pytest.raises(TrainingError, match=r"another, finished run: another base model"):
            finetune(make_tales(4), out=once.folder, settings=small(model))
    assert files(once.folder) == before


@pytest.mark.parametrize("method", ["full", "lora"])
def test_a_gguf_file_can_be_fine_tuned(tmp_path, method):
    path = write_gguf(tmp_path / "tiny.gguf")
    settings = small(path, method=method, epochs=1, held_out=0.25)
    result = finetune(make_tales(4), out=tmp_path / "out", settings=settings)
    if method == "full":
        assert "quantization_config" not in json.loads((result.folder / "config.json").read_text())
    plain, tuned = (barthes.load_model(str(each), dtype="float32") for each in (path, result.folder))
    assert tuned.fingerprint != plain.fingerprint


def test_all_stories_can_be_trained_on(base, tmp_path):
    result = finetune(make_tales(), out=tmp_path / "out", settings=small(base, held_out=0, epochs=1))
    assert result.record["perplexity"]["held_out"] is None
    assert result.record["held_out_losses"] == []
    assert result.record["steps"]["done"] == result.record["steps"]["planned"]
    assert any("No story was held out" in note for note in result.notes)
    assert result.after < result.before
    assert "held-out stories" not in (result.folder / "README.md").read_text(encoding="utf-8")


def test_validation_stories_can_be_given(base, tmp_path):
    """As stories beside sources; skipped files and the chosen precision are recorded."""
    *tales, first, second = make_noise()
    for tale in tales:
        (tmp_path / tale.name).write_text(tale.text, encoding="utf-8")
    (tmp_path / "broken.txt").write_bytes(b"\x00\x01\x02\x03")
    settings = replace(small(base, epochs=1), dtype="auto")
    result = barthes.finetune(
        [tmp_path],
        out=tmp_path / "out",
        settings=settings,
        validate=[first, second],
        command="barthes finetune --train .",
    )
    assert len(result.record["stories"]["train"]) == len(tales)
    assert [each["name"] for each in result.record["stories"]["held_out"]] == [first.name, second.name]
    assert result.record["settings"]["held_out"] is None
    assert any("broken.txt" in note for note in result.notes)
    assert result.record["notes"] == list(result.notes)
    card = (result.folder / "README.md").read_text(encoding="utf-8")
    assert "\nbarthes finetune --train .\n" in card
    assert "| held out |" not in card
    assert any(f"tokens were held out ({first.name}, {second.name}): their" in note for note in result.notes)


def test_a_finished_run_is_not_run_again(tuned, base):
    before = files(tuned.folder)
    again = finetune(make_tales(), out=tuned.folder, settings=small(base))
    assert again.was_finished
    assert again.after == tuned.after
    with pytest.raises(TrainingError, match="epochs 2 there and 3 here"):
        finetune(make_tales(), out=tuned.folder, settings=small(base, epochs=3))
    with pytest.raises(TrainingError, match="other stories to train on"):
        finetune(make_tales(9), out=tuned.folder, settings=small(base))
    assert files(tuned.folder) == before


def test_unusable_texts_models_and_folders_are_refused_before_anything_is_written(
    base, tmp_path, monkeypatch
):
    from filelock import FileLock

    monkeypatch.chdir(tmp_path)
    with pytest.raises(TrainingError, match=r"tokens; two blocks of 128"):
        finetune(make_tales(2), out="out", settings=small(base, block=1024))
    with pytest.raises(ModelError):
        finetune(make_tales(), out="out", settings=small("no/such/model"))
    with pytest.raises(TrainingError, match="no story to train on"):
        finetune([], out="out", settings=small(base))
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "thesis.doc").write_text("years of work")
    with pytest.raises(OutputError, match=r"thesis\.doc"):
        finetune(make_tales(), out=tmp_path, settings=small(base))
    assert files(tmp_path) == {"thesis.doc": b"years of work"}
    with FileLock(tmp_path / ".lock"), pytest.raises(OutputError, match="another fine-tuning"):
        finetune(make_tales(), out=tmp_path, settings=small(base))


@pytest.mark.parametrize(("method", "held_out"), [("full", 0.1), ("full", 0.0), ("lora", 0.1)])
def test_a_run_that_diverges_is_stopped(tmp_path, monkeypatch, method, held_out):
    """The warm-up starts at a rate of 0, so the first checkpoint is the base and can be loaded."""
    monkeypatch.chdir(tmp_path)
    write_base(tmp_path / "base")
    diverging = {"learning_rate": 1e38, "clip": 0.0, "warmup": 0.5, "evaluate_every": 1}
    settings = small("base", method=method, held_out=held_out, **diverging)
    with pytest.raises(TrainingError, match=r"a lower learning rate than 1e\+38") as raised:
        finetune(make_tales(), out="runs/out", settings=settings)
    kept = [
        path for path in Path("runs/out/checkpoints").glob("checkpoint-*") if (path / "complete").exists()
    ]
    assert any(f"is kept in {folder}" in str(raised.value) for folder in kept)
    for folder in kept:
        assert all(torch.isfinite(each).all() for each in load_base(str(folder)).network.parameters())


def wait_for(process, condition):
    until = time.monotonic() + 240
    while process.is_alive() and time.monotonic() < until and not condition():
        time.sleep(0.002)


def test_a_run_that_was_killed_twice_gives_the_same_result(tmp_path):
    """SIGKILL while a checkpoint is incomplete, and at a random moment; with dropout."""
    method = "lora"
    base = write_base(tmp_path / "base", "gpt2")
    settings = checkpointed(base, method)
    whole = finetune(make_tales(), out=tmp_path / "whole", settings=settings)
    cut, checkpoints = tmp_path / "cut", tmp_path / "cut" / "checkpoints"

    def complete():
        return {path.parent for path in checkpoints.glob("checkpoint-*/complete")}

    for moment in ("incomplete", "random"):
        before = complete()
        process = start(base, cut, method)
        wait_for(process, lambda before=before: complete() - before)
        if moment == "random":
            time.sleep(random.random() * 0.1)
        else:
            wait_for(process, lambda: set(checkpoints.glob("checkpoint-*")) - complete())
        process.kill()
        process.join()
        assert process.exitcode == -signal.SIGKILL
        assert complete() - before
    with pytest.raises(TrainingError, match=r"another, unfinished run: patience 100 there and 99 here"):
        finetune(make_tales(), out=cut, settings=replace(settings, patience=99))
    resumed = finetune(make_tales(), out=cut, settings=settings)
    assert files(resumed.folder) == files(whole.folder)


def test_a_full_disk_leaves_the_last_checkpoint(tmp_path):
    """After the first checkpoint no file can grow: the run ends, and resumes once there is room."""
    base = write_base(tmp_path / "base")
    process = start(base, tmp_path / "out", "full", full_disk=True)
    process.join(300)
    error = (tmp_path / "out.error").read_text(encoding="utf-8")
    assert "a checkpoint cannot be written" in error
    assert "resumes from step 1" in error
    checkpoints = tmp_path / "out" / "checkpoints"
    assert sorted(path.name for path in checkpoints.iterdir()) == ["checkpoint-1", "run.json"]
    result = finetune(make_tales(), out=tmp_path / "out", settings=checkpointed(base, "full"))
    assert result.after < result.before
