"""Read and check the `adapter_config.json` of LoRA adapters.

Only settings that are known to be harmless are accepted. PEFT would import modules that some of the others
name, and some describe more than a change of weights.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from barthes.errors import ModelError

__all__ = ["ADAPTER_SETTINGS", "ADAPTER_WEIGHTS", "choose_settings", "read_settings"]

ADAPTER_SETTINGS = "adapter_config.json"
ADAPTER_WEIGHTS = "adapter_model.safetensors"

# The settings that decide what is merged.
_MERGED = frozenset(
    "alpha_pattern bias ensure_weight_tying exclude_modules fan_in_fan_out init_lora_weights layers_pattern"
    " layers_to_transform lora_alpha lora_bias modules_to_save r rank_pattern target_modules"
    " target_parameters trainable_token_indices use_dora use_rslora".split()
)
# Settings that describe the adapter, or matter in training only.
_IGNORED = frozenset(
    "auto_mapping base_model_name_or_path eva_config inference_mode lora_dropout peft_type peft_version"
    " revision runtime_config task_type".split()
)
# Defaults that PEFT writes for settings that are refused otherwise.
_DEFAULTS = {"megatron_core": "megatron.core", "qalora_group_size": 16}
# Initialisations that leave the base as it is; others subtract from it what is in no file of the adapter.
_INITIALISATIONS = (True, False, None, "gaussian", "orthogonal", "eva")
# PEFT takes strings, and the keys of these, for regular expressions, which can be made to run forever.
_PATTERNS = ("target_modules", "exclude_modules", "layers_pattern", "rank_pattern", "alpha_pattern")
_NAME = re.compile(r"[\w.-]+")
_LARGEST_RANK = 4096
_REMEDY = "Give a LoRA adapter as PEFT saves it, or merge it into its base yourself."


def read_settings(folder: Path) -> dict[str, Any]:
    """Return the settings of the LoRA adapter in a folder.

    Raises:
        ModelError: They cannot be read, are those of another kind of adapter or of a LoRA that cannot be
            merged, or ask for code to be run.
    """
    try:
        settings = json.loads((folder / ADAPTER_SETTINGS).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(
            f"{ADAPTER_SETTINGS} cannot be read ({error}).", where=folder, remedy=_REMEDY
        ) from error
    if not isinstance(settings, dict):
        raise ModelError(f"{ADAPTER_SETTINGS} holds no settings.", where=folder, remedy=_REMEDY)
    _refuse_code(settings, folder)
    _require_lora(settings, folder)
    _require_mergeable(settings, folder)
    return settings


def choose_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings for PEFT's `LoraConfig`: those that decide what is merged."""
    chosen = {name: value for name, value in settings.items() if name in _MERGED}
    # All weights come from the file, so the cheapest initialisation will do.
    return chosen | {"init_lora_weights": True, "task_type": "CAUSAL_LM", "inference_mode": True}


def _refuse_code(settings: Mapping[str, Any], folder: Path) -> None:
    mapping = settings.get("auto_mapping")
    library = str(mapping.get("parent_library") or "") if isinstance(mapping, dict) else ""
    foreign = library.partition(".")[0] not in ("", "transformers")
    if foreign or any(settings.get(name) for name in ("auto_map", "trust_remote_code", "megatron_config")):
        raise ModelError(
            "wants to run code of its own, which Barthes never does.",
            where=folder,
            remedy="Choose an adapter for a model of an architecture that transformers knows.",
        )


def _require_lora(settings: Mapping[str, Any], folder: Path) -> None:
    kind, task = settings.get("peft_type"), settings.get("task_type")
    if kind != "LORA":
        problem = f"is an adapter of the kind {kind!r:.40}, which" if kind else "does not say its kind, and"
        raise ModelError(f"{problem} cannot be merged: only LoRA can.", where=folder, remedy=_REMEDY)
    if task not in (None, "CAUSAL_LM"):
        raise ModelError(
            f"was made for another task than predicting text: {task!r:.40}.",
            where=folder,
            remedy="Choose an adapter for CAUSAL_LM.",
        )


def _require_mergeable(settings: Mapping[str, Any], folder: Path) -> None:
    """Refuse more than a change of weights, such as an adapter that is activated by certain tokens."""
    pattern = settings.get("rank_pattern")
    ranks = [settings.get("r", 8), *(pattern.values() if isinstance(pattern, dict) else ())]
    refused = {
        name: value
        for name, value in settings.items()
        if value and name not in _MERGED | _IGNORED and value != _DEFAULTS.get(name)
    }
    if settings.get("init_lora_weights") not in _INITIALISATIONS:
        refused["init_lora_weights"] = settings["init_lora_weights"]
    refused |= {name: settings[name] for name in _PATTERNS if not _are_names(settings.get(name))}
    if not all(isinstance(rank, int) and 0 < rank <= _LARGEST_RANK for rank in ranks):
        refused["r"] = ranks
    for name, value in refused.items():
        raise ModelError(
            f"cannot be merged into its base model: its setting {name} is {value!r:.60}.",
            where=folder,
            remedy=_REMEDY,
        )


def _are_names(value: Any) -> bool:
    """Return whether a setting, if given, lists plain names of layers and no regular expression."""
    if value in (None, "all-linear"):
        return True
    names = [value] if isinstance(value, str) else value
    return isinstance(names, list | dict) and all(
        isinstance(name, str) and _NAME.fullmatch(name) for name in names
    )
