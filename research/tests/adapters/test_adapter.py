from __future__ import annotations

import json
import shutil

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import LlamaConfig, LlamaForCausalLM

from barthes.errors import ModelError, UnknownModelError
from barthes.models.causal import CausalModel
from barthes.models.embedded import ensure
from barthes.models.loading import load_model
from barthes.progress import show_nothing
from barthes_research.adapters.adapter import check_base, merge_adapter, read_adapter, sample_weights
from barthes_research.adapters.source import load_for_training
from research.tests.adapters.made_adapters import adapt, edit_settings, save_adapter
from tests.tiny_models import WORDS, save_base, tiny_model, tiny_tokenizer

TOKENS = [0, 4, 9, 6, 7, 12, 3, 5]


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return save_base(tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="module")
def trained(base, tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained")
    adapt(folder, str(base))
    return folder


@pytest.fixture
def adapter(trained, tmp_path):
    """A folder with a LoRA adapter for the base."""
    return shutil.copytree(trained, tmp_path / "adapter")


def change_weights(adapter, change):
    """Apply a function to the weights of an adapter, a dictionary of tensors."""
    path = adapter / "adapter_model.safetensors"
    save_file(change(load_file(path)), path)


def load(folder, dtype="float32"):
    return load_model(str(folder), device="cpu", dtype=dtype)


@torch.inference_mode()
def predict(adapted, tokens=TOKENS):
    """Return log P of each token by PEFT's forward pass, without merging the adapter."""
    logits = adapted(input_ids=torch.tensor([tokens])).logits[0, :-1].log_softmax(-1)
    return logits.gather(-1, torch.tensor(tokens)[1:, None])[:, 0].numpy()


@pytest.mark.parametrize(
    ("architecture", "settings"),
    [
        ("llama", {}),
        ("llama", {"use_rslora": True, "r": 4}),
        ("llama", {"use_dora": True}),
        ("llama", {"target_modules": ["q_proj", "v_proj"], "layers_to_transform": [1]}),
        ("llama", {"target_modules": "all-linear", "rank_pattern": {"q_proj": 5}}),
        ("llama", {"modules_to_save": ["norm"], "target_modules": ["up_proj"]}),
        ("llama", {"target_modules": ["embed_tokens", "q_proj"]}),
        ("llama", {"target_modules": ["q_proj"], "trainable_token_indices": {"embed_tokens": [4, 5]}}),
        ("llama", {"task_type": None}),
        ("llama", {"init_lora_weights": "gaussian", "lora_dropout": 0.5}),
        ("gpt2", {"fan_in_fan_out": True}),
        ("gpt2", {"bias": "all", "fan_in_fan_out": True}),
        ("gpt2", {"lora_bias": True, "target_modules": ["c_attn"], "fan_in_fan_out": True}),
        ("neox", {"target_modules": ["query_key_value"]}),
    ],
)
def test_a_merged_adapter_gives_the_predictions_of_peft(tmp_path, architecture, settings):
    save_base(tmp_path / "base", architecture)
    adapted = adapt(tmp_path / "adapter", "../base", architecture=architecture, **settings)
    model = load(tmp_path / "adapter")
    np.testing.assert_allclose(model.read(TOKENS).log_probabilities, predict(adapted), atol=1e-4)
    plain = tiny_model(architecture).read(TOKENS).log_probabilities
    assert np.abs(plain - predict(adapted)).max() > 0.01, "the adapter changes something"


def test_adapters_are_merged_before_products_are_rounded(base, adapter):
    model = load(adapter, "bfloat16")
    merged = merge_adapter(load_for_training(str(base))[1], read_adapter(adapter))
    exact = CausalModel(merged, tiny_tokenizer(), name="exact", products=torch.bfloat16)
    weights, expected = model.network.state_dict(), exact.network.state_dict()
    assert all(torch.equal(weights[name], expected[name]) for name in expected)
    assert weights["model.layers.0.self_attn.q_proj.weight"].dtype == torch.bfloat16
    assert model.precision == "bfloat16"


def test_adapters_and_bases_have_different_fingerprints(base, adapter, tmp_path):
    adapt(tmp_path / "other", str(base), seed=2)
    shutil.copytree(adapter, tmp_path / "copy")
    found = [load(folder).fingerprint for folder in (base, adapter, tmp_path / "other", tmp_path / "copy")]
    assert len(set(found)) == 3
    assert found[1] == found[3]
    change_weights(adapter, lambda weights: {name: torch.zeros_like(each) for name, each in weights.items()})
    assert load(adapter).fingerprint == found[0], "an adapter of zeros changes nothing"


def test_a_base_with_other_weights_than_in_training_is_refused(base, adapter, tmp_path):
    record = adapter / "barthes.json"
    record.write_text(json.dumps({"base": {"sample": sample_weights(load_for_training(str(base))[1])}}))
    fingerprint = load(adapter).fingerprint
    shutil.copytree(base, tmp_path / "base")
    edit_settings(adapter, base_model_name_or_path="../base")
    assert load(adapter).fingerprint == fingerprint, "the same weights in another place"
    save_base(tmp_path / "base", seed=9)
    with pytest.raises(ModelError, match=r"adapter: its base model .*base has other weights than when"):
        load(adapter)
    network = load_for_training(str(base))[1]
    for unknown in ("", "[]", '{"base": 3}', '{"base": {"sample": null}}', "[" * 100_000):
        record.write_text(unknown)
        check_base(network, read_adapter(adapter))
    record.unlink()
    assert load(adapter).fingerprint != fingerprint


def test_adapter_and_base_can_be_moved_together(base, tmp_path, monkeypatch):
    shutil.copytree(base, tmp_path / "one" / "base")
    adapted = adapt(tmp_path / "one" / "adapter", "../base")
    (tmp_path / "one").rename(tmp_path / "two")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    folder = tmp_path / "two" / "adapter"
    np.testing.assert_allclose(load(folder).read(TOKENS).log_probabilities, predict(adapted), atol=1e-4)
    edit_settings(folder, base_model_name_or_path="base")
    assert read_adapter(folder).base == "base", "not a path"
    (tmp_path / "two" / "base").rename(folder / "base")
    assert read_adapter(folder).base == str((folder / "base").resolve())


def test_an_adapter_on_an_adapter(base, adapter, tmp_path):
    """Both are merged, one after the other."""
    adapt(tmp_path / "second", "../adapter", seed=5)
    _, once = load_for_training(str(adapter))
    twice = merge_adapter(once, read_adapter(tmp_path / "second"))
    model = load(tmp_path / "second")
    expected = CausalModel(twice, tiny_tokenizer(), name="twice")
    assert model.fingerprint == expected.fingerprint
    assert model.fingerprint != load(adapter).fingerprint


def test_a_gguf_base_and_an_embedded_base(tiny, tiny_gguf, tiny_wheel, cache, tmp_path):
    """Both are the same model, so the adapter gives the same results."""
    ensure("tiny", wheel=tiny_wheel, progress=show_nothing)
    save_adapter(load_for_training("tiny")[1], tmp_path / "adapter", "tiny")
    embedded = load(tmp_path / "adapter")
    assert read_adapter(tmp_path / "adapter").base == "tiny"
    shutil.copy(tiny_gguf, tmp_path / "tiny.gguf")
    edit_settings(tmp_path / "adapter", base_model_name_or_path="../tiny.gguf")
    tokens = [0, 1, 2, 3]
    np.testing.assert_allclose(
        load(tmp_path / "adapter").read(tokens).log_probabilities,
        embedded.read(tokens).log_probabilities,
        atol=1e-5,
    )


# Invalid bases, settings and weights.


def rebase(name, make=lambda folder: None):
    """Return a damage: the settings name another base, which is created beside the adapter."""

    def damage(adapter):
        make(adapter.parent)
        edit_settings(adapter, base_model_name_or_path=name)

    return damage


def reshape(**size):
    """Return a damage: a base of another shape."""
    shape = {"hidden_size": 32, "num_hidden_layers": 3, "intermediate_size": 48} | size
    config = LlamaConfig(vocab_size=len(WORDS) + 2, num_attention_heads=4, num_key_value_heads=2, **shape)

    def save(folder):
        LlamaForCausalLM(config).save_pretrained(folder / "other")
        tiny_tokenizer().save_pretrained(folder / "other")

    return rebase("../other", save)


def reset(**settings):
    return lambda adapter: edit_settings(adapter, **settings)


def reweigh(change):
    return lambda adapter: change_weights(adapter, change)


def forget_weights(adapter):
    (adapter / "adapter_model.safetensors").unlink()


def pickle_weights(adapter):
    forget_weights(adapter)
    (adapter / "adapter_model.bin").write_bytes(b"\x80\x04cbuiltins\nexit\n")


def cut_weights(adapter):
    path = adapter / "adapter_model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])


NO_BASE = "its base model cannot be loaded.*"
MISFIT = "does not fit its base model "
FAULTS = {
    "no such folder": (rebase("../nowhere"), f"{NO_BASE}nowhere: there is no such folder"),
    "no such path": (rebase("/no/such/folder"), f"{NO_BASE}/no/such/folder: there is no such folder or file"),
    "nobody's home": (rebase("~nosuchuser/model"), f"{NO_BASE}there is no such folder or file"),
    "not on the hub": (rebase("barthes/no-such-model"), f"{NO_BASE}the Hugging Face hub cannot provide it"),
    "no model": (
        rebase("../empty", lambda folder: (folder / "empty").mkdir()),
        f"{NO_BASE}empty: there is no language model",
    ),
    "another kind": (rebase("../gpt2", lambda folder: save_base(folder / "gpt2", "gpt2")), f"{MISFIT}.*gpt2"),
    "wider": (reshape(hidden_size=64), f"{MISFIT}.*other"),
    "lower": (reshape(num_hidden_layers=2), f"{MISFIT}.*other"),
    "higher": (reshape(num_hidden_layers=4), f"{MISFIT}.*other"),
    **{
        f"base {name!r}": (rebase(name), "does not name the base model")
        for name in (None, "", "  ", 7, ["gpt2"])
    },
    "itself": (rebase("../adapter"), "is the base of its own base"),
    "each other": (
        rebase("../two", lambda folder: adapt(folder / "two", "../adapter")),
        f"{NO_BASE}is the base of its own base",
    ),
    "another rank": (reset(r=3), MISFIT),
    "no such layer": (reset(target_modules=["nothing"]), MISFIT),
    "no weights": (forget_weights, r"adapter_model\.safetensors is missing"),
    "a pickle": (pickle_weights, r"are a pickle .* Save it again as adapter_model\.safetensors"),
    "cut off": (cut_weights, MISFIT),
    "not numbers": (
        reweigh(lambda weights: {name: each * float("nan") for name, each in weights.items()}),
        "cannot be merged into its base model",
    ),
    "a layer is missing": (
        reweigh(lambda weights: {name: weights[name] for name in weights if "layers.1" not in name}),
        r"weights have no counterpart, such as .*layers\.1",
    ),
}


def test_code_that_an_adapter_names_is_not_run(adapter, monkeypatch):
    (adapter / "evil.py").write_text("raise SystemExit('the code of the adapter was run')")
    edit_settings(adapter, auto_mapping={"base_model_class": "Evil", "parent_library": "evil"})
    monkeypatch.syspath_prepend(adapter)
    load(adapter)


@pytest.mark.parametrize("fault", FAULTS)
def test_invalid_adapters_are_explained(adapter, monkeypatch, fault):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    damage, message = FAULTS[fault]
    damage(adapter)
    with pytest.raises(ModelError, match=message) as caught:
        load(adapter)
    assert caught.value.where == str(adapter)
    assert caught.value.remedy
    assert not isinstance(caught.value, UnknownModelError), "the adapter itself is there"


# Settings: the harmless ones are accepted, all others refused by name.

SOUND = {"peft_type": "LORA", "task_type": "CAUSAL_LM", "base_model_name_or_path": "gpt2", "r": 2}

KIND = "cannot be merged: its peft_type is .*, and only 'LORA' is supported"
REFUSED = [
    *(({"peft_type": kind}, KIND) for kind in ("IA3", "PROMPT_TUNING", "XLORA", None, 3)),
    ({"task_type": "SEQ_CLS"}, "made for another task: 'SEQ_CLS'"),
    *(
        ({name: value}, f"its setting {name} is")
        for name, value in (
            ("alora_invocation_tokens", [3, 4]),
            ("layer_replication", [[0, 2], [1, 3]]),
            *(("init_lora_weights", kind) for kind in ("pissa", ["odd"])),
            ("corda_config", {"cache_file": "evil.pt"}),
            ("auto_map", {"AutoModel": "evil.Evil"}),
            ("trust_remote_code", True),
            ("megatron_config", {"hidden_size": 1}),
            ("megatron_core", "evil"),
            ("qalora_group_size", 17),
            ("a_setting_of_tomorrow", 3),
            # These could exhaust a machine.
            *(("r", rank) for rank in ("two", 0, 4097)),
            ("rank_pattern", {"(a+)+": 2}),
            ("exclude_modules", ".*"),
            *(("target_modules", names) for names in ("(a+)+$", ["q_proj|(a+)+$"], 5, [["q_proj"]])),
        )
    ),
    ({"rank_pattern": {"q_proj": 10**9}}, r"its setting r is \[2, 1000000000\]"),
]


def read(folder, settings):
    (folder / "adapter_config.json").write_text(json.dumps(SOUND | settings))
    (folder / "adapter_model.safetensors").touch()
    return read_adapter(folder)


@pytest.mark.parametrize(("settings", "message"), REFUSED, ids=str)
def test_harmful_or_unsupported_settings_are_refused(tmp_path, settings, message):
    with pytest.raises(ModelError, match=message) as caught:
        read(tmp_path, settings)
    assert caught.value.where == str(tmp_path)
    assert caught.value.remedy


@pytest.mark.parametrize("content", ["", "{", "[1]", "null", '"LORA"', "\xff\xfe", "[" * 100_000])
def test_unreadable_settings_are_explained(tmp_path, content):
    (tmp_path / "adapter_config.json").write_text(content, encoding="latin-1")
    with pytest.raises(ModelError, match=r"adapter_config\.json (cannot be read|does not contain settings)"):
        read_adapter(tmp_path)


@pytest.mark.parametrize("column", [0, 1, 777, 4095])
def test_a_change_in_any_column_of_a_wide_matrix_changes_the_sample(column):
    network = torch.nn.Linear(4096, 512, bias=False)
    before = sample_weights(network)
    assert sample_weights(network) == before
    with torch.no_grad():
        network.weight[:, column] += 1
    assert sample_weights(network) != before
