"""Runs from end to end on tiny models: they learn, they load, they survive, and they say what is wrong."""

from __future__ import annotations

import json
import math
import random
import shutil
import signal
import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
import torch

import barthes
from barthes.errors import ModelError, OutputError, TrainingError
from barthes.finetuning.base_model import load_base
from barthes.finetuning.token_blocks import measure_loss
from barthes.finetuning.training import finetune, refuse_base_folder
from barthes.progress import Reporter
from tests.finetuning.tiny_runs import files, long, small, start, talk_nonsense, tell_tales, write_base
from tests.tiny_gguf import write_gguf
from tests.tiny_models import tiny_network


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return write_base(tmp_path_factory.mktemp("base") / "llama")


@pytest.fixture(scope="module")
def tuned(base, tmp_path_factory):
    """The result of one full fine-tuning."""
    return finetune(tell_tales(), out=tmp_path_factory.mktemp("tuned") / "out", settings=small(base))


def remeasure(folder, result):
    """The held-out perplexity of what a folder loads as, on the run's own blocks."""
    held_out = {story["name"] for story in result.record["stories"]["held_out"]}
    loaded = load_base(str(folder))
    blocks = loaded.pack([tale for tale in tell_tales() if tale.name in held_out], small(folder))
    return measure_loss(loaded.network, blocks).perplexity


def test_full_fine_tuning_learns_and_loads(tuned):
    assert tuned.after < tuned.before / 2
    assert set(files(tuned.folder)) >= {"README.md", "barthes.json", "config.json", "model.safetensors"}
    assert not (tuned.folder / "checkpoints").exists()
    assert barthes.load_model(str(tuned.folder), dtype="float32").network.config.use_cache
    assert remeasure(tuned.folder, tuned) == pytest.approx(tuned.after, rel=1e-5)


def test_the_record_tells_all(tuned, base):
    record = json.loads((tuned.folder / "barthes.json").read_text(encoding="utf-8"))
    assert record["settings"]["seed"] == 0
    assert record["base"]["name"] == str(base)
    assert len(record["base"]["sha256"]) == len(record["base"]["sample"]) == 64
    assert len(record["stories"]["train"]) + len(record["stories"]["held_out"]) == len(tell_tales())
    assert [step for step, _ in record["losses"]] == list(range(1, record["steps"]["done"] + 1))
    best = min(record["held_out_losses"], key=lambda pair: pair[1])
    assert record["steps"]["best"] == best[0]
    assert math.exp(best[1]) == pytest.approx(record["perplexity"]["held_out"]["after"]["perplexity"])
    assert {"torch", "transformers", "peft"} <= set(record["versions"])
    for part in ("held_out", "train"):
        pair = record["perplexity"][part]
        assert pair["after"]["perplexity"] < pair["before"]["perplexity"]


def test_another_seed_gives_other_weights(tuned, base, tmp_path):
    other = finetune(tell_tales(), out=tmp_path / "other", settings=small(base, seed=1))
    assert files(other.folder)["model.safetensors"] != files(tuned.folder)["model.safetensors"]


@pytest.mark.parametrize(("architecture", "dtype"), [("llama", "float32"), ("gpt2", "bfloat16")])
def test_adapters_learn_and_load(tmp_path, monkeypatch, architecture, dtype):
    monkeypatch.chdir(tmp_path)
    write_base(tmp_path / "base", architecture)
    settings = small("base", method="lora", adapter_dtype=dtype)
    result = finetune(tell_tales(), out="runs/tuned", settings=settings)
    assert result.after < result.before / 2
    assert set(files(result.folder)) >= {"adapter_model.safetensors", "adapter_config.json", "README.md"}
    described = json.loads((result.folder / "adapter_config.json").read_text(encoding="utf-8"))
    assert described["base_model_name_or_path"] == "../../base"  # as seen from the adapter
    assert described["target_modules"] == sorted(described["target_modules"])
    assert remeasure(result.folder, result) == pytest.approx(result.after, rel=1e-4)
    barthes.load_model("runs/tuned", dtype="float32")
    shutil.rmtree("base")
    write_base(tmp_path / "base", architecture, seed=7)
    with pytest.raises(ModelError, match="other weights than when the adapter was trained"):
        barthes.load_model("runs/tuned", dtype="float32")


