"""Low-rank adapters (LoRA, by PEFT): small matrices beside every linear layer, which alone are trained."""

from __future__ import annotations

from typing import Any

from barthes.errors import ModelError
from barthes.finetuning.settings import TrainingSettings

__all__ = ["add_adapters", "round_adapters"]


def add_adapters(network: Any, settings: TrainingSettings, *, name: str) -> Any:
    """The network with adapters of all linear layers but the output; the seed decides their first weights.

    Raises:
        ModelError: PEFT does not know where to put them.
    """
    import torch
    from peft import LoraConfig, get_peft_model

    transposed = any(type(module).__name__ == "Conv1D" for module in network.modules())  # GPT-2's way
    description = LoraConfig(
        r=settings.rank,
        lora_alpha=settings.alpha,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
        fan_in_fan_out=transposed,
    )
    torch.manual_seed(settings.seed)
    try:
        return get_peft_model(network, description)
    except (ValueError, TypeError, NotImplementedError) as error:
        raise ModelError(
            f"cannot be given adapters ({' '.join(str(error).split())[:200]}).",
            where=name,
            remedy="Use --method full.",
        ) from error


def round_adapters(network: Any, dtype: str) -> None:
    """Round adapters to the precision that they are stored in, so that what is measured is what is stored."""
    import torch

    for parameter in network.parameters():
        if parameter.requires_grad:
            parameter.data = parameter.data.to(getattr(torch, dtype)).to(torch.float32)
