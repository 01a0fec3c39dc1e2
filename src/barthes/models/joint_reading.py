"""Several texts in one pass: a short text alone leaves most of a processor's width unused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

import torch

from barthes.models.attention import AttentionPlan, Segment
from barthes.models.forward_pass import ForwardPass, is_out_of_memory, too_large
from barthes.models.shared_reading import SharedReading

__all__ = ["read_together"]


def read_together(
    forward: ForwardPass, texts: Sequence[Sequence[int]], *, pass_tokens: int
) -> Iterator[SharedReading]:
    """Read texts that do not see each other, in order.

    Args:
        forward: The network.
        texts: The tokens of each, two or more; the first one is given.
        pass_tokens: How many tokens go through the network at once; a text is never torn apart.

    Raises:
        ModelError: There is not enough memory for one of the texts.
    """
    for group in _divide(texts, pass_tokens):
        try:
            yield from _read(forward, group, pass_tokens)
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise
            if len(group) == 1:
                raise too_large(len(group[0])) from error
            yield from read_together(forward, group, pass_tokens=max(map(len, group)))


def _divide(texts: Sequence[Sequence[int]], pass_tokens: int) -> Iterator[list[Sequence[int]]]:
    """The texts in groups, each of as many as fit; at least one."""
    group: list[Sequence[int]] = []
    for text in texts:
        if group and sum(map(len, group)) + len(text) > pass_tokens:
            yield group
            group = []
        group.append(text)
    if group:
        yield group


@torch.inference_mode()
def _read(forward: ForwardPass, texts: Sequence[Sequence[int]], pass_tokens: int) -> list[SharedReading]:
    tokens = [torch.tensor(list(text), device=forward.device) for text in texts]
    # The last token of each text is only predicted.
    edges = list(accumulate((len(text) - 1 for text in texts), initial=0))
    spans = [slice(start, stop) for start, stop in pairwise(edges)]
    plan = AttentionPlan(tuple(Segment(0, span.start, span.stop) for span in spans), recording=True)
    positions = torch.cat([torch.arange(len(text) - 1) for text in texts])
    hidden = forward.hidden_states(torch.cat([ids[:-1] for ids in tokens]), positions, plan)
    scored = forward.log_probabilities(hidden, torch.cat([ids[1:] for ids in tokens]))
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
