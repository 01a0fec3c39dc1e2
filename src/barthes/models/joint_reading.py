"""Several independent texts in one pass: a short text alone leaves most of the hardware idle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

import numpy as np
import torch
from torch import Tensor

from barthes.models.attention import AttentionPlan, Segment
from barthes.models.forward_pass import ForwardPass, is_out_of_memory, too_large
from barthes.models.language_model import FloatArray, Given
from barthes.models.shared_reading import SharedReading

__all__ = ["embed_together", "read_together"]


def read_together(
    forward: ForwardPass, texts: Sequence[Given], *, pass_tokens: int
) -> Iterator[SharedReading]:
    """Yield the readings of texts, in order.

    Args:
        forward: The network.
        texts: The tokens of each text, two or more, and how many of them are given and not scored.
        pass_tokens: Maximum tokens per pass; a text is never split.

    Raises:
        ModelError: There is not enough memory for one of the texts.
    """
    for group in _divide(texts, pass_tokens):
        try:
            yield from _read(forward, group, pass_tokens)
        except (RuntimeError, MemoryError) as error:
            _require_splittable(group, error)
            yield from read_together(forward, group, pass_tokens=_count(group) // 2)


def embed_together(
    forward: ForwardPass, texts: Sequence[Given], *, pass_tokens: int, shared: bool
) -> FloatArray:
    """Return a vector per text: the mean hidden state after half of the layers; float64, (texts, width).

    The first layers encode words and the last ones predict the next token; those in between encode what a
    sentence is about.

    Args:
        forward: The network.
        texts: The tokens of each text, and how many of them are given: read but not averaged. A text
            without others has the vector 0.
        pass_tokens: Maximum tokens per pass; a text is never split.
        shared: Whether the network can keep the texts of one pass apart; if not, each has its own pass.

    Raises:
        ModelError: There is not enough memory for one of the texts.
    """
    groups = _divide(texts, pass_tokens if shared else 1)
    return np.stack([row for group in groups for row in _embed_group(forward, group, shared=shared)])


def _divide(texts: Sequence[Given], pass_tokens: int) -> Iterator[list[Given]]:
    """Yield the texts in groups of as many as fit, at least one."""
    group: list[Given] = []
    for text in texts:
        if group and _count(group) + len(text[0]) > pass_tokens:
            yield group
            group = []
        group.append(text)
    if group:
        yield group


def _count(texts: Sequence[Given]) -> int:
    return sum(len(tokens) for tokens, _ in texts)


def _require_splittable(group: Sequence[Given], error: Exception) -> None:
    """Raise the error again unless memory ran out for a group of several texts."""
    if not is_out_of_memory(error):
        raise error
    if len(group) == 1:
        raise too_large(len(group[0][0])) from error


@torch.inference_mode()
def _read(forward: ForwardPass, texts: Sequence[Given], pass_tokens: int) -> list[SharedReading]:
    tokens = [torch.tensor(list(ids), device=forward.device) for ids, _ in texts]
    # The last token of each text is only predicted.
    edges = list(accumulate((len(ids) - 1 for ids in tokens), initial=0))
    spans = [slice(start, stop) for start, stop in pairwise(edges)]
    plan = AttentionPlan(tuple(Segment(0, span.start, span.stop) for span in spans), recording=True)
    positions = torch.cat([torch.arange(len(ids) - 1) for ids in tokens])
    hidden = forward.hidden_states(torch.cat([ids[:-1] for ids in tokens]), positions, plan)
    places = np.concatenate([np.arange(len(ids) - 1) >= given - 1 for ids, given in texts])
    scored = np.full(len(places), np.nan)
    targets = torch.cat([ids[given:] for ids, (_, given) in zip(tokens, texts, strict=True)])
    scored[places] = forward.log_probabilities(hidden[torch.from_numpy(places).to(hidden.device)], targets)
    return [
        SharedReading(
            forward,
            ids,
            hidden=hidden[span],
            keys={layer: key[:, :, span] for layer, key in plan.keys.items()},
            values={layer: value[:, :, span] for layer, value in plan.values.items()},
            log_probabilities=scored[span],
            pass_tokens=pass_tokens,
        )
        for ids, span in zip(tokens, spans, strict=True)
    ]


def _embed_group(forward: ForwardPass, group: Sequence[Given], *, shared: bool) -> list[FloatArray]:
    """Return the vectors of a group, computed in halves if memory runs out."""
    try:
        return _embed(forward, group, shared=shared)
    except (RuntimeError, MemoryError) as error:
        _require_splittable(group, error)
    half = len(group) // 2
    return [
        row for part in (group[:half], group[half:]) for row in _embed_group(forward, part, shared=shared)
    ]


@torch.inference_mode()
def _embed(forward: ForwardPass, texts: Sequence[Given], *, shared: bool) -> list[FloatArray]:
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
    """Return the mean of the rows; 0 if there are none."""
    rows: FloatArray = np.asarray(states.cpu().double())  # in this order: MPS has no float64
    mean: FloatArray = rows.sum(axis=0) / max(1, len(rows))
    return mean
