from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

from barthes.errors import ModelError, UnknownModelError, UnknownNameError
from barthes.models.language_model import Edit
from barthes.models.loading import load_model
from tests.tiny_models import tiny_model, tiny_network, tiny_tokenizer


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("tiny")
    tiny_network("gpt2").save_pretrained(path)
    tiny_tokenizer().save_pretrained(path)
    return path


def test_a_folder_is_loaded_as_it_was(folder):
    model = load_model(str(folder), device="cpu", dtype="float32")
    tokens = [0, 4, 5, 6]
    expected = tiny_model("gpt2").read(tokens).log_probabilities
    np.testing.assert_allclose(model.read(tokens).log_probabilities, expected, atol=1e-6)
    assert model.context_length == 128
    assert str(model.products) == "torch.float32"


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_precision_can_be_chosen(folder, dtype):
    model = load_model(str(folder), device="cpu", dtype=dtype)
    assert str(model.products) == f"torch.{dtype}"
    assert model.shares_prefix
    exact = load_model(str(folder), device="cpu", dtype="float32")
    tokens, edits = [0, 4, 5, 6, 7, 8], [Edit(1, 3), Edit(2, 4, (9,))]
    reading, expected = model.read(tokens), exact.read(tokens)
    np.testing.assert_allclose(reading.log_probabilities, expected.log_probabilities, atol=0.1)
    for found, wanted in zip(reading.rescore(edits), expected.rescore(edits), strict=True):
        np.testing.assert_allclose(found, wanted, atol=0.1)
        assert not np.array_equal(found, wanted)
    assert model.fingerprint != exact.fingerprint


def test_wrong_names_are_explained(folder):
    with pytest.raises(UnknownNameError, match="Did you mean 'bfloat16'"):
        load_model(str(folder), dtype="bflaot16")
    with pytest.raises(ModelError, match="device 'cuba' cannot be used"):
        load_model(str(folder), device="cuba")


def test_a_path_at_nobodys_home_is_named():
    with pytest.raises(UnknownModelError, match="~nobody-here/model: there is no such folder or file"):
        load_model("~nobody-here/model")


def test_a_name_that_cannot_be_had_offline(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(UnknownModelError, match=r"no-such-model.*cannot be had from the Hugging Face hub"):
        load_model("barthes/no-such-model")
    with pytest.raises(UnknownModelError, match=r"Did you mean 'smollm2-135m'\?"):
        load_model("HuggingFaceTB/SmolLM2-135M")


@pytest.mark.parametrize("name", ["./nowhere", "~/nowhere", "nowhere.gguf"])
def test_a_path_that_is_not_there(name):
    with pytest.raises(UnknownModelError, match="no such folder or file"):
        load_model(name)


def test_a_file_that_is_not_a_model(tmp_path):
    path = tmp_path / "model.bin"
    path.write_bytes(b"\0" * 10)
    with pytest.raises(UnknownModelError, match="not a GGUF model"):
        load_model(str(path))
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF but not really")
    with pytest.raises(ModelError, match="cannot be loaded"):
        load_model(str(broken))


def test_an_empty_folder(tmp_path):
    with pytest.raises(ModelError, match=r"there is no language model in this folder .*config\.json"):
        load_model(str(tmp_path))


def test_an_unfinished_fine_tuning_says_so(tmp_path):
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / "checkpoints" / "run.json").write_text("{}")
    with pytest.raises(ModelError, match=r"is not finished.*[Tt]he same `barthes finetune` command"):
        load_model(str(tmp_path))
    for step in (9, 12):
        (tmp_path / "checkpoints" / f"checkpoint-{step}").mkdir()
    with pytest.raises(ModelError, match=r"Its last state so far can be used too: .*checkpoint-12\."):
        load_model(str(tmp_path))


def test_a_folder_called_like_a_model_of_the_hub(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gpt2").mkdir()
    with pytest.raises(ModelError, match="If you mean gpt2 of the hub, call the folder something else"):
        load_model("gpt2")


def test_code_that_comes_with_a_model_is_not_run(tmp_path):
    tiny_tokenizer().save_pretrained(tmp_path)
    (tmp_path / "config.json").write_text(
        json.dumps({"model_type": "evil", "auto_map": {"AutoConfig": "evil.EvilConfig"}})
    )
    (tmp_path / "evil.py").write_text("raise SystemExit('the code of the model was run')")
    with pytest.raises(ModelError, match="wants to run code of its own"):
        load_model(str(tmp_path))


def test_a_hub_name_works_from_the_hubs_own_cache(folder, tmp_path):
    """A model that was downloaded once, by whatever tool, loads by its name without a network."""
    revision = "0" * 40
    home = tmp_path / "models--barthes--tiny"
    (home / "refs").mkdir(parents=True)
    (home / "refs" / "main").write_text(revision)
    shutil.copytree(folder, home / "snapshots" / revision)
    script = (
        "import barthes; model = barthes.load_model('barthes/tiny'); print(model.name, model.shares_prefix)"
    )
    environment = os.environ | {"HF_HUB_CACHE": str(tmp_path), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["barthes/tiny", "True"]


def test_a_file_that_lacks_weights_is_refused(folder, tmp_path):
    from safetensors.torch import load_file, save_file

    shutil.copytree(folder, tmp_path / "model")
    path = tmp_path / "model" / "model.safetensors"
    weights = load_file(path)
    del weights["transformer.h.1.mlp.c_fc.weight"]
    save_file(weights, path, metadata={"format": "pt"})
    with pytest.raises(ModelError, match=r"lacks weights.*h\.1\.mlp\.c_fc"):
        load_model(str(tmp_path / "model"))
