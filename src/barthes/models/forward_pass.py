"""One pass of tokens through a transformer, and what can be done where memory does not suffice for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from barthes.errors import ModelError
from barthes.models.attention import AttentionPlan
from barthes.models.head import VocabularyHead
from barthes.models.language_model import FloatArray

__all__ = ["ForwardPass", "is_out_of_memory", "too_large"]


@dataclass(frozen=True)
class ForwardPass:
    """What a transformer makes of tokens.

    Attributes:
        network: A transformers model whose attention is `barthes.models.attention.attend`.
        head: Its projection to the vocabulary.
        products: The precision of the network's matrix products.
    """

    network: Any
    head: VocabularyHead
    products: torch.dtype = torch.float32

    @property
    def device(self) -> torch.device:
        """Where it computes."""
        device: torch.device = self.network.device
        return device

    def hidden_states(self, ids: Tensor, positions: Tensor, plan: AttentionPlan) -> Tensor:
        """The last hidden state of each token, float32; shape (tokens, width)."""
        hidden: Tensor = self._run(ids, positions, barthes_plan=plan).last_hidden_state[0].float()
        return hidden

    def middle_states(self, ids: Tensor, positions: Tensor, plan: AttentionPlan | None) -> Tensor:
        """The hidden state of each token half-way through the layers, float32; shape (tokens, width).

        Without a plan the tokens are one text, and the network's own attention reads it.
        """
        options = {} if plan is None else {"barthes_plan": plan}
        states = self._run(ids, positions, output_hidden_states=True, **options).hidden_states
        hidden: Tensor = states[len(states) // 2][0].float()  # the first are the embeddings
        return hidden

    def _run(self, ids: Tensor, positions: Tensor, **options: Any) -> Any:
        with torch.autocast(ids.device.type, self.products, enabled=self.products != torch.float32):
            return self.network.base_model(
                input_ids=ids[None],
                position_ids=positions[None].to(ids.device),
                use_cache=False,
                **options,
            )

    def log_probabilities(self, hidden: Tensor, targets: Tensor) -> FloatArray:
        """log P(target) after each hidden state; nats."""
        found = self.head.log_probabilities(hidden, targets)
        return np.asarray(found.cpu().double())  # in this order: MPS has no float64


def is_out_of_memory(error: Exception) -> bool:
    """CUDA has a class for it; the CPU's allocators and MPS have only their messages."""
    said = ("can't allocate memory", "not enough memory", "out of memory")
    return isinstance(error, torch.OutOfMemoryError | MemoryError) or any(s in str(error) for s in said)


def too_large(tokens: int) -> ModelError:
    """The error for a text that memory does not suffice for."""
    return ModelError(
        f"there is not enough memory to read {tokens} tokens at once.",
        remedy="Give a smaller --window, such as 512.",
    )
