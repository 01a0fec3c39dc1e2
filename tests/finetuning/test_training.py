"""Runs from end to end on tiny models: they learn, they load, they survive, and they say what is wrong."""

from __future__ import annotations

import json
import math
import os
import random
import shutil
import signal
import time
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

import barthes
from barthes.errors import ModelError, OutputError, TrainingError
from barthes.finetuning.base_model import check_trainable, load_base
from barthes.finetuning.checkpoints import Checkpoints
from barthes.finetuning.measuring import measure_loss
from barthes.finetuning.reporting import show_nothing
from barthes.finetuning.saving import name_base
from barthes.finetuning.training import finetune
from tests.finetuning.tiny_runs import (
    Killed,
    disturb,
    kill,
    long,
    small,
    start,
    talk_nonsense,
    tell_tales,
    write_base,
)
from tests.tiny_gguf import write_gguf
from tests.tiny_models import tiny_network


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return write_base(tmp_path_factory.mktemp("base") / "llama")


@pytest.fixture(scope="module")
def tuned(base, tmp_path_factory):
    """The outcome of one full fine-tuning."""
    return finetune(tell_tales(), out=tmp_path_factory.mktemp("tuned") / "out", settings=small(base))


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def remeasure(folder, outcome):
    """The held-out perplexity of what a folder loads as, on the run's own blocks."""
    settings = small(folder)
    held_out = {story["name"] for story in outcome.record["stories"]["held_out"]}
    loaded = load_base(str(folder))
    blocks = loaded.pack([tale for tale in tell_tales() if tale.name in held_out], settings)
    return measure_loss(loaded.network, blocks).perplexity


def test_full_fine_tuning_learns_and_loads(tuned):
    assert tuned.after < tuned.before / 2
    assert set(files(tuned.folder)) >= {"README.md", "barthes.json", "config.json", "model.safetensors"}
    assert not (tuned.folder / "checkpoints").exists()
    model = barthes.load_model(str(tuned.folder), dtype="float32")
    assert model.network.config.use_cache
    assert remeasure(tuned.folder, tuned) == pytest.approx(tuned.after, rel=1e-5)


def test_the_record_tells_all(tuned, base):
    record = json.loads((tuned.folder / "barthes.json").read_text(encoding="utf-8"))
    assert record["settings"]["seed"] == 0
    assert record["base"]["name"] == str(base)
    assert len(record["base"]["sha256"]) == 64
    assert len(record["stories"]["train"]) + len(record["stories"]["held_out"]) == len(tell_tales())
    assert [step for step, _ in record["losses"]] == list(range(1, record["steps"]["done"] + 1))
    best = min(record["held_out_losses"], key=lambda pair: pair[1])
    assert record["steps"]["best"] == best[0]
    assert math.exp(best[1]) == pytest.approx(record["perplexity"]["held_out"]["after"]["perplexity"])
    assert {"torch", "transformers", "peft"} <= set(record["versions"])
    for part in ("held_out", "train"):
        pair = record["perplexity"][part]
        assert pair["after"]["perplexity"] < pair["before"]["perplexity"]


def test_the_same_run_again_gives_the_same_weights(tuned, base, tmp_path):
    again = finetune(tell_tales(), out=tmp_path / "again", settings=small(base))
    assert files(again.folder)["model.safetensors"] == files(tuned.folder)["model.safetensors"]
    other = finetune(tell_tales(), out=tmp_path / "other", settings=small(base, seed=1))
    assert files(other.folder)["model.safetensors"] != files(tuned.folder)["model.safetensors"]


@pytest.mark.parametrize(("architecture", "dtype"), [("llama", "float32"), ("gpt2", "bfloat16")])
def test_adapters_learn_and_load(tmp_path, monkeypatch, architecture, dtype):
    monkeypatch.chdir(tmp_path)
    write_base(tmp_path / "base", architecture)
    settings = small("base", method="lora", adapter_dtype=dtype)
    outcome = finetune(tell_tales(), out="runs/tuned", settings=settings)
    assert outcome.after < outcome.before / 2
    assert set(files(outcome.folder)) >= {"adapter_model.safetensors", "adapter_config.json", "README.md"}
    described = json.loads((outcome.folder / "adapter_config.json").read_text(encoding="utf-8"))
    assert described["base_model_name_or_path"] == "../../base"  # as seen from the adapter
    assert described["target_modules"] == sorted(described["target_modules"])
    assert remeasure(outcome.folder, outcome) == pytest.approx(outcome.after, rel=1e-4)
    barthes.load_model("runs/tuned", dtype="float32")
    shutil.rmtree("base")
    write_base(tmp_path / "base", architecture, seed=7)
    with pytest.raises(ModelError, match="other weights than when the adapter was trained"):
        barthes.load_model("runs/tuned", dtype="float32")


