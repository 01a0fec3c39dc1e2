"""One pass of tokens through a transformer, and what can be done where memory does not suffice for it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
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
        middle = _find_middle(self.network)
        if middle is None:
            states = self._run(ids, positions, output_hidden_states=True, **options).hidden_states
            hidden: Tensor = states[len(states) // 2]
        else:
            with stop_before(middle) as reached:
                self._run(ids, positions, **options)
            [hidden] = reached
        return hidden[0].float()

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


class _Reached(Exception):  # noqa: N818 - it is a messenger
    """The pass has come to the layer before which it was to stop."""


@contextmanager
def stop_before(layer: torch.nn.Module) -> Iterator[list[Tensor]]:
    """Let passes of this thread end before a layer; gives a list with what the layer was to get."""
    reached: list[Tensor] = []
    thread = threading.get_ident()

    def stop(module: torch.nn.Module, given: tuple[Any, ...], named: dict[str, Any]) -> None:
        if threading.get_ident() == thread:
            reached.append(given[0] if given else named["hidden_states"])
            raise _Reached

    handle = layer.register_forward_pre_hook(stop, with_kwargs=True)
    try:
        with suppress(_Reached):
            yield reached
    finally:
        handle.remove()


def _find_middle(network: Any) -> torch.nn.Module | None:
    """The layer whose input is half-way through the network; None where that is its output."""
    count = network.config.get_text_config().num_hidden_layers
    stacks = [
        m for m in network.base_model.modules() if isinstance(m, torch.nn.ModuleList) and len(m) == count
    ]
    middle = (count + 1) // 2
    return stacks[0][middle] if len(stacks) == 1 and middle < count else None


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
