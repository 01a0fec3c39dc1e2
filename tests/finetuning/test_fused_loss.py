"""The loss without a table of logits is the network's own, gradients and all, or is not used."""

from __future__ import annotations

import pytest
import torch

from barthes.finetuning import story_trainer
from barthes.finetuning.base_model import add_adapters
from barthes.finetuning.settings import TrainingSettings
from barthes.finetuning.token_blocks import TokenBlock, collate, find_fused_loss
from barthes.finetuning.training import finetune
from tests.finetuning.tiny_runs import record_lines, small, tell_tales, write_base
from tests.tiny_models import tiny_network

pytestmark = pytest.mark.skipif(
    not hasattr(torch.nn.functional, "linear_cross_entropy"), reason="this torch has no linear_cross_entropy"
)


def blocks():
    """Rows of two lengths, some of whose tokens are not predicted."""

    def make(length):
        predicted = (place % 7 > 0 for place in range(length - 1))
        return TokenBlock(tuple(3 + place % 9 for place in range(length)), (False, *predicted))

    return [make(40), make(23)]


def gradients_of(network, loss):
    network.zero_grad()
    loss.backward()
    return {name: each.grad.clone() for name, each in network.named_parameters() if each.grad is not None}


def adapted(architecture="llama"):
    """A network with adapters. Its second matrices, 0 at first, would hide the gradients of the first."""
    network = add_adapters(tiny_network(architecture), TrainingSettings(method="lora"), name="tiny")
    for name, each in network.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(each, std=0.1)
    return network


@pytest.mark.parametrize("architecture", ["llama", "gpt2", "neox"])
def test_it_is_the_networks_own_loss_and_has_its_gradients(architecture):
    network = adapted(architecture).eval()
    batch = collate(blocks())
    before = torch.get_rng_state()
    fused = find_fused_loss(network.train())
    assert network.training
    assert torch.equal(torch.get_rng_state(), before)
    network.eval()
    predicted = (batch["labels"] != -100).sum()
    own, ours = network(**batch).loss, fused(batch) / predicted
    assert ours.item() == pytest.approx(own.item(), abs=1e-6)
    wanted, found = gradients_of(network, own), gradients_of(network, ours)
    assert wanted.keys() == found.keys()
    for name in wanted:
        torch.testing.assert_close(found[name], wanted[name], atol=1e-6, rtol=1e-4)


def test_a_network_that_changes_its_logits_or_its_loss_keeps_its_own():
    network = adapted()
    network.get_output_embeddings().register_forward_hook(lambda module, given, logits: logits / 3)
    assert find_fused_loss(network) is None
    network = adapted()
    inner = network.get_base_model()
    own = inner.loss_function
    inner.loss_function = lambda *given, **named: own(*given, **named) + 0.01
    assert find_fused_loss(network) is None


@pytest.mark.parametrize("batch", [1, 2])
def test_a_run_is_the_same_with_either_loss(tmp_path, monkeypatch, batch):
    """Steps of several batches, the last of them smaller: every token counts the same."""
    settings = small(write_base(tmp_path / "base"), method="lora", batch=batch, learning_rate=1e-3)
    lines = []
    fused = finetune(tell_tales(), out=tmp_path / "a", settings=settings, report=record_lines(lines))
    assert not any("all logits" in line for line in lines)
    monkeypatch.setattr(story_trainer, "find_fused_loss", lambda network: None)
    own = finetune(tell_tales(), out=tmp_path / "b", settings=settings, report=record_lines(lines))
    assert any("all logits" in line for line in lines)
    assert dict(fused.record["losses"]) == pytest.approx(dict(own.record["losses"]), abs=1e-4)
    assert fused.after == pytest.approx(own.after, rel=1e-4)