def test_an_adapter_is_a_base_too(base, tmp_path):
    """Merged weights may differ in the last digits on another machine, so no sample of them is kept."""
    once = finetune(tell_tales(4), out=tmp_path / "once", settings=small(base, method="lora", epochs=1))
    before = files(once.folder)
    again = small(once.folder, method="lora", epochs=1)
    twice = finetune(tell_tales(4), out=tmp_path / "twice", settings=again)
    assert twice.record["base"]["sample"] is None
    barthes.load_model(str(twice.folder), dtype="float32")
    for model in (once.folder, twice.folder):
        with pytest.raises(TrainingError, match=r"the base model .* is in this folder"):
            finetune(tell_tales(4), out=once.folder, settings=small(model), restart=True)
    assert files(once.folder) == before


@pytest.mark.parametrize("method", ["full", "lora"])
def test_a_gguf_file_can_be_fine_tuned(tmp_path, method):
    path = write_gguf(tmp_path / "tiny.gguf")
    settings = small(path, method=method, epochs=1, held_out=0.25)
    result = finetune(tell_tales(4), out=tmp_path / "out", settings=settings)
    if method == "full":
        assert "quantization_config" not in json.loads((result.folder / "config.json").read_text())
    plain, tuned = (barthes.load_model(str(each), dtype="float32") for each in (path, result.folder))
    assert tuned.fingerprint != plain.fingerprint


def test_stories_are_cut_where_the_context_of_the_model_ends(base, tmp_path):
    folder = tmp_path / "short"
    tiny_network(context=32).save_pretrained(folder)
    for path in base.glob("tokenizer*"):
        shutil.copy(path, folder)
    result = finetune(tell_tales(), out=tmp_path / "out", settings=small(folder, block=1024, epochs=1))
    assert result.record["settings"]["block"] == 32


def test_all_stories_can_be_trained_on(base, tmp_path):
    result = finetune(tell_tales(), out=tmp_path / "out", settings=small(base, held_out=0, epochs=1))
    assert result.record["perplexity"]["held_out"] is None
    assert result.record["held_out_losses"] == []
    assert result.record["steps"]["done"] == result.record["steps"]["planned"]
    assert any("No story was held out" in note for note in result.notes)
    assert result.after < result.before
    assert "stories held out" not in (result.folder / "README.md").read_text(encoding="utf-8")


def test_other_stories_can_be_measured_on(base, tmp_path):
    """Stories and sources, with an account of what was skipped, and the precision that was chosen."""
    *tales, first, second = talk_nonsense()
    for tale in tales:
        (tmp_path / tale.name).write_text(tale.text, encoding="utf-8")
    (tmp_path / "cover.png").write_bytes(b"\x89PNG")
    settings = replace(small(base, epochs=1), dtype="auto")
    result = barthes.finetune(
        [tmp_path],
        out=tmp_path / "out",
        settings=settings,
        validate=[first, second],
        command="barthes finetune",
    )
    assert len(result.record["stories"]["train"]) == len(tales)
    assert [each["name"] for each in result.record["stories"]["held_out"]] == [first.name, second.name]
    assert result.record["settings"]["held_out"] is None
    assert any("cover.png" in note for note in result.notes)
    assert result.record["notes"] == list(result.notes)
    command = f"barthes finetune --dtype {result.record['precision']}"
    assert result.record["command"] == command
    card = (result.folder / "README.md").read_text(encoding="utf-8")
    assert f"\n{command}\n" in card
    assert "| held out |" not in card
    assert any(f"tokens were held out ({first.name}, {second.name}): their" in note for note in result.notes)


def test_a_finished_run_is_not_run_again(tuned, base):
    before = files(tuned.folder)
    again = finetune(tell_tales(), out=tuned.folder, settings=small(base))
    assert again.was_finished
    assert again.after == tuned.after
    with pytest.raises(TrainingError, match=r"epochs 2 there and 3 here.*restart"):
        finetune(tell_tales(), out=tuned.folder, settings=small(base, epochs=3))
    with pytest.raises(TrainingError, match="other stories to train on"):
        finetune(tell_tales(9), out=tuned.folder, settings=small(base))
    assert files(tuned.folder) == before


def test_what_cannot_be_trained_is_said_before_anything_is_written(base, tmp_path, monkeypatch):
    from filelock import FileLock

    monkeypatch.chdir(tmp_path)
    with pytest.raises(TrainingError, match=r"tokens; two blocks of 128"):
        finetune(tell_tales(2), out="out", settings=small(base, block=1024))
    with pytest.raises(ModelError):
        finetune(tell_tales(), out="out", settings=small("no/such/model"))
    with pytest.raises(TrainingError, match="no story to train on"):
        finetune([], out="out", settings=small(base))
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "thesis.doc").write_text("years of work")
    with pytest.raises(OutputError, match=r"thesis\.doc"):
        finetune(tell_tales(), out=tmp_path, settings=small(base), restart=True)
    assert files(tmp_path) == {"thesis.doc": b"years of work"}
    with FileLock(tmp_path / ".lock"), pytest.raises(OutputError, match="another fine-tuning"):
        finetune(tell_tales(), out=tmp_path, settings=small(base))


