"""LoRA adapters: what was learned on top of a base model, read from a folder and merged into its weights.

A folder with `adapter_config.json` is an adapter. Its base is a model by any name that `load_model` knows;
a relative path starts at the adapter's folder, so that both can be moved together. Before anything is
computed, W + s·B·A takes the place of each adapted W, in float32: what remains is a plain model, as fast
as its base. Weights are read from safetensors, never from a pickle, which could run code.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from barthes.errors import ModelError
from barthes.files import expand_home
from barthes.models.adapter_settings import ADAPTER_SETTINGS, choose_settings, read_settings
from barthes.models.embedded import EMBEDDED
from barthes.models.manifest import MANIFEST
from barthes.models.weights import sample_weights

__all__ = [
    "ADAPTER_SETTINGS",
    "ADAPTER_WEIGHTS",
    "Adapter",
    "check_base",
    "is_adapter",
    "merge_adapter",
    "read_adapter",
]

ADAPTER_WEIGHTS = "adapter_model.safetensors"
_PICKLE = "adapter_model.bin"
_SET_BASE = f"Write the model that it was trained on into {ADAPTER_SETTINGS} as base_model_name_or_path."


@dataclass(frozen=True)
class Adapter:
    """A LoRA adapter on disk.

    Attributes:
        folder: Where its settings and weights are.
        base: The model that it changes, as `load_model` is to be asked for it.
        settings: What its `adapter_config.json` says.
    """

    folder: Path
    base: str
    settings: Mapping[str, Any]


def is_adapter(folder: Path) -> bool:
    """Whether a folder holds an adapter and not a whole model."""
    return (folder / ADAPTER_SETTINGS).is_file()


def read_adapter(folder: Path) -> Adapter:
    """The adapter in a folder; its weights are not read yet.

    Raises:
        ModelError: Its settings cannot be read or used, or its weights are missing or a pickle.
    """
    settings = read_settings(folder)
    base = settings.get("base_model_name_or_path")
    if not isinstance(base, str) or not base.strip():
        raise ModelError(
            f"{ADAPTER_SETTINGS} does not say which model it changes.", where=folder, remedy=_SET_BASE
        )
    if not (folder / ADAPTER_WEIGHTS).is_file():
        if (folder / _PICKLE).exists():
            raise ModelError(
                f"its weights are a pickle ({_PICKLE}), which could run code when it is opened.",
                where=folder,
                remedy=f"Save it again as {ADAPTER_WEIGHTS}.",
            )
        raise ModelError(f"{ADAPTER_WEIGHTS} is missing.", where=folder, remedy="Give the whole folder.")
    return Adapter(folder, _resolve_base(base.strip(), folder), settings)


def check_base(network: Any, adapter: Adapter) -> None:
    """Make sure that a base still has the weights that the adapter was trained on, if its record tells them.

    `barthes finetune` writes them down; adapters from elsewhere fit by their shape alone.

    Raises:
        ModelError: They are others.
    """
    trained_on = _read_trained_on(adapter.folder / MANIFEST)
    if trained_on is not None and trained_on != sample_weights(network):
        raise ModelError(
            f"its base model {adapter.base} has other weights than when the adapter was trained.",
            where=adapter.folder,
            remedy="Bring the old ones back, or train it again; if you know that they are the same,"
            f" set sample to null in {MANIFEST}.",
        )


def merge_adapter(network: Any, adapter: Adapter) -> Any:
    """The base network with the adapter in its weights; the network that was given is used up.

    Args:
        network: The base, in float32, as transformers loads it.
        adapter: What to merge into it.

    Raises:
        ModelError: It does not fit this network, or its weights are not numbers.
    """
    try:
        adapted, homeless = _attach(network, adapter)
    except Exception as error:  # PEFT raises ValueError, RuntimeError, KeyError, SafetensorError …
        raise _misfit(adapter, _tell(error)) from error
    if homeless:
        raise _misfit(adapter, f"{len(homeless)} weights have no counterpart, such as {homeless[0]}")
    try:
        return adapted.merge_and_unload(safe_merge=True)
    except Exception as error:  # ValueError: not a number; NotImplementedError: an unusual layer
        raise ModelError(
            f"cannot be merged into its base model ({_tell(error)}).",
            where=adapter.folder,
            remedy="Train it again, or merge it yourself.",
        ) from error


def _read_trained_on(record: Path) -> str | None:
    """What `sample_weights` gave of the base, from the record of a fine-tuning."""
    try:
        found = json.loads(record.read_text(encoding="utf-8"))["base"]["sample"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return found if isinstance(found, str) else None


def _attach(network: Any, adapter: Adapter) -> tuple[Any, list[str]]:
    """The network with the adapter beside its weights, and the names of weights that found no place."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what PEFT warns of and matters is looked at here, and refused
        from peft import LoraConfig, PeftModel, set_peft_model_state_dict
        from safetensors.torch import load_file

        config = LoraConfig(**choose_settings(adapter.settings))
        adapted: Any = PeftModel(network, config, autocast_adapter_dtype=False)
        own = [name for name, _ in adapted.named_parameters() if _is_own(name)]
        loaded: Any = set_peft_model_state_dict(adapted, load_file(adapter.folder / ADAPTER_WEIGHTS))
    missing = set(own) & set(loaded.missing_keys)
    return adapted, sorted([*missing, *loaded.unexpected_keys])


def _is_own(name: str) -> bool:
    """Whether a parameter belongs to the adapter, not to its base."""
    return ".lora_" in name or ".modules_to_save." in name or ".trainable_tokens_delta" in name


def _resolve_base(base: str, folder: Path) -> str:
    """The base model as `load_model` is to be asked for it, from wherever one stands."""
    if base in EMBEDDED:
        return base
    path = folder / expand_home(base)
    if path.exists() or base.startswith((".", "~")) or Path(base).is_absolute():
        return str(path.resolve())
    return base


def _misfit(adapter: Adapter, cause: str) -> ModelError:
    return ModelError(
        f"does not fit its base model {adapter.base} ({cause}).", where=adapter.folder, remedy=_SET_BASE
    )


def _tell(error: Exception) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__
