"""Read LoRA adapters from folders and merge them into the weights of their base models.

A folder with `adapter_config.json` is an adapter. Its base is a model by any name that `load_model` knows;
a relative path starts at the adapter's folder, so that both can be moved together. Each adapted W is replaced
by W + s·B·A, in float32: the result is a plain model, as fast as its base. Weights are read from safetensors,
never from a pickle, which could run code.
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
from barthes.models.adapter_settings import (
    ADAPTER_SETTINGS,
    ADAPTER_WEIGHTS,
    choose_settings,
    read_settings,
)
from barthes.models.embedded import EMBEDDED
from barthes.models.pretrained import sample_weights
from barthes.models.store import MANIFEST

__all__ = ["Adapter", "check_base", "is_adapter", "merge_adapter", "read_adapter"]

_PICKLE = "adapter_model.bin"
_SET_BASE = f"Write the model that it was trained on into {ADAPTER_SETTINGS} as base_model_name_or_path."


@dataclass(frozen=True)
class Adapter:
    """A LoRA adapter on disk.

    Attributes:
        folder: The folder of its settings and weights.
        base: The model that it changes, a name for `load_model`.
        settings: The content of its `adapter_config.json`.
    """

    folder: Path
    base: str
    settings: Mapping[str, Any]


def is_adapter(folder: Path) -> bool:
    """Return whether a folder holds an adapter and not a whole model."""
    return (folder / ADAPTER_SETTINGS).is_file()


def read_adapter(folder: Path) -> Adapter:
    """Return the adapter in a folder; its weights are not read yet.

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
    """Check that a base still has the weights that the adapter was trained on.

    `barthes finetune` records them; adapters from elsewhere are not checked.

    Raises:
        ModelError: The weights differ.
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
    """Merge an adapter into the weights of its base network, which is modified.

    Args:
        network: The base, in float32, as transformers loads it.
        adapter: The adapter to merge into it.

    Raises:
        ModelError: It does not fit this network, or its weights are not numbers.
    """
    try:
        adapted, unmatched = _attach(network, adapter)
    except Exception as error:  # PEFT raises ValueError, RuntimeError, KeyError, SafetensorError …
        raise _misfit(adapter, _summarise(error)) from error
    if unmatched:
        raise _misfit(adapter, f"{len(unmatched)} weights have no counterpart, such as {unmatched[0]}")
    try:
        return adapted.merge_and_unload(safe_merge=True)
    except Exception as error:  # ValueError: not a number; NotImplementedError: an unusual layer
        raise ModelError(
            f"cannot be merged into its base model ({_summarise(error)}).",
            where=adapter.folder,
            remedy="Train it again, or merge it yourself.",
        ) from error


def _read_trained_on(record: Path) -> str | None:
    """Return the `sample_weights` of the base from the record of a fine-tuning; None if there is none."""
    try:
        found = json.loads(record.read_text(encoding="utf-8"))["base"]["sample"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return found if isinstance(found, str) else None


def _attach(network: Any, adapter: Adapter) -> tuple[Any, list[str]]:
    """Return the network with the adapter attached, and the names of weights without a counterpart."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what matters of it is checked here and refused
        from peft import LoraConfig, PeftModel, set_peft_model_state_dict
        from safetensors.torch import load_file

        config = LoraConfig(**choose_settings(adapter.settings))
        adapted: Any = PeftModel(network, config, autocast_adapter_dtype=False)
        own = [name for name, _ in adapted.named_parameters() if _is_own(name)]
        loaded: Any = set_peft_model_state_dict(adapted, load_file(adapter.folder / ADAPTER_WEIGHTS))
    missing = set(own) & set(loaded.missing_keys)
    return adapted, sorted([*missing, *loaded.unexpected_keys])


def _is_own(name: str) -> bool:
    """Return whether a parameter belongs to the adapter, not to its base."""
    return ".lora_" in name or ".modules_to_save." in name or ".trainable_tokens_delta" in name


def _resolve_base(base: str, folder: Path) -> str:
    """Return the name of the base for `load_model`, independent of the current folder."""
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


def _summarise(error: Exception) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__
