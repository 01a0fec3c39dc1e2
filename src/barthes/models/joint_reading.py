"""Read or embed several independent texts in one pass, because a short text uses little of the hardware."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor

from barthes.models.attention import AttentionPlan
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
    plan = AttentionPlan.of([tokens], [0]) if shared else None
    ids = torch.tensor(list(tokens), device=forward.device)
    try:
        states = forward.layer_states(ids, plan, layers=layers)
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
    inputs = [ids[:-1] for ids in tokens]  # the last one is only predicted
    plan = AttentionPlan.of(inputs, [0] * len(inputs), recording=True)
    states = forward.hidden_states(inputs, plan)
    starts = [given - 1 for _, given in texts]
    scored = forward.log_probabilities(
        [(hidden[i:], ids[i + 1 :]) for hidden, ids, i in zip(states, tokens, starts, strict=True)]
    )
    spans = [slice(segment.start, segment.stop) for segment in plan.segments]
    return [
        SharedReading(
            forward,
            ids,
            hidden=hidden,
            keys={layer: key[:, :, span] for layer, key in plan.keys.items()},
            values={layer: value[:, :, span] for layer, value in plan.values.items()},
            log_probabilities=np.concatenate([np.full(i, np.nan), found]),
            pass_tokens=pass_tokens,
        )
        for ids, hidden, span, i, found in zip(tokens, states, spans, starts, scored, strict=True)
    ]


@torch.inference_mode()
def _embed(
    forward: ForwardPass, texts: Sequence[PromptedText], pass_tokens: int, *, shared: bool
) -> list[FloatArray]:
    plan = AttentionPlan.of([tokens for tokens, _ in texts], [0] * len(texts))
    ids = torch.tensor([token for tokens, _ in texts for token in tokens], device=forward.device)
    hidden = forward.middle_states(ids, plan if shared else None)
    parts = torch.split(hidden, list(map(_count, texts)))
    return [_average(states[given:]) for states, (_, given) in zip(parts, texts, strict=True)]


def _average(states: Tensor) -> FloatArray:
    """Return the mean of the rows; 0 if there are none."""
    rows: FloatArray = np.asarray(states.cpu().double())  # in this order: MPS has no float64
    mean: FloatArray = rows.sum(axis=0) / max(1, len(rows))
    return mean
