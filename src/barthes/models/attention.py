"""Attention of many edited continuations to one story that was read before, without copying it.

A pass through the model holds several *segments*, each the continuation of a different edit. Every token of a
segment attends to two things::

    the first `prefix` tokens of the story      all of them: no mask is needed
    the tokens of its own segment before it     a causal triangle

The two are computed separately and merged by their log-sum-exps, as flash attention merges its blocks. So
masks are not built, masked products are not computed, and the story's keys and values are not copied. The
other layers (projections, feed-forward) do not depend on segments and process all tokens at once.

A layer with a sliding window attends to the last `window` tokens only. As long as a segment and its prefix
fit into the window, that is the same. Otherwise the keys in reach are copied, and a mask is built. A layer
that caps its scores is computed by plain products, because fused kernels do not cap.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any

import torch
from torch import Tensor

from barthes.models.attention_kernels import blockwise_attention, capped_scores, choose_kernel

ATTENTION = "barthes_shared_prefix"
"""The name under which this attention is registered with transformers."""


class UnsupportedAttentionError(Exception):
    """The model needs attention features that `attend` does not compute."""


@dataclass(frozen=True, slots=True)
class Segment:
    """The tokens `start:stop` of a pass, which continue the first `prefix` tokens of the story."""

    prefix: int
    start: int
    stop: int


@dataclass(slots=True)
class AttentionPlan:
    """The segments of one pass, and the keys and values of the story that they attend to.

    Attributes:
        segments: The segments in order; together they cover all tokens of the pass.
        keys, values: One tensor per layer, shape (1, key heads, story tokens, head width).
        recording: Whether this pass reads the story itself, or all of it after the first segment's prefix,
            so that its keys and values are stored.
    """

    segments: tuple[Segment, ...]
    keys: dict[int, Tensor] = field(default_factory=dict)
    values: dict[int, Tensor] = field(default_factory=dict)
    recording: bool = False

    @classmethod
    def of(cls, texts: Sequence[Sized], prefixes: Iterable[int], **fields: Any) -> AttentionPlan:
        """Return the plan of a pass of texts, each of which continues so many tokens of the story."""
        spans = pairwise(accumulate(map(len, texts), initial=0))
        pairs = zip(prefixes, spans, strict=True)
        return cls(tuple(Segment(prefix, *span) for prefix, span in pairs if span[0] < span[1]), **fields)

    @property
    def positions(self) -> Tensor:
        """The position of each token of the pass in its text."""
        return torch.cat([torch.arange(s.prefix, s.prefix + s.stop - s.start) for s in self.segments])


def register() -> None:
    """Register this attention with transformers, by its documented extension point."""
    from transformers import AttentionInterface

    AttentionInterface.register(ATTENTION, attend)


def attend(
    module: torch.nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    sliding_window: int | None = None,
    softcap: float | None = None,
    barthes_plan: AttentionPlan | None = None,
    **options: Any,
) -> tuple[Tensor, None]:
    """Compute attention; called by transformers in every layer.

    `query` has the shape (1, heads, tokens, width), `key` and `value` (1, key heads, tokens, width);
    the result (1, tokens, heads, width).
    """
    layer = getattr(module, "layer_idx", None)
    if barthes_plan is None or layer is None or options.get("s_aux") is not None:
        raise UnsupportedAttentionError(type(module).__name__)
    query, key = query.to(value.dtype), key.to(value.dtype)  # rotations may have raised the precision
    if barthes_plan.recording:
        _record(barthes_plan, layer, key, value)
    parts = []
    for segment in barthes_plan.segments:
        own = slice(segment.start, segment.stop)
        q, k, v = query[:, :, own], key[:, :, own], value[:, :, own]
        past_k, past_v = k[:, :, :0], v[:, :, :0]
        if segment.prefix:
            past = slice(0, segment.prefix)
            past_k, past_v = barthes_plan.keys[layer][:, :, past], barthes_plan.values[layer][:, :, past]
        if sliding_window is not None and segment.prefix + q.shape[2] > sliding_window:
            parts.append(_windowed_attention(q, k, v, past_k, past_v, scaling, softcap, sliding_window))
        elif segment.prefix:
            parts.append(_merged_attention(q, k, v, past_k, past_v, scaling, softcap))
        else:
            parts.append(_causal_attention(q, k, v, scaling, softcap)[0])
    result = parts[0] if len(parts) == 1 else torch.cat(parts, dim=2)
    return result.transpose(1, 2).contiguous(), None


def _record(plan: AttentionPlan, layer: int, key: Tensor, value: Tensor) -> None:
    """Store keys and values after those of the prefix."""
    for known, new in ((plan.keys, key), (plan.values, value)):
        prefix = plan.segments[0].prefix
        known[layer] = torch.cat([known[layer][:, :, :prefix], new], dim=2) if prefix else new


def _windowed_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    past_k: Tensor,
    past_v: Tensor,
    scaling: float | None,
    cap: float | None,
    window: int,
    block: int = 512,
) -> Tensor:
    """Return the attention of each token to itself and the `window` - 1 tokens before it.

    One block of queries is processed at a time, so that time and memory grow with the window and not with the
    length of the story.
    """
    reach = slice(max(0, past_k.shape[2] - window + 1), None)
    groups = q.shape[1] // k.shape[1]
    keys, values = (
        torch.cat([past[:, :, reach], new], dim=2).repeat_interleave(groups, dim=1)
        for past, new in ((past_k, k), (past_v, v))
    )
    before = keys.shape[2] - q.shape[2]
    parts = []
    for start in range(before, keys.shape[2], block):
        stop = min(start + block, keys.shape[2])
        seen = slice(max(0, start - window + 1), stop)
        rows = torch.arange(start, stop, device=q.device)[:, None]
        columns = torch.arange(seen.start, stop, device=q.device)[None, :]
        mask = (columns <= rows) & (columns > rows - window)
        queries = q[:, :, start - before : stop - before]
        parts.append(_masked_attention(queries, keys[:, :, seen], values[:, :, seen], mask, scaling, cap))
    return torch.cat(parts, dim=2)


def _masked_attention(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor, scaling: float | None, cap: float | None
) -> Tensor:
    """Return attention to the keys that the mask (queries, keys) allows."""
    if cap is None:
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scaling)
    scores = capped_scores(q, k, scaling, cap).masked_fill(~mask, float("-inf"))
    return (scores.softmax(-1) @ v.float()).to(q.dtype)


def _merged_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    past_k: Tensor,
    past_v: Tensor,
    scaling: float | None,
    cap: float | None,
) -> Tensor:
    own, own_weight = _causal_attention(q, k, v, scaling, cap)
    past, past_weight = _full_attention(q, past_k, past_v, scaling, cap)
    share = torch.sigmoid(past_weight - own_weight).unsqueeze(-1)
    return torch.lerp(own.float(), past.float(), share).to(q.dtype)


def _causal_attention(
    q: Tensor, k: Tensor, v: Tensor, scaling: float | None, cap: float | None
) -> tuple[Tensor, Tensor]:
    """Return causal attention and the log-sum-exp of its scores (float32)."""
    groups = q.shape[1] // k.shape[1]
    if groups > 1:
        k, v = (x.repeat_interleave(groups, dim=1) for x in (k, v))
    return _attention(q, k, v, True, scaling, cap)


def _full_attention(
    q: Tensor, k: Tensor, v: Tensor, scaling: float | None, cap: float | None
) -> tuple[Tensor, Tensor]:
    """Return attention to all keys, with one product for all query heads that share a key head."""
    batch, heads, tokens, width = q.shape
    folded = q.reshape(batch, k.shape[1], -1, width)
    out, weight = _attention(folded, k, v, False, scaling, cap)
    return out.reshape(batch, heads, tokens, width), weight.reshape(batch, heads, tokens)


def _attention(
    q: Tensor, k: Tensor, v: Tensor, causal: bool, scaling: float | None, cap: float | None
) -> tuple[Tensor, Tensor]:
    """Return attention and the log-sum-exp of its scores, by the best kernel for them."""
    if cap is not None:
        return blockwise_attention(q, k, v, causal, scaling, cap=cap)
    return choose_kernel(q.device, q.dtype, q.shape[-1])(q, k, v, causal, scaling)
