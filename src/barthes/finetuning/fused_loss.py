"""The loss without a table of all logits.

A block of 1,024 tokens has 50 million logits with the embedded model, 200 MB that a plain cross-entropy goes
through several times, forward and backward. torch's `linear_cross_entropy` projects some rows at a time and
keeps nothing of them but the gradients of hidden states. Where the projection itself is trained, as in full
fine-tuning, it adds up the gradient of that matrix once for each part, and nothing is gained.
`benchmarks/finetuning.py --methods lora --loss fused,own` compares both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

__all__ = ["Batch", "FusedLoss", "find_fused_loss"]

Batch = Mapping[str, Tensor]
"""``input_ids`` and ``labels``, each of the shape (rows, tokens)."""

FusedLoss = Callable[[Batch], Tensor]
"""Minus the summed log-probability of a batch's predicted tokens, in nats."""

_ROWS = 256  # logits of so many tokens at a time: 50 MB with the embedded model
_PROBE = 24  # tokens: enough to see whether it computes what the network computes
_TOLERANCE = 1e-4  # nats a token


def find_fused_loss(network: Any, products: torch.dtype, *, learning: bool = True) -> FusedLoss | None:
    """The fused loss of a network, where it is the network's own.

    That is tried out on a few tokens: a network may scale or cap its logits, or add to its loss. None too
    where torch is older than the function, in lower precisions, which the function does not round as autocast
    does, and on other devices than the processor, for which it has not been measured.

    Args:
        network: A causal network, with adapters or without.
        products: The precision of its matrix products.
        learning: Whether gradients are wanted: then None too where the projection is trained.
    """
    if products != torch.float32 or network.device.type != "cpu":
        return None
    if not hasattr(torch.nn.functional, "linear_cross_entropy"):
        return None
    head = network.get_output_embeddings()
    if head is None or (learning and head.weight.requires_grad):
        return None
    whole = network.get_base_model() if hasattr(network, "get_base_model") else network  # in PEFT's wrapping
    body = whole.base_model

    def sum_loss(batch: Batch) -> Tensor:
        hidden = body(input_ids=batch["input_ids"], use_cache=False).last_hidden_state
        return _cross_entropy(hidden[:, :-1].flatten(0, 1), head, batch["labels"][:, 1:].flatten())

    return sum_loss if _is_own_loss(sum_loss, network) else None


def _cross_entropy(hidden: Tensor, head: Any, targets: Tensor) -> Tensor:
    options = torch.nn.LinearCrossEntropyOptions(batch_chunk_size=_ROWS, chunking_method=None)
    loss: Tensor = torch.nn.functional.linear_cross_entropy(
        hidden,
        head.weight,
        targets,
        linear_bias=getattr(head, "bias", None),
        reduction="sum",
        options=options,
    )
    return loss


def _is_own_loss(sum_loss: FusedLoss, network: Any) -> bool:
    """Whether a loss is the network's own, on a few tokens and without dropout."""
    words = network.get_input_embeddings().weight.shape[0]
    tokens = (torch.arange(_PROBE) * 7919 % words)[None]
    was_training = network.training
    network.eval()
    try:
        with torch.no_grad():
            own = network(input_ids=tokens, labels=tokens, use_cache=False).loss
            fused = sum_loss({"input_ids": tokens, "labels": tokens}) / (_PROBE - 1)
    except Exception:  # an unusual network may raise anything; its own loss is then used
        return False
    finally:
        network.train(was_training)
    return bool((own - fused).abs() <= _TOLERANCE)
