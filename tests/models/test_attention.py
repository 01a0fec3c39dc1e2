from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from barthes.models.attention import (
    AttentionPlan,
    Segment,
    UnsupportedAttentionError,
    _windowed_attention,
    attend,
)


class Layer(torch.nn.Module):
    layer_idx = 0


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
    found, _ = attend(Layer(), q, k, v, None, sliding_window=window, softcap=cap, barthes_plan=story)
    for s in plan:
        own = slice(s.start, s.stop)
        past = past_k[:, :, : s.prefix], past_v[:, :, : s.prefix]
        expected = reference(q[:, :, own], k[:, :, own], v[:, :, own], *past, window, cap)
        torch.testing.assert_close(found[:, own].transpose(1, 2), expected, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize(
    ("past", "block", "window"), [(0, 4, 3), (5, 4, 3), (5, 4, 9), (5, 50, 7), (3, 1, 1)]
)
def test_windows_do_not_depend_on_blocks(past, block, window):
    torch.manual_seed(0)
    q, k, v = (torch.randn(1, heads, 21, 8) for heads in (4, 2, 2))
    before = torch.randn(1, 2, past, 8), torch.randn(1, 2, past, 8)
    found = _windowed_attention(q, k, v, *before, None, None, window, block)
    torch.testing.assert_close(found, reference(q, k, v, *before, window), atol=1e-5, rtol=1e-4)


def test_attention_sinks_are_refused():
    q = torch.randn(1, 2, 3, 8)
    plan = AttentionPlan((Segment(0, 0, 3),))
    with pytest.raises(UnsupportedAttentionError):
        attend(Layer(), q, q, q, None, barthes_plan=plan, s_aux=4)
