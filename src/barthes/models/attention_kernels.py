"""Kernels that return attention together with the log-sum-exp of its scores, by which blocks are merged.

PyTorch has such kernels for the CPU and for CUDA, for some precisions and head widths. Whether one works is
tried once per device and precision, on a few tokens; if none does, plain products are used.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import torch
from torch import Tensor

Kernel = Callable[[Tensor, Tensor, Tensor, bool, float | None], tuple[Tensor, Tensor]]
"""Returns attention and its log-sum-exp (float32) for queries, keys, values, `causal` and the scaling.

The first three have the shape (batch, heads, tokens, width); causal attention has as many keys as queries.
"""


def flash_on_cpu(
    q: Tensor, k: Tensor, v: Tensor, causal: bool, scaling: float | None
) -> tuple[Tensor, Tensor]:
    """Return attention by the fused kernel of the CPU, in any precision."""
    flash = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
    out, weight = flash(q, k, v, 0.0, causal, scale=scaling)
    return out, weight


def flash_on_cuda(
    q: Tensor, k: Tensor, v: Tensor, causal: bool, scaling: float | None
) -> tuple[Tensor, Tensor]:
    """Return attention by the fused kernel of CUDA; bfloat16 and float16."""
    found = torch.ops.aten._scaled_dot_product_flash_attention(q, k, v, 0.0, causal, scale=scaling)
    return found[0], found[1]


def efficient_on_cuda(
    q: Tensor, k: Tensor, v: Tensor, causal: bool, scaling: float | None
) -> tuple[Tensor, Tensor]:
    """Return attention by the memory-efficient kernel of CUDA; float32 too, and older GPUs."""
    efficient = torch.ops.aten._scaled_dot_product_efficient_attention
    out, weight, *_ = efficient(q, k, v, None, True, 0.0, causal, scale=scaling)
    return out, weight[:, :, : q.shape[2]]  # it is padded


def blockwise_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    causal: bool,
    scaling: float | None,
    *,
    cap: float | None = None,
    block: int = 512,
) -> tuple[Tensor, Tensor]:
    """Return attention on any device, by plain products in float32 of one block of queries each.

    With a `cap`, each score x becomes cap · tanh(x / cap), as in Gemma 2.
    """
    outs, weights = [], []
    for start in range(0, q.shape[2], block):
        scores = capped_scores(q[:, :, start : start + block], k, scaling, cap)
        if causal:
            rows = torch.arange(start, start + scores.shape[2], device=q.device)
            ahead = torch.arange(k.shape[2], device=q.device)[None, :] > rows[:, None]
            scores = scores.masked_fill(ahead, float("-inf"))
        weights.append(scores.logsumexp(-1))
        outs.append((scores.softmax(-1) @ v.float()).to(q.dtype))
    return torch.cat(outs, dim=2), torch.cat(weights, dim=2)


def capped_scores(q: Tensor, k: Tensor, scaling: float | None, cap: float | None) -> Tensor:
    """Return the scores of all pairs of a query and a key, before the softmax; float32."""
    scale = q.shape[-1] ** -0.5 if scaling is None else scaling
    scores = (q.float() * scale) @ k.float().transpose(-1, -2)
    return scores if cap is None else scores.div_(cap).tanh_().mul_(cap)


KERNELS: dict[str, tuple[Kernel, ...]] = {
    "cpu": (flash_on_cpu,),
    "cuda": (flash_on_cuda, efficient_on_cuda),
}
"""The kernels of each type of device, the fastest first."""


@cache
def choose_kernel(device: torch.device, dtype: torch.dtype, width: int) -> Kernel:
    """Return the first kernel that works for a precision and a width of heads, else plain products."""
    works = (kernel for kernel in KERNELS.get(device.type, ()) if _works(kernel, device, dtype, width))
    return next(works, blockwise_attention)


def _works(kernel: Kernel, device: torch.device, dtype: torch.dtype, width: int) -> bool:
    """Return whether a kernel gives the results of plain products, causal and not, on a few tokens."""
    q, k, v = (
        _example(tokens, width, step).to(device, dtype) for tokens, step in ((40, 3), (56, 5), (56, 7))
    )
    tolerance = 1e-3 if dtype == torch.float32 else 3e-2
    with torch.autocast(device.type, enabled=False):
        for keys, causal in ((56, False), (40, True)):
            given = q, k[:, :, :keys], v[:, :, :keys], causal, None
            try:
                found = kernel(*given)
            except (RuntimeError, NotImplementedError, AttributeError):  # not for this hardware or PyTorch
                return False
            pairs = zip(found, blockwise_attention(*given), strict=True)
            if not all(torch.allclose(a.float(), b.float(), atol=tolerance) for a, b in pairs):
                return False
    return True


def _example(tokens: int, width: int, step: int) -> Tensor:
    """Return numbers from -2 to 2, the same every time; shape (1, 2, tokens, width)."""
    return torch.arange(2.0 * tokens * width).mul(step).sin().mul(2).view(1, 2, tokens, width)
