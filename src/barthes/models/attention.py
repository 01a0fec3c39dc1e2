"""Attention of many edited continuations to one story that was read before, without copying it.

A pass through the model holds several *segments*, each the continuation of a different edit. Every token of a
segment attends to two things::

    the first `prefix` tokens of the story      all of them: no mask is needed
    the tokens of its own segment before it     a causal triangle

The two are computed separately and merged by their log-sum-exps, as flash attention merges its blocks. So
masks are not built, masked products are not computed, and the story's keys and values are not copied. The
other layers (projections, feed-forward) do not depend on segments and process all tokens at once.

A layer with a sliding window attends to the last `window` tokens only. As long as a segment and its prefix
fit into the window, that is the same. Otherwise the keys in reach are copied, and a mask is built.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

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
    barthes_plan: AttentionPlan | None = None,
    **options: Any,
) -> tuple[Tensor, None]:
    """Compute attention; called by transformers in every layer.

    `query` has the shape (1, heads, tokens, width), `key` and `value` (1, key heads, tokens, width);
    the result (1, tokens, heads, width).
    """
    layer = getattr(module, "layer_idx", None)
    if barthes_plan is None or layer is None or _needs_more(options):
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
            parts.append(_windowed_attention(q, k, v, past_k, past_v, scaling, sliding_window))
        elif segment.prefix:
            parts.append(_merged_attention(q, k, v, past_k, past_v, scaling))
        else:
            parts.append(_causal_attention(q, k, v, scaling)[0])
    result = parts[0] if len(parts) == 1 else torch.cat(parts, dim=2)
    return result.transpose(1, 2).contiguous(), None


def _record(plan: AttentionPlan, layer: int, key: Tensor, value: Tensor) -> None:
    """Store keys and values after those of the prefix."""
    for known, new in ((plan.keys, key), (plan.values, value)):
        prefix = plan.segments[0].prefix
        known[layer] = torch.cat([known[layer][:, :, :prefix], new], dim=2) if prefix else new


def _needs_more(options: dict[str, Any]) -> bool:
    """Return whether the layer needs soft caps or attention sinks."""
    return any(options.get(name) is not None for name in ("softcap", "s_aux"))


def _windowed_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    past_k: Tensor,
    past_v: Tensor,
    scaling: float | None,
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
        parts.append(
            torch.nn.functional.scaled_dot_product_attention(
                queries, keys[:, :, seen], values[:, :, seen], attn_mask=mask, scale=scaling
            )
        )
    return torch.cat(parts, dim=2)


def _merged_attention(
    q: Tensor, k: Tensor, v: Tensor, past_k: Tensor, past_v: Tensor, scaling: float | None
) -> Tensor:
    own, own_weight = _causal_attention(q, k, v, scaling)
    past, past_weight = _full_attention(q, past_k, past_v, scaling)
    share = torch.sigmoid(past_weight - own_weight).unsqueeze(-1)
    return torch.lerp(own.float(), past.float(), share).to(q.dtype)


def _causal_attention(q: Tensor, k: Tensor, v: Tensor, scaling: float | None) -> tuple[Tensor, Tensor]:
    """Return causal attention and the log-sum-exp of its scores (float32)."""
    groups = q.shape[1] // k.shape[1]
    if groups > 1:
        k, v = (x.repeat_interleave(groups, dim=1) for x in (k, v))
    return _flash(q, k, v, causal=True, scaling=scaling)


def _full_attention(q: Tensor, k: Tensor, v: Tensor, scaling: float | None) -> tuple[Tensor, Tensor]:
    """Return attention to all keys, with one product for all query heads that share a key head."""
    batch, heads, tokens, width = q.shape
    folded = q.reshape(batch, k.shape[1], -1, width)
    out, weight = _flash(folded, k, v, causal=False, scaling=scaling)
    return out.reshape(batch, heads, tokens, width), weight.reshape(batch, heads, tokens)


def _flash(q: Tensor, k: Tensor, v: Tensor, *, causal: bool, scaling: float | None) -> tuple[Tensor, Tensor]:
    """Return scaled dot-product attention and its log-sum-exp; on the CPU by a fused kernel."""
    if q.device.type == "cpu":
        out, weight = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(
            q, k, v, 0.0, causal, scale=scaling
        )
        return out, weight
    return blockwise_attention(q, k, v, causal=causal, scaling=scaling)


def blockwise_attention(
    q: Tensor, k: Tensor, v: Tensor, *, causal: bool, scaling: float | None, block: int = 512
) -> tuple[Tensor, Tensor]:
    """Return attention and its log-sum-exp on any device, by plain products of one block of queries each."""
    scale = q.shape[-1] ** -0.5 if scaling is None else scaling
    outs, weights = [], []
    for start in range(0, q.shape[2], block):
        scores = (q[:, :, start : start + block].float() * scale) @ k.float().transpose(-1, -2)
        if causal:
            rows = torch.arange(start, start + scores.shape[2], device=q.device)
            ahead = torch.arange(k.shape[2], device=q.device)[None, :] > rows[:, None]
            scores = scores.masked_fill(ahead, float("-inf"))
        weights.append(scores.logsumexp(-1))
        outs.append((scores.softmax(-1) @ v.float()).to(q.dtype))
    return torch.cat(outs, dim=2), torch.cat(weights, dim=2)
