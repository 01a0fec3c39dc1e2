"""Texts as vectors: the mean of a network's hidden states half-way up.

The first layers know words and the last ones the next token; what a sentence is about is told in between.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

import numpy as np
import torch
from torch import Tensor

from barthes.models.attention import AttentionPlan, Segment
from barthes.models.forward_pass import ForwardPass, is_out_of_memory, too_large
from barthes.models.joint_reading import divide
from barthes.models.language_model import FloatArray, Given

__all__ = ["embed_together"]


def embed_together(
    forward: ForwardPass, texts: Sequence[Given], *, pass_tokens: int, shared: bool
) -> FloatArray:
    """The vectors of texts that do not see each other; float64, shape (texts, width).

    Args:
        forward: The network.
        texts: The tokens of each, and how many of them are given: those are read and not averaged. Where
            nothing is left to average, the vector is 0.
        pass_tokens: How many tokens go through the network at once; a text is never torn apart.
        shared: Whether the network can keep texts in one pass apart; else they are read one by one.

    Raises:
        ModelError: There is not enough memory for one of the texts.
    """
    groups = divide(texts, pass_tokens if shared else 1)
    vectors = [row for group in groups for row in _embed(forward, group, shared=shared)]
    return np.stack(vectors)


def _embed(forward: ForwardPass, group: Sequence[Given], *, shared: bool) -> Iterator[FloatArray]:
    """The vectors of a group, in halves where memory does not suffice for the whole."""
    try:
        vectors = _read(forward, group, shared=shared)
    except (RuntimeError, MemoryError) as error:
        if not is_out_of_memory(error):
            raise
        if len(group) == 1:
            raise too_large(len(group[0][0])) from error
        half = len(group) // 2
        yield from _embed(forward, group[:half], shared=shared)
        yield from _embed(forward, group[half:], shared=shared)
    else:
        yield from vectors


@torch.inference_mode()
def _read(forward: ForwardPass, texts: Sequence[Given], *, shared: bool) -> list[FloatArray]:
    edges = list(accumulate((len(tokens) for tokens, _ in texts), initial=0))
    segments = tuple(Segment(0, start, stop) for start, stop in pairwise(edges))
    ids = torch.tensor([token for tokens, _ in texts for token in tokens], device=forward.device)
    positions = torch.cat([torch.arange(len(tokens)) for tokens, _ in texts])
    hidden = forward.middle_states(ids, positions, AttentionPlan(segments) if shared else None)
    return [
        _average(hidden[start + given : stop])
        for (start, stop), (_, given) in zip(pairwise(edges), texts, strict=True)
    ]


def _average(states: Tensor) -> FloatArray:
    """The mean of the rows; 0 where there are none."""
    rows: FloatArray = np.asarray(states.cpu().double())  # in this order: MPS has no float64
    mean: FloatArray = rows.sum(axis=0) / max(1, len(rows))
    return mean