def test_the_weights_of_a_merged_base_are_not_written_down(base, tmp_path):
    """They may differ in the last digits on another machine, where the adapter must load too."""
    once = finetune(tell_tales(4), out=tmp_path / "once", settings=small(base, method="lora", epochs=1))
    assert len(once.record["base"]["sample"]) == 64
    twice = finetune(
        tell_tales(4), out=tmp_path / "twice", settings=small(tmp_path / "once", method="lora", epochs=1)
    )
    assert twice.record["base"]["sample"] is None
    barthes.load_model(str(twice.folder), dtype="float32")


def test_a_gguf_file_can_be_fine_tuned_and_is_saved_as_a_plain_model(tmp_path):
    path = write_gguf(tmp_path / "tiny.gguf")
    outcome = finetune(tell_tales(4), out=tmp_path / "out", settings=small(path, epochs=1, held_out=0.25))
    assert "quantization_config" not in json.loads((outcome.folder / "config.json").read_text())
    assert barthes.load_model(str(outcome.folder)).fingerprint != barthes.load_model(str(path)).fingerprint


def test_an_adapter_of_a_gguf_file_knows_its_base_again(tmp_path):
    path = write_gguf(tmp_path / "tiny.gguf")
    outcome = finetune(
        tell_tales(4), out=tmp_path / "out", settings=small(path, method="lora", epochs=1, held_out=0.25)
    )
    assert len(outcome.record["base"]["sample"]) == 64
    plain, adapted = (barthes.load_model(str(each), dtype="float32") for each in (path, outcome.folder))
    assert adapted.fingerprint != plain.fingerprint


def test_stories_are_cut_where_the_context_of_the_model_ends(tmp_path):
    folder = tmp_path / "short"
    network = tiny_network(context=32)
    network.save_pretrained(folder)
    write_base(tmp_path / "other")
    for path in (tmp_path / "other").glob("tokenizer*"):
        path.rename(folder / path.name)
    outcome = finetune(tell_tales(), out=tmp_path / "out", settings=small(folder, block=1024, epochs=1))
    assert outcome.record["settings"]["block"] == 32


def test_all_stories_can_be_trained_on(base, tmp_path):
    outcome = finetune(tell_tales(), out=tmp_path / "out", settings=small(base, held_out=0, epochs=1))
    assert outcome.record["perplexity"]["held_out"] is None
    assert outcome.record["held_out_losses"] == []
    assert outcome.record["steps"]["done"] == outcome.record["steps"]["planned"]
    assert any("No story was held out" in note for note in outcome.notes)
    assert outcome.after < outcome.before
    assert "stories held out" not in (outcome.folder / "README.md").read_text(encoding="utf-8")


def test_other_stories_can_be_measured_on(base, tmp_path):
    *tales, first, second = talk_nonsense()
    others = [first, second]
    outcome = finetune(tales, out=tmp_path / "o", settings=small(base, epochs=1), validate=others)
    assert len(outcome.record["stories"]["train"]) == len(tales)
    assert [each["name"] for each in outcome.record["stories"]["held_out"]] == [each.name for each in others]


def test_training_stops_when_patience_is_out(base, tmp_path):
    """A high rate on noise: the held-out perplexity soon rises, and the best weights are the result."""
    settings = small(base, epochs=30, patience=2, evaluate_every=2, learning_rate=3e-2)
    outcome = finetune(talk_nonsense(), out=tmp_path / "out", settings=settings)
    steps, losses = outcome.record["steps"], dict(outcome.record["held_out_losses"])
    assert steps["done"] < steps["planned"]
    assert losses[steps["best"]] == min(losses.values())
    assert steps["done"] == steps["best"] + 4
    assert any("Stopped early" in note for note in outcome.notes)


