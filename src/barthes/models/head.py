"""From hidden states to the log-probabilities of given tokens, a tile of logits at a time."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

__all__ = ["VocabularyHead"]


class VocabularyHead:
    """The projection to the vocabulary, for the rows that somebody reads and no others.

    A thousand rows of fifty thousand logits are 200 MB, and nobody wants them: only the target's logit and
    the log-sum-exp of all. So the vocabulary is gone through `words` at a time, in one buffer of a few
    megabytes that stays near the processor, and the log-sum-exps of the tiles are added up. Every call has
    a buffer of its own: threads may share a model.
    """

    def __init__(self, network: Any, *, rows: int = 1024, words: int = 2048) -> None:
        self._projection = network.get_output_embeddings()
        self._rows = rows
        self._words = words

    def log_probabilities(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """log P(target) for each row of hidden states; nats, float32.

        `hidden` has the shape (n, width), `targets` (n,); so has the result.
        """
        weight, bias = self._projection.weight, getattr(self._projection, "bias", None)
        size = min(self._rows, len(targets)) * min(self._words, len(weight))
        buffer = torch.empty(size, dtype=hidden.dtype, device=hidden.device)
        result = torch.empty(len(targets), dtype=torch.float32, device=hidden.device)
        for start in range(0, len(targets), self._rows):
            rows = slice(start, min(start + self._rows, len(targets)))
            picked = (hidden[rows] * weight[targets[rows]]).sum(1)
            if bias is not None:
                picked += bias[targets[rows]]
            result[rows] = picked - self._normalise(hidden[rows], weight, bias, buffer)
        return result.clamp_(max=0.0)  # rounding may take the logarithm of a certainty above 0

    def _normalise(self, hidden: Tensor, weight: Tensor, bias: Tensor | None, buffer: Tensor) -> Tensor:
        """log Σ exp(logits) over the whole vocabulary, for each row."""
        total = torch.full((len(hidden),), float("-inf"), device=hidden.device)
        for start in range(0, len(weight), self._words):
            tile = weight[start : start + self._words]
            logits = buffer[: len(hidden) * len(tile)].view(len(hidden), len(tile))
            torch.mm(hidden, tile.t(), out=logits)
            if bias is not None:
                logits += bias[start : start + self._words]
            highest = logits.amax(1, keepdim=True)
            summed = logits.sub_(highest).exp_().sum(1)
            total = torch.logaddexp(total, summed.log_() + highest[:, 0])
        return total
