"""From hidden states to the log-probabilities of given tokens, a few rows at a time."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

__all__ = ["VocabularyHead"]


class VocabularyHead:
    """The projection to the vocabulary, for the rows that somebody reads and no others.

    A thousand rows of fifty thousand logits are 200 MB; they are made `rows` at a time in one buffer, so
    that they stay near the processor. Every call has a buffer of its own: threads may share a model.
    """

    def __init__(self, network: Any, *, rows: int = 128) -> None:
        self._projection = network.get_output_embeddings()
        self._rows = rows

    def log_probabilities(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """log P(target) for each row of hidden states; nats, float32.

        `hidden` has the shape (n, width), `targets` (n,); so has the result.
        """
        result = torch.empty(len(targets), dtype=torch.float32, device=hidden.device)
        size = (min(self._rows, len(targets)), len(self._projection.weight))
        buffer = torch.empty(size, dtype=hidden.dtype, device=hidden.device)
        for start in range(0, len(targets), self._rows):
            rows = slice(start, min(start + self._rows, len(targets)))
            logits = self._project(hidden[rows], buffer)
            picked = logits.gather(1, targets[rows, None])[:, 0]
            result[rows] = picked - logits.logsumexp(1)
        return result

    def _project(self, hidden: Tensor, buffer: Tensor) -> Tensor:
        weight, bias = self._projection.weight, getattr(self._projection, "bias", None)
        logits = buffer[: len(hidden)]
        torch.mm(hidden, weight.t(), out=logits)
        if bias is not None:
            logits += bias
        return logits.float()