def test_the_folder_of_the_base_is_refused(tmp_path, monkeypatch):
    """Whatever is in it; but an embedded model is no folder, and may have the name of one."""
    monkeypatch.chdir(tmp_path)
    for model in ("gpt2", "./gpt2", str(tmp_path / "gpt2")):  # transformers would load gpt2 from there
        with pytest.raises(TrainingError, match=r"the base model .* has its name"):
            refuse_base_folder(Path("gpt2"), model)
    refuse_base_folder(Path("folktale"), "folktale")


@pytest.mark.parametrize(("method", "held_out"), [("full", 0.1), ("full", 0.0), ("lora", 0.1)])
def test_a_loss_that_is_no_number_stops_the_run(tmp_path, monkeypatch, method, held_out):
    """Warm-up starts at a rate of 0: the first checkpoint is the base, and can be loaded."""
    monkeypatch.chdir(tmp_path)
    write_base(tmp_path / "base")
    diverging = {"learning_rate": 1e38, "clip": 0.0, "warmup": 0.5, "evaluate_every": 1}
    settings = small("base", method=method, held_out=held_out, **diverging)
    with pytest.raises(TrainingError, match=r"a lower learning rate than 1e\+38") as raised:
        finetune(tell_tales(), out="runs/out", settings=settings)
    kept = [
        path for path in Path("runs/out/checkpoints").glob("checkpoint-*") if (path / "complete").exists()
    ]
    assert any(f"is kept in {folder}" in str(raised.value) for folder in kept)
    for folder in kept:
        assert all(torch.isfinite(each).all() for each in load_base(str(folder)).network.parameters())
    if held_out == 0:
        restarted = small("base", method="lora", epochs=1)
        result = finetune(tell_tales(), out="runs/out", settings=restarted, restart=True)
        assert "adapter_config.json" in files(result.folder)


def test_too_little_memory_is_said_at_any_moment(base, tmp_path):
    reporter = Reporter()
    reporter.update = lambda line: torch.empty(2**60)  # as the first measurement may want
    with pytest.raises(TrainingError, match=r"too little memory.*a smaller block"):
        finetune(
            tell_tales(), out=tmp_path / "out", settings=small(base), report=lambda: nullcontext(reporter)
        )


def wait_for(process, seen):
    until = time.monotonic() + 240
    while process.is_alive() and time.monotonic() < until and not seen():
        time.sleep(0.002)


@pytest.mark.parametrize(("method", "moment"), [("full", "half written"), ("lora", "random")])
def test_a_killed_run_ends_as_if_it_had_not_been(tmp_path, method, moment):
    """SIGKILL while a checkpoint is half written, or at a random moment; with dropout."""
    base = write_base(tmp_path / "base", "gpt2")
    settings = long(base, method)
    whole = finetune(tell_tales(), out=tmp_path / "whole", settings=settings)
    cut, checkpoints = tmp_path / "cut", tmp_path / "cut" / "checkpoints"

    def complete():
        return {path.parent for path in checkpoints.glob("checkpoint-*/complete")}

    process = start(base, cut, method)
    wait_for(process, complete)
    if moment == "random":
        time.sleep(random.random() * 0.2)
    else:
        wait_for(process, lambda: set(checkpoints.glob("checkpoint-*")) - complete())
    process.kill()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    assert complete()
    with pytest.raises(TrainingError, match=r"was begun here that is not this one: patience 100 there"):
        finetune(tell_tales(), out=cut, settings=replace(settings, patience=99))
    resumed = finetune(tell_tales(), out=cut, settings=settings)
    assert files(resumed.folder) == files(whole.folder)


def test_a_full_disk_leaves_the_last_checkpoint(tmp_path):
    """Files may not grow any more after the first checkpoint; the run ends, and is then resumed from it."""
    base = write_base(tmp_path / "base")
    process = start(base, tmp_path / "out", "full", full_disk=True)
    process.join(300)
    error = (tmp_path / "out.error").read_text(encoding="utf-8")
    assert "a checkpoint cannot be written" in error
    assert "is resumed from step 1" in error
    checkpoints = tmp_path / "out" / "checkpoints"
    assert sorted(path.name for path in checkpoints.iterdir()) == ["checkpoint-1", "run.json"]
    result = finetune(tell_tales(), out=tmp_path / "out", settings=long(base, "full"))
    assert result.after < result.before
