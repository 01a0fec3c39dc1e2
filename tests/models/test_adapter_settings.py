"""Settings of adapters: the harmless ones are read, all others refused by name."""

from __future__ import annotations

import json

import pytest

from barthes.errors import ModelError
from barthes.models.adapter_settings import choose_settings, read_settings

SOUND = {"peft_type": "LORA", "task_type": "CAUSAL_LM", "base_model_name_or_path": "gpt2", "r": 2}
MAPPING = {"base_model_class": "LlamaForCausalLM", "parent_library": "transformers.models.llama"}

CODE = "wants to run code of its own"
KIND = "cannot be merged: only LoRA can"
REFUSED = [
    ({"auto_map": {"AutoModel": "evil.Evil"}}, CODE),
    ({"trust_remote_code": True}, CODE),
    ({"megatron_config": {"hidden_size": 1}, "megatron_core": "evil"}, CODE),
    ({"auto_mapping": {"base_model_class": "Evil", "parent_library": "evil"}}, CODE),
    ({"auto_mapping": MAPPING | {"parent_library": "transformersevil.models"}}, CODE),
    *(({"peft_type": kind}, KIND) for kind in ("IA3", "PROMPT_TUNING", "XLORA", None, 3)),
    ({"task_type": "SEQ_CLS"}, "another task than predicting text: 'SEQ_CLS'"),
    *(
        (settings, f"its setting {next(iter(settings))} is")
        for settings in (
            {"alora_invocation_tokens": [3, 4]},
            {"layer_replication": [[0, 2], [1, 3]]},
            {"init_lora_weights": "pissa"},
            {"init_lora_weights": ["odd"]},
            {"corda_config": {"cache_file": "evil.pt"}},
            {"megatron_core": "evil"},
            {"qalora_group_size": 17},
            {"a_setting_of_tomorrow": 3},
            # These could exhaust a machine.
            {"r": "two"},
            {"r": 0},
            {"r": 4097},
            {"rank_pattern": {"(a+)+": 2}},
            {"target_modules": "(a+)+$"},
            {"target_modules": ["q_proj|(a+)+$"]},
            {"exclude_modules": ".*"},
            {"target_modules": 5},
            {"target_modules": [["q_proj"]]},
        )
    ),
    ({"rank_pattern": {"q_proj": 10**9}}, r"its setting r is \[2, 1000000000\]"),
]


def write(folder, settings):
    (folder / "adapter_config.json").write_text(json.dumps(settings))
    return folder


@pytest.mark.parametrize(("settings", "message"), REFUSED, ids=str)
def test_what_is_harmful_or_cannot_be_merged_is_refused(tmp_path, settings, message):
    with pytest.raises(ModelError, match=message) as caught:
        read_settings(write(tmp_path, SOUND | settings))
    assert caught.value.where == str(tmp_path)
    assert caught.value.remedy


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"auto_mapping": MAPPING, "task_type": None},
        {"r": 4096, "rank_pattern": {"q_proj": 4}, "target_modules": "all-linear", "lora_dropout": 0.1},
        {"megatron_core": "megatron.core", "qalora_group_size": 16, "init_lora_weights": "gaussian"},
        {"a_setting_of_tomorrow": None, "target_modules": ["q_proj", "v_proj"]},
    ],
    ids=str,
)
def test_settings_as_peft_writes_them_are_read(tmp_path, settings):
    assert read_settings(write(tmp_path, SOUND | settings)) == SOUND | settings


def test_only_what_decides_the_merge_is_given_to_peft():
    chosen = choose_settings(SOUND | {"lora_dropout": 0.5, "use_dora": True, "init_lora_weights": "eva"})
    merged = {"r": 2, "use_dora": True, "init_lora_weights": True}
    assert chosen == merged | {"task_type": "CAUSAL_LM", "inference_mode": True}


@pytest.mark.parametrize("content", ["", "{", "[1]", "null", '"LORA"', "\xff\xfe", "[" * 100_000])
def test_broken_settings(tmp_path, content):
    (tmp_path / "adapter_config.json").write_text(content, encoding="latin-1")
    with pytest.raises(ModelError, match=r"adapter_config\.json (cannot be read|holds no settings)"):
        read_settings(tmp_path)
