"""Small LoRA adapters for the tiny models, saved by PEFT."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import torch

from tests.tiny_models import tiny_network

__all__ = ["adapt", "edit_settings", "save_adapter"]


def adapt(folder: Path, base: str, *, architecture: str = "llama", seed: int = 1, **settings: Any) -> Any:
    """Save an adapter with random weights for a tiny network; return PEFT's model, not merged."""
    return save_adapter(tiny_network(architecture), folder, base, seed=seed, **settings)


def save_adapter(network: Any, folder: Path, base: str, *, seed: int = 1, **settings: Any) -> Any:
    """Save an adapter with random weights for a network; return PEFT's model, not merged."""
    from peft import LoraConfig, get_peft_model

    chosen = {"r": 2, "lora_alpha": 8, "task_type": "CAUSAL_LM", "target_modules": "all-linear"} | settings
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        adapted = get_peft_model(network, LoraConfig(**chosen))
        torch.manual_seed(seed)
        for name, parameter in adapted.named_parameters():
            if parameter.requires_grad and "magnitude" not in name:
                torch.nn.init.normal_(parameter, std=0.2)
        adapted.save_pretrained(folder, save_embedding_layers=False)
    edit_settings(folder, base_model_name_or_path=base)
    return adapted.eval()


def edit_settings(folder: Path, **settings: Any) -> None:
    """Change an adapter's `adapter_config.json`."""
    path = folder / "adapter_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | settings))
