"""One pass of tokens through a transformer, up to the log-probabilities of given tokens.

::

    texts ─▶ ForwardPass ─▶ hidden states of the tokens that are scored ─▶ VocabularyHead ─▶ log-probabilities
             attention.py                                                  in tiles
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from barthes.errors import ModelError
from barthes.models.attention import AttentionPlan
from barthes.models.language_model import FloatArray


class VocabularyHead:
    """The projection of hidden states to the vocabulary, for scored tokens only.

    A thousand rows of fifty thousand logits take 200 MB, but only the target's logit and the log-sum-exp are
    needed. So the vocabulary is processed in tiles of `words`, in a buffer of a few megabytes that fits into
    the CPU's cache, and the log-sum-exps of the tiles are added. Each call has its own buffer, because
    threads may share a model.

    Args:
        network: A transformers model.
        cap: If given, each logit x becomes cap · tanh(x / cap), as in Gemma 2.
        rows, words: The size of a tile; by default 2048 words on the CPU and 16384 on other devices.
    """

    def __init__(
        self, network: Any, *, cap: float | None = None, rows: int = 1024, words: int | None = None
    ) -> None:
        self._projection = network.get_output_embeddings()
        self._cap = cap
        self._rows = rows
        self._words = words or (2048 if network.device.type == "cpu" else 16384)

    def log_probabilities(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """Return log P(target) for each row of hidden states; nats, float32.

        `hidden` has the shape (n, width), `targets` and the result (n,).
        """
        weight, bias = self._projection.weight, getattr(self._projection, "bias", None)
        if not (isinstance(weight, Tensor) and weight.is_floating_point()):
            return self._project(hidden, targets)
        hidden, targets = hidden.to(weight.device), targets.to(weight.device)
        size = min(self._rows, len(targets)) * min(self._words, len(weight))
        buffer = torch.empty(size, dtype=hidden.dtype, device=hidden.device)
        result = torch.empty(len(targets), dtype=torch.float32, device=hidden.device)
        for start in range(0, len(targets), self._rows):
            rows = slice(start, min(start + self._rows, len(targets)))
            picked = (hidden[rows] * weight[targets[rows]]).sum(1)
            if bias is not None:
                picked += bias[targets[rows]]
            result[rows] = self._limit(picked) - self._normalise(hidden[rows], weight, bias, buffer)
        return result.clamp_(max=0.0)  # rounding can make log 1 positive

    def _project(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """Return the same by quantised weights, which only the projection itself can multiply."""
        found = []
        for start in range(0, len(targets), 64):
            logits = self._limit(self._projection(hidden[start : start + 64]).float())
            chosen = targets[start : start + 64, None].to(logits.device)
            found.append(logits.log_softmax(-1).gather(-1, chosen)[:, 0])
        return torch.cat(found)

    def _normalise(self, hidden: Tensor, weight: Tensor, bias: Tensor | None, buffer: Tensor) -> Tensor:
        """Return log Σ exp(logits) over the whole vocabulary, for each row."""
        total = torch.full((len(hidden),), float("-inf"), device=hidden.device)
        for start in range(0, len(weight), self._words):
            tile = weight[start : start + self._words]
            logits = buffer[: len(hidden) * len(tile)].view(len(hidden), len(tile))
            torch.mm(hidden, tile.t(), out=logits)
            if bias is not None:
                logits += bias[start : start + self._words]
            self._limit(logits)
            highest = logits.amax(1, keepdim=True)
            summed = logits.sub_(highest).exp_().sum(1)
            total = torch.logaddexp(total, summed.log_() + highest[:, 0])
        return total

    def _limit(self, logits: Tensor) -> Tensor:
        """Apply the cap, if there is one, in place."""
        return logits if self._cap is None else logits.div_(self._cap).tanh_().mul_(self._cap)


@dataclass(frozen=True)
class ForwardPass:
    """Compute hidden states and log-probabilities with a transformer."""

    network: Any  # whose attention is `barthes.models.attention.attend`
    head: VocabularyHead
    products: torch.dtype = torch.float32  # the precision of the network's matrix products

    @property
    def device(self) -> torch.device:
        """The device of the network."""
        device: torch.device = self.network.device
        return device

    def hidden_states(self, texts: Sequence[Tensor], plan: AttentionPlan) -> list[Tensor]:
        """Return the last hidden states of each text; float32, shape (tokens, width)."""
        hidden: Tensor = self._run(torch.cat(list(texts)), plan).last_hidden_state[0].float()
        return list(torch.split(hidden, [len(ids) for ids in texts]))

    def mean_states(
        self, ids: Tensor, plan: AttentionPlan | None, spans: Sequence[tuple[int, int]], layers: Sequence[int]
    ) -> FloatArray:
        """Return the mean hidden state of each span of a text after each number of layers; 0 if it is empty.

        Without a plan the network's own attention is used.
        """
        states = self._run(ids, plan, output_hidden_states=True).hidden_states
        chosen = [states[layer][0].float() for layer in layers]
        rows = [[_average(hidden[start:stop]) for hidden in chosen] for start, stop in spans]
        return np.array(rows).reshape(len(spans), len(layers), -1)

    def log_probabilities(self, pairs: Sequence[tuple[Tensor, Tensor]]) -> list[FloatArray]:
        """Return log P(target) after each hidden state, for pairs of hidden states and targets; nats."""
        hidden, targets = (torch.cat(each) for each in zip(*pairs, strict=True))
        found = self.head.log_probabilities(hidden, targets)
        scored = np.asarray(found.cpu().double())  # in this order: MPS has no float64
        return np.split(scored, np.cumsum([len(ids) for _, ids in pairs])[:-1])

    def _run(self, ids: Tensor, plan: AttentionPlan | None, **options: Any) -> Any:
        positions = torch.arange(len(ids)) if plan is None else plan.positions
        options |= {} if plan is None else {"barthes_plan": plan}
        with torch.autocast(ids.device.type, self.products, enabled=self.products != torch.float32):
            return self.network.base_model(
                input_ids=ids[None],
                position_ids=positions[None].to(ids.device),
                use_cache=False,
                **options,
            )


def _average(states: Tensor) -> FloatArray:
    rows: FloatArray = np.asarray(states.cpu().double())  # in this order: MPS has no float64
    mean: FloatArray = rows.sum(axis=0) / max(1, len(rows))
    return mean


def is_out_of_memory(error: Exception) -> bool:
    """Return whether an error means that memory ran out; the CPU and MPS have only messages for that."""
    messages = ("can't allocate memory", "not enough memory", "out of memory")
    return isinstance(error, torch.OutOfMemoryError | MemoryError) or any(m in str(error) for m in messages)


def too_large(tokens: int) -> ModelError:
    """Return the error for a text that does not fit into memory."""
    return ModelError(
        f"there is not enough memory to read {tokens} tokens at once.",
        remedy="Choose a smaller window, such as 512 tokens, or score a shorter text.",
    )