def test_a_finished_run_is_not_run_again(tuned, base):
    before = files(tuned.folder)
    again = finetune(tell_tales(), out=tuned.folder, settings=small(base))
    assert again.was_finished
    assert again.after == tuned.after
    with pytest.raises(TrainingError, match=r"epochs 2 there and 3 here.*--restart"):
        finetune(tell_tales(), out=tuned.folder, settings=small(base, epochs=3))
    with pytest.raises(TrainingError, match="other stories to train on"):
        finetune(tell_tales(9), out=tuned.folder, settings=small(base))
    assert files(tuned.folder) == before


def test_a_folder_with_other_things_is_left_alone(base, tmp_path):
    (tmp_path / "thesis.doc").write_text("years of work")
    with pytest.raises(OutputError, match=r"thesis\.doc"):
        finetune(tell_tales(), out=tmp_path, settings=small(base), restart=True)
    assert files(tmp_path) == {"thesis.doc": b"years of work"}


def test_too_little_text(base, tmp_path):
    with pytest.raises(TrainingError, match=r"tokens; two blocks of 128"):
        finetune(tell_tales(2), out=tmp_path / "out", settings=small(base, block=1024))
    assert not (tmp_path / "out").exists()


def test_weights_that_are_not_numbers_to_be_trained(base):
    network = tiny_network()
    network.model.layers[0].mlp.up_proj.weight = torch.nn.Parameter(
        torch.zeros(48, 32, dtype=torch.int8), requires_grad=False
    )
    with pytest.raises(ModelError, match=r"up_proj\.weight is torch\.int8"):
        check_trainable(network, "packed")
    with pytest.raises(ModelError):
        finetune(tell_tales(), out="nowhere", settings=small("no/such/model"))


@pytest.mark.parametrize("held_out", [0.1, 0.0])
def test_a_loss_that_is_no_number_stops_the_run(base, tmp_path, held_out):
    """Warm-up starts at a rate of 0, so that the first checkpoint is the base, and what follows is astray."""
    settings = small(base, held_out=held_out, learning_rate=1e38, clip=0.0, warmup=0.5, evaluate_every=1)
    with pytest.raises(TrainingError, match=r"--learning-rate than 1e\+38") as raised:
        finetune(tell_tales(), out=tmp_path / "out", settings=settings)
    kept = list((tmp_path / "out" / "checkpoints").glob("checkpoint-*"))
    assert any(f"is kept in {folder}" in str(raised.value) for folder in kept)
    for folder in kept:
        assert all(torch.isfinite(each).all() for each in load_base(str(folder)).network.parameters())


@pytest.mark.parametrize("method", ["full", "lora"])
def test_blocks_of_a_step_count_by_their_tokens(base, tmp_path, method):
    """One step an epoch: the loss of the first is the mean over all tokens, whatever block they are in."""
    settings = small(base, method=method, accumulate=50, epochs=1)
    outcome = finetune(tell_tales(), out=tmp_path / "out", settings=settings)
    before = outcome.record["perplexity"]["train"]["before"]
    assert before["tokens"] == outcome.record["tokens"]["train"]
    assert outcome.record["losses"] == [[1, pytest.approx(before["nats_per_token"], abs=1e-5)]]


def test_the_last_step_is_measured_too(base, tmp_path):
    """Steps that no interval divides: the weights of the lowest rate are among those to choose from."""
    settings = small(base, evaluate_every=1000, epochs=1)
    outcome = finetune(tell_tales(), out=tmp_path / "out", settings=settings)
    assert [step for step, _ in outcome.record["held_out_losses"]] == [outcome.record["steps"]["done"]]


def test_too_little_memory_is_said_at_any_moment(base, tmp_path):
    @contextmanager
    def report():
        with show_nothing() as reporter:
            reporter.measure = lambda *_: torch.empty(2**60)  # as the first measurement may want
            yield reporter

    with pytest.raises(TrainingError, match=r"too little memory.*--block"):
        finetune(tell_tales(), out=tmp_path / "out", settings=small(base), report=report)


def wait_for(process, seen):
    until = time.monotonic() + 240
    while process.is_alive() and time.monotonic() < until and not seen():
        time.sleep(0.005)


