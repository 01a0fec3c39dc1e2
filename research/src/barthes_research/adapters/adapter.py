"""Read LoRA adapters from folders and merge them into the weights of their base models.

A folder with `adapter_config.json` is an adapter. Its base is any name that `load_model` accepts; a relative
path starts at the adapter's folder, so that both can be moved together. Each adapted W is replaced by
W + s·B·A, in float32. The result is a plain model, as fast as its base.

No code of the adapter is run: weights are read from safetensors, never from a pickle, and only settings known
to be harmless are accepted. Others could make PEFT import modules, or describe more than a change of weights.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from barthes.errors import ModelError
from barthes.files import expand_home
from barthes.models.embedded import EMBEDDED
from barthes.models.store import MANIFEST

ADAPTER_SETTINGS = "adapter_config.json"
ADAPTER_WEIGHTS = "adapter_model.safetensors"
_SAMPLE = 4096  # values of each tensor

# Settings that decide what is merged.
_MERGED = frozenset(
    "alpha_pattern bias ensure_weight_tying exclude_modules fan_in_fan_out init_lora_weights layers_pattern"
    " layers_to_transform lora_alpha lora_bias modules_to_save r rank_pattern target_modules"
    " target_parameters trainable_token_indices use_dora use_rslora".split()
)
# Settings that describe the adapter, or matter only in training.
_IGNORED = frozenset(
    "auto_mapping base_model_name_or_path eva_config inference_mode lora_dropout peft_type peft_version"
    " revision runtime_config task_type".split()
)
# Settings that are accepted only with the default value, which PEFT writes.
_DEFAULTS = {"megatron_core": "megatron.core", "qalora_group_size": 16}
# Initialisations that do not change the base; others subtract values that the adapter does not contain.
_INITIALISATIONS = (True, False, None, "gaussian", "orthogonal", "eva")
# PEFT interprets these, or their keys, as regular expressions, which could run forever.
_PATTERNS = ("target_modules", "exclude_modules", "layers_pattern", "rank_pattern", "alpha_pattern")
_NAME = re.compile(r"[\w.-]+")
_LARGEST_RANK = 4096

_PICKLE = "adapter_model.bin"
_SET_BASE = f"Set base_model_name_or_path in {ADAPTER_SETTINGS} to the model that it was trained on."
_REMEDY = "Give a LoRA adapter saved by PEFT, or merge the adapter into its base yourself."


@dataclass(frozen=True)
class Adapter:
    """A LoRA adapter on disk: its folder, the name of its base for `load_model`, and its settings."""

    folder: Path
    base: str
    settings: Mapping[str, Any]


def is_adapter(folder: Path) -> bool:
    """Return whether a folder contains an adapter, not a complete model."""
    return (folder / ADAPTER_SETTINGS).is_file()


def read_adapter(folder: Path) -> Adapter:
    """Return the adapter in a folder, without reading its weights."""
    try:
        settings = json.loads((folder / ADAPTER_SETTINGS).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        problem = f"{ADAPTER_SETTINGS} cannot be read ({error})."
        raise ModelError(problem, where=folder, remedy=_REMEDY) from error
    if (fault := _find_fault(settings, folder)) is not None:
        raise ModelError(fault[0], where=folder, remedy=fault[1])
    return Adapter(folder, _resolve_base(settings["base_model_name_or_path"].strip(), folder), settings)


def check_base(network: Any, adapter: Adapter) -> None:
    """Check that a base has the weights that the adapter was trained on.

    Only adapters made by `barthes finetune` can be checked; they record a sample of the weights.
    """
    try:
        record = json.loads((adapter.folder / MANIFEST).read_text(encoding="utf-8"))
        trained_on = record["base"]["sample"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return
    if isinstance(trained_on, str) and trained_on != sample_weights(network):
        raise ModelError(
            f"its base model {adapter.base} has other weights than when the adapter was trained.",
            where=adapter.folder,
            remedy="Restore the old weights, or train the adapter again; if you know that they are the same,"
            f" set sample to null in {MANIFEST}.",
        )


def sample_weights(network: Any) -> str:
    """Return the SHA-256 of the names and shapes of all weights and a few thousand values of each.

    This is fast for networks of any size. Training changes nearly all values, so in practice two networks
    with the same sample are the same.
    """
    import torch

    digest = hashlib.sha256()
    for name, tensor in sorted(network.state_dict().items()):
        width = tensor.shape[-1] if tensor.ndim else 1
        step = max(1, tensor.numel() // _SAMPLE)
        while math.gcd(step, width) > 1:  # sample all rows and columns
            step += 1
        digest.update(f"{name}{tuple(tensor.shape)}".encode())
        values = tensor.reshape(-1)[::step].detach().cpu().contiguous()
        digest.update(values.view(torch.uint8).numpy().data)
    return digest.hexdigest()


def merge_adapter(network: Any, adapter: Adapter) -> Any:
    """Merge an adapter into the weights (float32) of its base network, which is modified."""
    try:
        adapted = _attach(network, adapter)
    except Exception as error:  # PEFT raises ValueError, RuntimeError, KeyError, SafetensorError …
        problem = f"does not fit its base model {adapter.base} ({_summarise(error)})."
        raise ModelError(problem, where=adapter.folder, remedy=_SET_BASE) from error
    try:
        return adapted.merge_and_unload(safe_merge=True)
    except Exception as error:  # ValueError: not a number; NotImplementedError: an unusual layer
        problem = f"cannot be merged into its base model ({_summarise(error)})."
        remedy = "Train it again, or merge it yourself."
        raise ModelError(problem, where=adapter.folder, remedy=remedy) from error


def _attach(network: Any, adapter: Adapter) -> Any:
    """Return the network with the adapter attached; raise a ValueError if their weights do not match."""
    chosen = {name: value for name, value in adapter.settings.items() if name in _MERGED}
    # All weights come from the file, so use the cheapest initialisation.
    chosen |= {"init_lora_weights": True, "task_type": "CAUSAL_LM", "inference_mode": True}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # mismatches raise an error below
        from peft import LoraConfig, PeftModel, set_peft_model_state_dict
        from safetensors.torch import load_file

        adapted: Any = PeftModel(network, LoraConfig(**chosen), autocast_adapter_dtype=False)
        own = {name for name, _ in adapted.named_parameters() if _is_own(name)}
        loaded: Any = set_peft_model_state_dict(adapted, load_file(adapter.folder / ADAPTER_WEIGHTS))
    if unmatched := sorted([*(own & set(loaded.missing_keys)), *loaded.unexpected_keys]):
        raise ValueError(f"{len(unmatched)} weights have no counterpart, such as {unmatched[0]}")
    return adapted


def _is_own(name: str) -> bool:
    """Return whether a parameter belongs to the adapter and not to its base."""
    return ".lora_" in name or ".modules_to_save." in name or ".trainable_tokens_delta" in name


def _resolve_base(base: str, folder: Path) -> str:
    """Return the name of the base for `load_model`, independent of the current folder."""
    path = folder / expand_home(base)
    is_path = path.exists() or base.startswith((".", "~")) or Path(base).is_absolute()
    return str(path.resolve()) if is_path and base not in EMBEDDED else base


def _find_fault(settings: Any, folder: Path) -> tuple[str, str] | None:
    """Return the problem with an adapter and its remedy; None if the adapter can be used."""
    if not isinstance(settings, dict):
        return f"{ADAPTER_SETTINGS} does not contain settings.", _REMEDY
    kind, task = settings.get("peft_type"), settings.get("task_type")
    if kind != "LORA":
        return f"cannot be merged: its peft_type is {kind!r:.40}, and only 'LORA' is supported.", _REMEDY
    if task not in (None, "CAUSAL_LM"):
        return f"was made for another task: {task!r:.40}.", "Choose an adapter for CAUSAL_LM."
    for name, value in _list_refused(settings).items():
        return f"cannot be merged into its base model: its setting {name} is {value!r:.60}.", _REMEDY
    base = settings.get("base_model_name_or_path")
    if not isinstance(base, str) or not base.strip():
        return f"{ADAPTER_SETTINGS} does not name the base model.", _SET_BASE
    if (folder / ADAPTER_WEIGHTS).is_file():
        return None
    if (folder / _PICKLE).exists():
        problem = f"its weights are a pickle ({_PICKLE}), which can run code when it is loaded."
        return problem, f"Save it again as {ADAPTER_WEIGHTS}."
    return f"{ADAPTER_WEIGHTS} is missing.", "Copy the complete folder."


def _list_refused(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that go beyond a change of weights, or could exhaust time or memory."""
    refused = {
        name: value
        for name, value in settings.items()
        if value and name not in _MERGED | _IGNORED and value != _DEFAULTS.get(name)
    }
    if settings.get("init_lora_weights") not in _INITIALISATIONS:
        refused["init_lora_weights"] = settings["init_lora_weights"]
    refused |= {name: settings[name] for name in _PATTERNS if not _are_names(settings.get(name))}
    pattern = settings.get("rank_pattern")
    ranks = [settings.get("r", 8), *(pattern.values() if isinstance(pattern, dict) else ())]
    if not all(isinstance(rank, int) and 0 < rank <= _LARGEST_RANK for rank in ranks):
        refused["r"] = ranks
    return refused


def _are_names(value: Any) -> bool:
    """Return whether a setting, if given, contains only names of layers and no regular expressions."""
    if value in (None, "all-linear"):
        return True
    names = [value] if isinstance(value, str) else value
    return isinstance(names, list | dict) and all(
        isinstance(name, str) and _NAME.fullmatch(name) for name in names
    )


def _summarise(error: Exception) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__
