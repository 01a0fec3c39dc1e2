"""The loss of a network on blocks: the mean over tokens, each counted once."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from barthes.finetuning.blocks import Block
from barthes.finetuning.fused_loss import find_fused_loss
from barthes.finetuning.paired_rows import count_at_once
from barthes.models.side_by_side import side_by_side

__all__ = ["Loss", "collate", "measure_loss"]

IGNORED = -100  # the label of a token that is not predicted, as transformers and torch have it


@dataclass(frozen=True, slots=True)
class Loss:
    """Minus the mean log-probability of tokens, in nats, and over how many tokens."""

    nats: float
    tokens: int

    @property
    def perplexity(self) -> float:
        """exp of the loss; infinite where that is too large for a number.

        >>> round(Loss(math.log(20), 100).perplexity, 9)
        20.0
        """
        return math.exp(self.nats) if self.nats < 700 else math.inf

    def to_dict(self) -> dict[str, float]:
        """As plain data."""
        return {"perplexity": self.perplexity, "nats_per_token": self.nats, "tokens": self.tokens}


def collate(blocks: Sequence[Block]) -> dict[str, torch.Tensor]:
    """Blocks as rows of tokens and labels. What is added to shorter rows comes last and is not predicted.

    A causal network does not see what comes last before it comes, so no mask is needed.
    """
    width = max(len(block) for block in blocks)
    tokens = torch.zeros(len(blocks), width, dtype=torch.long)
    labels = torch.full_like(tokens, IGNORED)
    for row, block in enumerate(blocks):
        ids = torch.tensor(block.tokens)
        tokens[row, : len(block)] = ids
        labels[row, : len(block)] = torch.where(torch.tensor(block.predicted), ids, IGNORED)
    return {"input_ids": tokens, "labels": labels}


def measure_loss(
    network: Any,
    blocks: Sequence[Block],
    *,
    products: torch.dtype = torch.float32,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Loss:
    """The network's loss on blocks, one by one: how they are batched in training changes nothing.

    The blocks are those of training, so a long story's later blocks do not see its earlier ones; the
    perplexity that `barthes perplexity` gives, with longer contexts, is lower.
    """
    device = network.device
    fused = find_fused_loss(network, products, learning=False)

    def read(block: Block) -> float:
        batch = {key: tensor.to(device) for key, tensor in collate([block]).items()}
        with torch.no_grad(), torch.autocast(device.type, products, enabled=products != torch.float32):
            return float(
                fused(batch) if fused else network(**batch, use_cache=False).loss * sum(block.predicted)
            )

    total = 0.0
    was_training = network.training
    network.eval()
    progress(0, len(blocks))
    at_once = count_at_once(device.type) if fused else 1  # two tables of all logits want too much memory
    passes = side_by_side((partial(read, block) for block in blocks), at_once=at_once)
    for done, nats in enumerate(passes, start=1):
        progress(done, len(blocks))
        total += nats
    network.train(was_training)
    count = sum(sum(block.predicted) for block in blocks)
    return Loss(total / max(count, 1), count)
