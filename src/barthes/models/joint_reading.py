"""Read or embed several independent texts in one pass, because a short text uses little of the hardware."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate, pairwise
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor

from barthes.models.attention import AttentionPlan, Segment
from barthes.models.forward_pass import ForwardPass, divide, is_out_of_memory, too_large
from barthes.models.language_model import FloatArray, PromptedText
from barthes.models.shared_reading import SharedReading

T = TypeVar("T")


def read_together(
    forward: ForwardPass, texts: Sequence[PromptedText], *, pass_tokens: int
) -> Iterator[SharedReading]:
    """Yield the readings of texts, in order, with at most `pass_tokens` per pass; a text is never split."""
    return _in_passes(partial(_read, forward), texts, pass_tokens)


def embed_together(
    forward: ForwardPass, texts: Sequence[PromptedText], *, pass_tokens: int, shared: bool
) -> FloatArray:
    """Return a vector per text: the mean hidden state after half of the layers; float64, (texts, width).

    The first layers encode words and the last ones predict the next token; those in between encode the
    content of a sentence. Given tokens are read but not averaged; the vector of a text without other tokens
    is 0. Texts share passes if the network supports it (`shared`).
    """
    compute = partial(_embed, forward, shared=shared)
    rows: list[FloatArray] = list(_in_passes(compute, texts, pass_tokens if shared else 1))
    return np.stack(rows)


@torch.inference_mode()
def average_states(
    forward: ForwardPass,
    tokens: Sequence[int],
    spans: Sequence[tuple[int, int]],
    *,
    layers: Sequence[int],
    shared: bool,
) -> FloatArray:
    """Return the mean hidden state of each span of one text after each number of layers; see `_average`."""
    plan = AttentionPlan((Segment(0, 0, len(tokens)),)) if shared else None
    ids = torch.tensor(list(tokens), device=forward.device)
    try:
        states = forward.layer_states(ids, torch.arange(len(tokens)), plan, layers=layers)
    except (RuntimeError, MemoryError) as error:
        raise (too_large(len(tokens)) if is_out_of_memory(error) else error) from error
    rows = [[_average(hidden[start:stop]) for hidden in states] for start, stop in spans]
    return np.array(rows).reshape(len(spans), len(layers), -1)


def _in_passes(
    compute: Callable[[Sequence[PromptedText], int], list[T]], texts: Sequence[PromptedText], pass_tokens: int
) -> Iterator[T]:
    """Yield the results for all texts, computed in passes; the passes get smaller if memory runs out."""
    for group in divide(texts, _count, pass_tokens=pass_tokens):
        try:
            yield from compute(group, pass_tokens)
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise
            if len(group) == 1:
                raise too_large(_count(group[0])) from error
            yield from _in_passes(compute, group, sum(map(_count, group)) // 2)


def _count(text: PromptedText) -> int:
    return len(text[0])


@torch.inference_mode()
def _read(forward: ForwardPass, texts: Sequence[PromptedText], pass_tokens: int) -> list[SharedReading]:
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


@torch.inference_mode()
def _embed(
    forward: ForwardPass, texts: Sequence[PromptedText], pass_tokens: int, *, shared: bool
) -> list[FloatArray]:
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