@pytest.mark.parametrize(("architecture", "method"), [("gpt2", "full"), ("gpt2", "lora")])
def test_a_killed_run_ends_as_if_it_had_not_been(tmp_path, architecture, method):
    """SIGKILL while a checkpoint is half written, and again at a random moment; with dropout."""
    base = write_base(tmp_path / "base", architecture)
    settings = long(base, method)
    whole = finetune(tell_tales(), out=tmp_path / "whole", settings=settings)
    cut, checkpoints = tmp_path / "cut", tmp_path / "cut" / "checkpoints"
    half_written = checkpoints / "unfinished"
    for moment in ("half written", "random"):
        process = start(base, cut, method)
        there = set(checkpoints.glob("checkpoint-*"))
        wait_for(process, lambda there=there: set(checkpoints.glob("checkpoint-*")) - there)
        if moment == "random":
            time.sleep(random.random() * 0.2)
        else:
            wait_for(process, half_written.exists)
        process.kill()
        process.join()
        assert process.exitcode == -signal.SIGKILL
        assert list(checkpoints.glob("checkpoint-*"))
    with pytest.raises(TrainingError, match=r"was begun here that is not this one: patience 100 there"):
        finetune(tell_tales(), out=cut, settings=replace(settings, patience=99))
    resumed = finetune(tell_tales(), out=cut, settings=settings)
    assert files(resumed.folder) == files(whole.folder)


def test_a_full_disk_leaves_the_last_checkpoint(tmp_path):
    """Files may not grow any more after the first checkpoint; the run ends, and then goes on from it."""
    base = write_base(tmp_path / "base")
    process = start(base, tmp_path / "out", "full", full_disk=True)
    process.join(300)
    said = (tmp_path / "out.error").read_text(encoding="utf-8")
    assert "the checkpoint at step 2 cannot be written" in said
    assert "goes on from step 1" in said
    checkpoints = tmp_path / "out" / "checkpoints"
    assert sorted(path.name for path in checkpoints.iterdir()) == ["checkpoint-1", "run.json"]
    outcome = finetune(tell_tales(), out=tmp_path / "out", settings=long(base, "full"))
    assert outcome.after < outcome.before


def test_a_run_can_be_started_anew(base, tmp_path):
    out = tmp_path / "out"
    settings = small(base, learning_rate=1e30, clip=0.0, warmup=0.0)
    with pytest.raises(TrainingError):
        finetune(tell_tales(), out=out, settings=settings)
    outcome = finetune(tell_tales(), out=out, settings=small(base, method="lora", epochs=1), restart=True)
    assert "adapter_config.json" in files(outcome.folder)
    outcome = finetune(tell_tales(), out=out, settings=small(base, epochs=1), restart=True)
    assert "adapter_config.json" not in files(outcome.folder)
    assert "config.json" in files(outcome.folder)


