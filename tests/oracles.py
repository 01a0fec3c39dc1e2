"""Slow implementations of the equations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from barthes.models.causal import CausalModel
from barthes.narrative import Narrative


@torch.inference_mode()
def mean_log_likelihood(network: Any, context: Sequence[int], continuation: Sequence[int]) -> float:
    """Nats per token of a continuation, by one whole forward pass."""
    ids = torch.tensor([[*context, *continuation]])
    logits = network(ids).logits[0, len(context) - 1 : -1].double()
    return float(logits.log_softmax(-1).gather(-1, ids[0, len(context) :, None]).mean())


def sentence_deletion(
    network: Any, model: CausalModel, narrative: Narrative, *, replacements: Sequence[str] | None = None
) -> list[float]:
    """Equations 1 to 3 to the letter: two whole passes for every sentence. `network` is a fresh copy.

    Each sentence is deleted, or replaced by one of `replacements`.
    """
    tokens = model.encode([str(sentence) for sentence in narrative])
    scores = []
    for k in range(len(tokens)):
        before = [model.start_token, *sum(tokens[:k], [])]
        after = sum(tokens[k + 1 :], []) or [model.end_token]
        rest = [] if replacements is None else model.encode([" ".join(replacements[k].split())])[0]
        with_it = mean_log_likelihood(network, before + tokens[k], after)
        scores.append(with_it - mean_log_likelihood(network, before + rest, after))
    return scores
