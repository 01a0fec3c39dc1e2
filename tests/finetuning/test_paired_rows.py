"""Rows side by side: the same loss, the same gradients, and the same again every time."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from barthes.finetuning import paired_rows
from barthes.finetuning.paired_rows import choose_rows, count_at_once, draws_numbers, pair_rows


def network(dropout: float = 0.0) -> torch.nn.Module:
    torch.manual_seed(0)
    return torch.nn.Sequential(
        torch.nn.Embedding(20, 8), torch.nn.Dropout(dropout), torch.nn.Linear(8, 8), torch.nn.Linear(8, 20)
    )


def loss_of(net: torch.nn.Module):
    def sum_loss(batch):
        logits = net(batch["input_ids"])
        return torch.nn.functional.cross_entropy(
            logits.flatten(0, 1), batch["labels"].flatten(), reduction="sum"
        )

    return sum_loss


def batch_of(rows: int) -> dict[str, torch.Tensor]:
    tokens = torch.arange(rows * 6).reshape(rows, 6) * 7 % 20
    return {"input_ids": tokens, "labels": tokens.roll(1)}


def gradients(net, loss, batch, scale=1.0):
    net.zero_grad()
    found = loss(batch)
    (found * scale).backward()
    return [float(found.detach()), *(each.grad.clone() for each in net.parameters())]


@pytest.mark.parametrize("rows", [1, 2, 5])
def test_loss_and_gradients_are_those_of_the_batch(rows):
    net = network()
    paired = pair_rows(loss_of(net), list(net.parameters()), at_once=2)
    plain = gradients(net, loss_of(net), batch_of(rows), scale=0.25)
    found = gradients(net, paired, batch_of(rows), scale=0.25)
    again = gradients(net, paired, batch_of(rows), scale=0.25)
    assert found[0] == pytest.approx(plain[0], abs=1e-4)
    for one, other, same in zip(found[1:], plain[1:], again[1:], strict=True):
        assert torch.allclose(one, other, atol=1e-5)
        assert torch.equal(one, same)


def test_gradients_are_added_to_those_of_earlier_batches():
    net = network()
    paired = pair_rows(loss_of(net), list(net.parameters()), at_once=2)
    once = gradients(net, paired, batch_of(4))[1:]
    paired(batch_of(4)).backward()
    for weight, before in zip(net.parameters(), once, strict=True):
        assert torch.allclose(weight.grad, 2 * before)


def test_a_weight_that_is_not_used_keeps_no_gradient():
    net, idle = network(), torch.nn.Parameter(torch.ones(3))
    pair_rows(loss_of(net), [*net.parameters(), idle], at_once=2)(batch_of(2)).backward()
    assert idle.grad is None
    assert all(each.grad is not None for each in net.parameters())


def test_where_nothing_is_learnt_nothing_is_kept_for_it():
    net = network()
    paired = pair_rows(loss_of(net), list(net.parameters()), at_once=2)
    with torch.no_grad():
        assert float(paired(batch_of(3))) == float(loss_of(net)(batch_of(3)))


@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_what_draws_random_numbers_is_noticed_and_not_disturbed(dropout):
    net = network(dropout).train()
    state = torch.get_rng_state()
    assert draws_numbers(loss_of(net)) is (dropout > 0)
    assert torch.equal(state, torch.get_rng_state())


@given(batch=st.integers(1, 9), accumulate=st.integers(1, 9), at_once=st.integers(1, 4))
def test_a_step_has_the_blocks_that_were_asked_for(batch, accumulate, at_once):
    rows, batches = choose_rows(batch, accumulate, at_once=at_once)
    assert rows * batches == batch * accumulate
    assert rows >= batch


@pytest.mark.parametrize(("threads", "expected"), [(1, 1), (2, 2), (16, 2)])
def test_memory_limits_how_many_rows_are_read(monkeypatch, threads, expected):
    monkeypatch.setattr(paired_rows, "count_readers", lambda device: threads)
    assert count_at_once("cpu") == expected
