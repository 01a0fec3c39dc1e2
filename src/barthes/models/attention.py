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
from functools import cache
from itertools import accumulate, pairwise
from typing import Any

import torch
from torch import Tensor

ATTENTION = "barthes_shared_prefix"
"""The name under which this attention is registered with transformers."""

_BLOCK = 512  # queries that are multiplied at once

Parts = tuple[Tensor, Tensor]
"""Attention, and the log-sum-exp of its scores (float32), by which parts are merged."""


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
        recording: Whether this pass reads the story itself, so that its keys and values are stored.
        depth: How many layers are needed; None for all. Only `barthes.models.llama` skips the others.
    """

    segments: tuple[Segment, ...]
    keys: dict[int, Tensor] = field(default_factory=dict)
    values: dict[int, Tensor] = field(default_factory=dict)
    recording: bool = False
    depth: int | None = None

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


@dataclass(frozen=True, slots=True)
class _Scores:
    """How a layer computes the scores of pairs of queries and keys.

    Attributes:
        scaling: The factor of the products; None for one over the square root of the width.
        cap: If given, each score x becomes cap · tanh(x / cap), as in Gemma 2.
    """

    scaling: float | None
    cap: float | None

    def of(self, q: Tensor, k: Tensor) -> Tensor:
        """Return the scores of all pairs, before the softmax; float32."""
        scale = q.shape[-1] ** -0.5 if self.scaling is None else self.scaling
        scores = (q.float() * scale) @ k.float().transpose(-1, -2)
        return scores if self.cap is None else scores.div_(self.cap).tanh_().mul_(self.cap)


_PLAIN = _Scores(None, None)


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
    if sliding_window != _configured_window(module, layer):
        raise UnsupportedAttentionError(f"the window of layer {layer} of {type(module).__name__}")
    query, key = query.to(value.dtype), key.to(value.dtype)  # rotations may have raised the precision
    result = attend_by_plan(barthes_plan, layer, query, key, value, _Scores(scaling, softcap), sliding_window)
    return result.transpose(1, 2).contiguous(), None


def _configured_window(module: torch.nn.Module, layer: int) -> int | None:
    """Return the sliding window of a layer by the model's configuration; None if it has none."""
    config: Any = getattr(module, "config", None)
    kinds = getattr(config, "layer_types", None)
    window: int | None = getattr(config, "sliding_window", None)
    return window if kinds is None or kinds[layer] == "sliding_attention" else None


def attend_by_plan(
    plan: AttentionPlan,
    layer: int,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    scores: _Scores = _PLAIN,
    window: int | None = None,
) -> Tensor:
    """Return the attention of the segments of a pass in one layer, in the shape of `query`."""
    if plan.recording:
        plan.keys[layer], plan.values[layer] = key, value
    parts = []
    for segment in plan.segments:
        own = slice(segment.start, segment.stop)
        q, k, v = query[:, :, own], key[:, :, own], value[:, :, own]
        if not segment.prefix:
            parts.append(_causal_attention(q, k, v, scores, window)[0])
            continue
        past = slice(0 if window is None else max(0, segment.prefix + 1 - window), segment.prefix)
        past_k, past_v = plan.keys[layer][:, :, past], plan.values[layer][:, :, past]
        if window is not None and segment.prefix + q.shape[2] > window:
            k, v = torch.cat([past_k, k], dim=2), torch.cat([past_v, v], dim=2)
            parts.append(_causal_attention(q, k, v, scores, window)[0])
        else:
            own_part = _causal_attention(q, k, v, scores)
            parts.append(_merge(own_part, _full_attention(q, past_k, past_v, scores)).to(q.dtype))
    return parts[0] if len(parts) == 1 else torch.cat(parts, dim=2)


def _merge(own: Parts, past: Parts) -> Tensor:
    share = torch.sigmoid(past[1] - own[1]).unsqueeze(-1)
    return torch.lerp(own[0].float(), past[0].float(), share)


