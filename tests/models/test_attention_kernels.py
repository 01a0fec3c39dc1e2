"""The choice of kernels. Those of CUDA are not run: PyTorch's meta device checks their calls and shapes."""

from __future__ import annotations

import pytest
import torch

from barthes.models import attention_kernels
from barthes.models.attention import AttentionPlan, Segment, attend
from barthes.models.attention_kernels import (
    KERNELS,
    blockwise_attention,
    choose_kernel,
    efficient_on_cuda,
    flash_on_cpu,
    flash_on_cuda,
)

CPU = torch.device("cpu")


@pytest.fixture
def offer(monkeypatch):
    """Return a function that replaces the kernels of the CPU and forgets earlier choices."""

    def replace(*kernels):
        monkeypatch.setitem(KERNELS, "cpu", kernels)
        choose_kernel.cache_clear()

    yield replace
    choose_kernel.cache_clear()


def padded(q, k, v, causal, scaling):
    """Return the log-sum-exps of more rows than there are, as the memory-efficient kernel does."""
    out, weight = flash_on_cpu(q, k, v, causal, scaling)
    return out, torch.nn.functional.pad(weight, (0, -q.shape[2] % 32)), None, None


def missing(*given):
    raise NotImplementedError("no kernel for this device")


def wrong(q, k, v, causal, scaling):
    out, weight = flash_on_cpu(q, k, v, causal, scaling)
    return out, weight * 1.4427  # log-sum-exps to the base 2


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_plain_products_equal_the_fused_kernel(causal, dtype):
    torch.manual_seed(0)
    q, k, v = (torch.randn(1, 2, 21, 8).to(dtype) for _ in range(3))
    out, weight = blockwise_attention(q, k, v, causal, None, block=4)
    fused, fused_weight = flash_on_cpu(q, k, v, causal, None)
    tolerance = 1e-5 if dtype == torch.float32 else 2e-2
    torch.testing.assert_close(out, fused, atol=tolerance, rtol=1e-4)
    torch.testing.assert_close(weight, fused_weight, atol=tolerance, rtol=1e-4)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_the_cpu_has_a_fused_kernel(dtype):
    assert choose_kernel(CPU, dtype, 64) is flash_on_cpu


@pytest.mark.parametrize("bad", [missing, wrong])
def test_a_kernel_that_fails_or_errs_is_passed_over(offer, bad):
    offer(bad, flash_on_cpu)
    assert choose_kernel(CPU, torch.bfloat16, 64) is flash_on_cpu
    offer(bad)
    assert choose_kernel(CPU, torch.bfloat16, 64) is blockwise_attention


def test_devices_without_kernels_use_plain_products(monkeypatch):
    assert "mps" not in KERNELS
    monkeypatch.delitem(KERNELS, "cpu")
    choose_kernel.cache_clear()
    assert choose_kernel(CPU, torch.float32, 24) is blockwise_attention
    choose_kernel.cache_clear()


@pytest.mark.parametrize("kernel", [flash_on_cuda, efficient_on_cuda])
@pytest.mark.parametrize(("keys", "causal"), [(70, False), (50, True)])
def test_kernels_of_cuda_return_one_weight_per_query(kernel, keys, causal):
    q, k = (torch.empty(1, 4, n, 64, device="meta", dtype=torch.bfloat16) for n in (50, keys))
    out, weight = kernel(q, k, k, causal, 0.1)
    assert (out.shape, weight.shape, weight.dtype) == (q.shape, (1, 4, 50), torch.float32)


def test_padded_weights_are_cut(monkeypatch):
    def efficient(q, k, v, bias, with_weights, dropout, causal, *, scale):
        assert (bias, with_weights, dropout) == (None, True, 0.0)
        return padded(q, k, v, causal, scale)

    monkeypatch.setattr(torch.ops.aten, "_scaled_dot_product_efficient_attention", efficient)
    assert attention_kernels._works(efficient_on_cuda, CPU, torch.float32, 16)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_merging_does_not_depend_on_the_kernel(offer, dtype):
    """The same pass with the fused kernel and with plain products; two segments, shared key heads."""
    torch.manual_seed(1)
    q, k, v = (torch.randn(1, heads, 50, 16).to(dtype) for heads in (6, 2, 2))
    past = [torch.randn(1, 2, 40, 16).to(dtype) for _ in range(2)]
    plan = AttentionPlan((Segment(40, 0, 20), Segment(11, 20, 50)), {0: past[0]}, {0: past[1]})
    layer = torch.nn.Module()
    layer.layer_idx = 0
    found = []
    for kernels in ((flash_on_cpu,), ()):
        offer(*kernels)
        found.append(attend(layer, q, k, v, None, barthes_plan=plan)[0])
    tolerance = 1e-5 if dtype == torch.float32 else 2e-2
    torch.testing.assert_close(*found, atol=tolerance, rtol=1e-3)