def test_a_result_is_not_called_like_its_base_on_the_hub(tmp_path, monkeypatch):
    """transformers would take the folder for the model ever after."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TrainingError, match=r"the base model \(gpt2\).* has its name"):
        finetune(tell_tales(), out="gpt2", settings=small("gpt2"))
    assert not (tmp_path / "gpt2").exists()


def test_a_few_held_out_words_are_not_taken_for_much(base, tmp_path):
    few = finetune(tell_tales(4), out=tmp_path / "few", settings=small(base, epochs=1))
    [name] = [story["name"] for story in few.record["stories"]["held_out"]]
    assert any(f"tokens were held out ({name}): their perplexity" in note for note in few.notes)


def test_no_share_is_recorded_where_stories_to_measure_on_were_given(base, tmp_path):
    outcome = finetune(
        tell_tales(), out=tmp_path / "out", settings=small(base, epochs=1), validate=talk_nonsense(2)
    )
    assert outcome.record["settings"]["held_out"] is None
    assert "| held out |" not in (outcome.folder / "README.md").read_text(encoding="utf-8")


def test_rows_side_by_side_give_the_same_adapter_every_time(base, tmp_path, two_threads):
    settings = small(base, method="lora", accumulate=4, evaluate_every=3)
    whole = finetune(tell_tales(), out=tmp_path / "whole", settings=settings)
    cut = disturb("evaluate", kill, when=lambda pace: pace.step == 3)
    with pytest.raises(Killed):
        finetune(tell_tales(), out=tmp_path / "cut", settings=settings, report=cut)
    resumed = finetune(tell_tales(), out=tmp_path / "cut", settings=settings)
    assert files(resumed.folder) == files(whole.folder)
    torch.set_num_threads(1)
    single = finetune(tell_tales(), out=tmp_path / "single", settings=settings)
    assert single.record["steps"] == whole.record["steps"]
    found, expected = (load_file(each.folder / "adapter_model.safetensors") for each in (whole, single))
    for name, tensor in expected.items():
        assert torch.allclose(found[name], tensor, atol=1e-4)


def test_the_base_is_never_overwritten_or_deleted(base, tmp_path):
    """Not even with --restart, and not through an adapter that stands on it."""
    first = finetune(tell_tales(), out=tmp_path / "first", settings=small(base, epochs=1))
    before = files(first.folder)
    second = finetune(
        tell_tales(), out=tmp_path / "second", settings=small(first.folder, method="lora", epochs=1)
    )
    for model in (first.folder, second.folder):
        with pytest.raises(TrainingError, match=r"the base model .* is in this folder"):
            finetune(tell_tales(), out=first.folder, settings=small(model, epochs=1), restart=True)
    assert files(first.folder) == before


def test_the_last_good_state_of_adapters_can_be_loaded(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_base(tmp_path / "base", "llama")
    astray = {"learning_rate": 1e38, "clip": 0.0, "warmup": 0.5, "evaluate_every": 1}
    with pytest.raises(TrainingError, match="with --restart, which deletes that state too"):
        finetune(tell_tales(), out="runs/out", settings=small("base", method="lora", **astray))
    [kept, *_] = Path("runs/out/checkpoints").glob("checkpoint-*")
    assert load_base(str(kept)).network is not None


def test_a_base_is_named_from_the_real_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in ("base", "disk/far/away", "here"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "here" / "link").symlink_to(tmp_path / "disk" / "far" / "away")
    named = name_base("base", Path("here/link/tuned"))
    assert Path(os.path.realpath("here/link"), "tuned", named).resolve() == tmp_path / "base"


def test_two_runs_do_not_share_a_folder(base, tmp_path):
    from filelock import FileLock

    with FileLock(tmp_path / ".lock"), pytest.raises(OutputError, match="another fine-tuning"):
        finetune(tell_tales(), out=tmp_path, settings=small(base))


def test_sources_can_be_given_instead_of_stories(base, tmp_path):
    for tale in talk_nonsense():
        (tmp_path / tale.name).write_text(tale.text, encoding="utf-8")
    (tmp_path / "cover.png").write_bytes(b"\x89PNG")
    outcome = barthes.finetune([tmp_path], out=tmp_path / "out", settings=small(base, epochs=1))
    assert len(outcome.record["stories"]["train"]) == 9
    assert any("cover.png" in note for note in outcome.notes)
    assert any("cover.png" in note for note in outcome.record["notes"])


def test_an_adapter_whose_base_is_gone_is_not_deleted_either(tmp_path):
    base = write_base(tmp_path / "base")
    adapter = finetune(tell_tales(), out=tmp_path / "adapter", settings=small(base, method="lora", epochs=1))
    before = files(adapter.folder)
    shutil.rmtree(base)
    with pytest.raises(TrainingError, match=r"the base model .* is in this folder"):
        finetune(tell_tales(), out=adapter.folder, settings=small(adapter.folder), restart=True)
    assert files(adapter.folder) == before


def test_a_folder_may_have_the_name_of_an_embedded_model(base, tmp_path, monkeypatch):
    """Which is no path, and is looked for elsewhere."""
    monkeypatch.chdir(tmp_path)
    finetune(tell_tales(), out="folktale", settings=small(base, epochs=1))
    with pytest.raises(TrainingError, match="another base model"):  # and not: is in this folder
        finetune(tell_tales(), out="folktale", settings=small("folktale", epochs=1))


def test_the_command_on_the_card_names_the_precision_that_was_chosen(base, tmp_path):
    settings = replace(small(base, epochs=1), dtype="auto")
    outcome = finetune(tell_tales(), out=tmp_path / "out", settings=settings, command="barthes finetune")
    precision = outcome.record["precision"]
    assert outcome.record["command"] == f"barthes finetune --dtype {precision}"
    card = (outcome.folder / "README.md").read_text(encoding="utf-8")
    assert f"\nbarthes finetune --dtype {precision}\n" in card


def test_torch_errors_about_other_things_are_not_taken_for_a_full_disk(tmp_path):
    checkpoints = Checkpoints(tmp_path)
    with pytest.raises(RuntimeError, match="share memory"), checkpoints.write(1):
        raise RuntimeError("some tensors share memory")
    with pytest.raises(OutputError, match="Make room"), checkpoints.write(1):
        raise RuntimeError("PytorchStreamWriter failed writing file data/0: file write failed")
