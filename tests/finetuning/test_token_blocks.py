"""Blocks: every token of every story is predicted once, from what comes before it in that story."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from barthes.errors import TrainingError
from barthes.finetuning import story_trainer
from barthes.finetuning.base_model import add_adapters
from barthes.finetuning.token_blocks import (
    MeasuredLoss,
    TokenBlock,
    check_enough,
    collate,
    count_tokens,
    find_fused_loss,
    measure_loss,
    pack,
)
from barthes.finetuning.training import finetune
from barthes.finetuning.training_settings import TrainingSettings
from tests.finetuning.tiny_runs import record_lines, small, tell_tales, write_base
from tests.tiny_models import tiny_model, tiny_network, tiny_tokenizer

START, END = 1, 2
needs_fused_loss = pytest.mark.skipif(
    not hasattr(torch.nn.functional, "linear_cross_entropy"), reason="this torch has no linear_cross_entropy"
)
lengths = st.lists(st.integers(1, 60), min_size=1, max_size=25)


def number(lengths):
    """Stories whose tokens tell which they are, and in which place: no two are alike."""
    return {f"story{i}": [1000 * (i + 1) + place for place in range(n)] for i, n in enumerate(lengths)}


def pack_numbered(stories, size, seed=0):
    return pack(stories, encode=stories.__getitem__, start=START, end=END, size=size, seed=seed)


@given(lengths, st.integers(3, 32), st.integers(0, 5))
def test_each_token_is_predicted_once_after_the_one_before_it(lengths, size, seed):
    stories = number(lengths)
    pairs = []
    for block in pack_numbered(stories, size, seed):
        assert len(block.tokens) == len(block.predicted) <= size
        assert not block.predicted[0]
        for place, predicted in enumerate(block.predicted):
            if predicted:
                pairs.append((block.tokens[place - 1], block.tokens[place]))
    expected = [pair for ids in stories.values() for pair in zip([START, *ids], [*ids, END], strict=True)]
    assert sorted(pairs) == sorted(expected)


@given(lengths, st.integers(3, 64))
def test_short_stories_stay_whole(lengths, size):
    stories = number(lengths)
    rows = ["|".join(map(str, block.tokens)) for block in pack_numbered(stories, size)]
    for ids in stories.values():
        if len(ids) + 2 <= size:
            assert sum("|".join(map(str, [START, *ids, END])) in row for row in rows) == 1


@given(lengths, st.integers(3, 64))
def test_packing_wastes_little(lengths, size):
    """First fit: no two blocks could have been one, as long as all are looked at."""
    blocks = pack_numbered(number(lengths), size)
    shortest = sorted(map(len, blocks))[:2]
    assert len(blocks) < 2 or sum(shortest) > size


def test_the_seed_decides_the_order_and_nothing_else():
    stories = number([5, 9, 40, 3, 12, 7, 30, 2])
    again = [pack_numbered(stories, 16, seed) for seed in (0, 0, 1)]
    assert again[0] == again[1] != again[2]
    assert count_tokens(again[0]) == count_tokens(again[2]) == sum(map(len, stories.values())) + len(stories)


def test_thousands_of_short_stories_are_packed_quickly():
    blocks = pack_numbered(number([30, 45, 12] * 4000), 1024)
    assert len(blocks) < 1.02 * sum(map(len, blocks)) / 1024 + 1


def test_too_little_text_is_counted():
    blocks = [TokenBlock((1, 5, 6, 2), (False, True, True, True))] * 20
    with pytest.raises(TrainingError) as raised:
        check_enough(blocks, 64)
    assert "60 tokens" in str(raised.value)
    assert "128" in str(raised.value)
    assert "a block of at most 30" in str(raised.value)
    check_enough(blocks, 30)


def blocks_of(*lengths):
    return [TokenBlock((0, *range(2, n + 2)), (False, *[True] * n)) for n in lengths]


def test_padding_is_not_predicted():
    batch = collate(blocks_of(3, 5))
    assert batch["input_ids"].shape == (2, 6)
    assert batch["labels"][0].tolist() == [-100, 2, 3, 4, -100, -100]


def test_the_mean_is_over_tokens():
    network = tiny_network().eval()
    blocks = blocks_of(3, 11, 7)
    each = [measure_loss(network, [block]) for block in blocks]
    found = measure_loss(network, blocks)
    assert found.tokens == 21
    assert found.nats == pytest.approx(sum(loss.nats * loss.tokens for loss in each) / 21)
    with torch.no_grad():
        together = network(**collate(blocks)).loss
    assert float(together) == pytest.approx(found.nats, abs=1e-5)


def test_a_story_in_one_block_is_as_likely_as_when_it_is_scored():
    model, tokenizer = tiny_model(), tiny_tokenizer()
    text = "the wolf came . the girl ran ."
    ends = {"start": model.start_token, "end": model.end_token}
    blocks = pack([text], encode=lambda story: tokenizer(story)["input_ids"], size=64, seed=0, **ends)
    ids = [*model.encode([text])[0], model.end_token]
    expected = -model.read([model.start_token, *ids]).log_probabilities.mean()
    assert measure_loss(tiny_network(), blocks).nats == pytest.approx(expected, abs=1e-5)


def test_perplexity_of_a_loss():
    assert MeasuredLoss(math.log(8), 3).perplexity == pytest.approx(8)
    assert MeasuredLoss(1e4, 3).perplexity == math.inf


def test_a_network_in_training_stays_in_training():
    network = tiny_network("gpt2").train()
    first, second = (measure_loss(network, blocks_of(9)) for _ in range(2))
    assert first == second  # no dropout while measuring
    assert network.training


def uneven_blocks():
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


@needs_fused_loss
@pytest.mark.parametrize("architecture", ["llama", "gpt2", "neox"])
def test_it_is_the_networks_own_loss_and_has_its_gradients(architecture):
    network = adapted(architecture).eval()
    batch = collate(uneven_blocks())
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


@needs_fused_loss
def test_a_network_that_changes_its_logits_or_its_loss_keeps_its_own():
    network = adapted()
    network.get_output_embeddings().register_forward_hook(lambda module, given, logits: logits / 3)
    assert find_fused_loss(network) is None
    network = adapted()
    inner = network.get_base_model()
    own = inner.loss_function
    inner.loss_function = lambda *given, **named: own(*given, **named) + 0.01
    assert find_fused_loss(network) is None


@needs_fused_loss
def test_a_run_is_the_same_with_either_loss(tmp_path, monkeypatch):
    """Steps of several batches, the last of them smaller: every token counts the same."""
    settings = small(write_base(tmp_path / "base"), method="lora", batch=2, learning_rate=1e-3)
    lines = []
    fused = finetune(tell_tales(), out=tmp_path / "a", settings=settings, report=record_lines(lines))
    assert not any("all logits" in line for line in lines)
    monkeypatch.setattr(story_trainer, "find_fused_loss", lambda network: None)
    own = finetune(tell_tales(), out=tmp_path / "b", settings=settings, report=record_lines(lines))
    assert any("all logits" in line for line in lines)
    assert dict(fused.record["losses"]) == pytest.approx(dict(own.record["losses"]), abs=1e-4)
    assert fused.after == pytest.approx(own.after, rel=1e-4)
