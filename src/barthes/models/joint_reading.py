"""Several texts in one pass: a short text alone leaves most of a processor's width unused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

import numpy as np
import torch

from barthes.models.attention import AttentionPlan, Segment
from barthes.models.forward_pass import ForwardPass, is_out_of_memory, too_large
from barthes.models.language_model import Given
from barthes.models.shared_reading import SharedReading

__all__ = ["divide", "read_together"]


def read_together(
    forward: ForwardPass, texts: Sequence[Given], *, pass_tokens: int
) -> Iterator[SharedReading]:
    """Read texts that do not see each other, in order.

    Args:
        forward: The network.
        texts: The tokens of each, two or more, and how many of them are given: those are not scored.
        pass_tokens: How many tokens go through the network at once; a text is never torn apart.

    Raises:
        ModelError: There is not enough memory for one of the texts.
    """
    for group in divide(texts, pass_tokens):
        try:
            yield from _read(forward, group, pass_tokens)
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise
            if len(group) == 1:
                raise too_large(len(group[0][0])) from error
            yield from read_together(forward, group, pass_tokens=_count(group) // 2)


def _count(texts: Sequence[Given]) -> int:
    return sum(len(tokens) for tokens, _ in texts)


def divide(texts: Sequence[Given], pass_tokens: int) -> Iterator[list[Given]]:
    """The texts in groups, each of as many as fit; at least one."""
    group: list[Given] = []
    for text in texts:
        if group and _count(group) + len(text[0]) > pass_tokens:
            yield group
            group = []
        group.append(text)
    if group:
        yield group


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