def _causal_attention(q: Tensor, k: Tensor, v: Tensor, scores: _Scores, window: int | None = None) -> Parts:
    """Return the attention of each token to those up to itself, at most `window` of them.

    The queries are those of the last keys.
    """
    length = k.shape[2]
    groups = q.shape[1] // k.shape[1]
    if groups > 1:
        k, v = (x.repeat_interleave(groups, dim=1) for x in (k, v))
    if q.shape[2] < length or length > (window or length):
        return _plain_attention(q, k, v, scores, causal=True, window=window)
    return _attention(q, k, v, scores, causal=True)


def _full_attention(q: Tensor, k: Tensor, v: Tensor, scores: _Scores) -> Parts:
    """Return attention to all keys, with one product for all query heads that share a key head."""
    batch, heads, tokens, width = q.shape
    out, weight = _attention(q.reshape(batch, k.shape[1], -1, width), k, v, scores, causal=False)
    return out.reshape(batch, heads, tokens, width), weight.reshape(batch, heads, tokens)


def _attention(q: Tensor, k: Tensor, v: Tensor, scores: _Scores, *, causal: bool) -> Parts:
    if scores.cap is None and q.device.type == "cpu" and _has_fused_attention(q.dtype, q.shape[-1]):
        return _fused_attention(q, k, v, causal, scores.scaling)
    return _plain_attention(q, k, v, scores, causal=causal)


def _plain_attention(
    q: Tensor, k: Tensor, v: Tensor, scores: _Scores, *, causal: bool, window: int | None = None
) -> Parts:
    """Return attention on any device, by products in float32 of one block of queries each.

    If it is causal, the queries are those of the last keys, and each block is multiplied only by the keys
    that its tokens attend to.
    """
    outs, weights = [], []
    length = k.shape[2]
    for start in range(0, q.shape[2], _BLOCK):
        block = q[:, :, start : start + _BLOCK]
        seen = slice(0, length)
        if causal:
            first = length - q.shape[2] + start  # the place of the block's first query among the keys
            seen = slice(max(0, first + 1 - (window or length)), first + block.shape[2])
        products = scores.of(block, k[:, :, seen])
        if causal:
            rows = torch.arange(first, seen.stop, device=q.device)[:, None]
            columns = torch.arange(seen.start, seen.stop, device=q.device)[None, :]
            hidden = (columns > rows) | (columns <= rows - (window or length))
            products = products.masked_fill(hidden, float("-inf"))
        weights.append(products.logsumexp(-1))
        outs.append((products.softmax(-1) @ v[:, :, seen].float()).to(q.dtype))
    return torch.cat(outs, dim=2), torch.cat(weights, dim=2)


def _fused_attention(q: Tensor, k: Tensor, v: Tensor, causal: bool, scaling: float | None) -> Parts:
    """Return attention by PyTorch's kernel for CPUs; the public function does not return log-sum-exps."""
    flash = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
    out, weight = flash(q, k, v, 0.0, causal, scale=scaling)
    return out, weight


@cache
def _has_fused_attention(dtype: torch.dtype, width: int) -> bool:
    """Return whether this PyTorch has the kernel, and it gives the results of plain products."""
    q, k, v = (
        torch.arange(2.0 * 40 * width).mul(step).sin().mul(2).view(1, 2, 40, width).to(dtype)
        for step in (3, 5, 7)
    )
    tolerance = 1e-3 if dtype == torch.float32 else 3e-2
    with torch.autocast("cpu", enabled=False):
        for causal in (False, True):
            try:
                found = _fused_attention(q, k, v, causal, None)
            except (RuntimeError, NotImplementedError, AttributeError):  # another version of PyTorch
                return False
            expected = _plain_attention(q, k, v, _PLAIN, causal=causal)
            pairs = zip(found, expected, strict=True)
            if not all(torch.allclose(a.float(), b.float(), atol=tolerance) for a, b in pairs):
                return False
    return True
