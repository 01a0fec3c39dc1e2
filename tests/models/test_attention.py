from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.models import attention
from barthes.models.attention import AttentionPlan, Segment, UnsupportedAttentionError, attend


class Layer(torch.nn.Module):
    layer_idx = 0

    def __init__(self, window=None):
        super().__init__()
        self.config = SimpleNamespace(sliding_window=window)


def reference(q, k, v, past_k, past_v, window=None, cap=None):
    """Attention with an explicit mask over the concatenated keys."""
    groups = q.shape[1] // k.shape[1]
    keys = torch.cat([past_k, k], 2).repeat_interleave(groups, 1)
    values = torch.cat([past_v, v], 2).repeat_interleave(groups, 1)
    scores = q @ keys.transpose(-1, -2) / q.shape[-1] ** 0.5
    if cap is not None:
        scores = cap * (scores / cap).tanh()
    mask = torch.ones(q.shape[2], keys.shape[2], dtype=torch.bool).tril(past_k.shape[2])
    if window is not None:
        mask = mask.triu(past_k.shape[2] - window + 1)
    return scores.masked_fill(~mask, float("-inf")).softmax(-1) @ values


@settings(max_examples=30, deadline=None)
@given(
    segments=st.lists(st.tuples(st.integers(0, 20), st.integers(1, 12)), min_size=1, max_size=4),
    heads=st.sampled_from([(2, 2), (6, 2), (3, 1)]),
    window=st.none() | st.integers(1, 40),
    cap=st.none() | st.floats(0.5, 5),
    seed=st.integers(0, 1000),
)
def test_every_segment_attends_to_its_prefix_and_itself(segments, heads, window, cap, seed):
    torch.manual_seed(seed)
    tokens = sum(length for _, length in segments)
    q, k, v = (torch.randn(1, h, tokens, 8) for h in (heads[0], heads[1], heads[1]))
    past_k, past_v = torch.randn(1, heads[1], 20, 8), torch.randn(1, heads[1], 20, 8)
    plan, start = [], 0
    for prefix, length in segments:
        plan.append(Segment(prefix, start, start + length))
        start += length
    story = AttentionPlan(tuple(plan), {0: past_k}, {0: past_v})
    found, _ = attend(Layer(window), q, k, v, None, sliding_window=window, softcap=cap, barthes_plan=story)
    for s in plan:
        own = slice(s.start, s.stop)
        past = past_k[:, :, : s.prefix], past_v[:, :, : s.prefix]
        expected = reference(q[:, :, own], k[:, :, own], v[:, :, own], *past, window, cap)
        torch.testing.assert_close(found[:, own].transpose(1, 2), expected, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("block", [1, 4, 50])
@pytest.mark.parametrize(("past", "window"), [(0, 3), (5, 3), (5, 9), (5, 7), (3, 1), (5, None)])
def test_results_do_not_depend_on_blocks(monkeypatch, past, block, window):
    monkeypatch.setattr(attention, "_BLOCK", block)
    monkeypatch.setattr(attention, "_has_fused_attention", lambda *kind: False)
    torch.manual_seed(0)
    q, k, v = (torch.randn(1, heads, 21, 8) for heads in (4, 2, 2))
    before = torch.randn(1, 2, past, 8), torch.randn(1, 2, past, 8)
    plan = AttentionPlan((Segment(past, 0, 21),), {0: before[0]}, {0: before[1]})
    found, _ = attend(Layer(window), q, k, v, None, sliding_window=window, barthes_plan=plan)
    torch.testing.assert_close(
        found.transpose(1, 2), reference(q, k, v, *before, window), atol=1e-5, rtol=1e-4
    )


def test_attention_sinks_and_windows_that_are_not_configured_are_refused():
    q = torch.randn(1, 2, 3, 8)
    plan = AttentionPlan((Segment(0, 0, 3),))
    for layer, options in ((Layer(), {"s_aux": 4}), (Layer(8), {}), (Layer(), {"sliding_window": 8})):
        with pytest.raises(UnsupportedAttentionError):
            attend(layer, q, q, q, None, barthes_plan=plan, **options)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_plain_products_equal_the_fused_kernel(monkeypatch, dtype):
    """The same pass with both; two segments, shared key heads."""
    assert attention._has_fused_attention(dtype, 16)
    torch.manual_seed(1)
    q, k, v = (torch.randn(1, heads, 50, 16).to(dtype) for heads in (6, 2, 2))
    past = [torch.randn(1, 2, 40, 16).to(dtype) for _ in range(2)]
    plan = AttentionPlan((Segment(40, 0, 20), Segment(11, 20, 50)), {0: past[0]}, {0: past[1]})
    fused, _ = attend(Layer(), q, k, v, None, barthes_plan=plan)
    monkeypatch.setattr(attention, "_has_fused_attention", lambda *kind: False)
    plain, _ = attend(Layer(), q, k, v, None, barthes_plan=plan)
    tolerance = 1e-5 if dtype == torch.float32 else 2e-2
    torch.testing.assert_close(fused, plain, atol=tolerance, rtol=1e-3)


@pytest.mark.parametrize("kernel", ["missing", "wrong"])
def test_a_kernel_that_fails_or_errs_is_not_used(monkeypatch, kernel):
    fused = attention._fused_attention

    def replaced(*given):
        if kernel == "missing":
            raise NotImplementedError("no kernel in this version")
        out, weight = fused(*given)
        return out, weight * 1.4427  # log-sum-exps to the base 2

    monkeypatch.setattr(attention, "_fused_attention", replaced)
    assert not attention._has_fused_attention.__wrapped__(torch.float32, 16)
