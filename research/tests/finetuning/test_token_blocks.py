"""Pack stories into blocks in which every token is predicted once, and compute losses on them."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from barthes.errors import TrainingError
from barthes_research.finetuning import story_trainer
from barthes_research.finetuning.base_model import add_adapters
from barthes_research.finetuning.token_blocks import (
    FusedLossError,
    MeasuredLoss,
    TokenBlock,
    check_enough,
    collate,
    count_tokens,
    make_fused_loss,
    measure_loss,
    pack,
)
from barthes_research.finetuning.training import finetune
from barthes_research.finetuning.training_settings import TrainingSettings
from research.tests.finetuning.tiny_runs import make_tales, record_lines, small, write_base
from tests.tiny_models import tiny_model, tiny_network, tiny_tokenizer

START, END = 1, 2
needs_fused_loss = pytest.mark.skipif(
    not hasattr(torch.nn.functional, "linear_cross_entropy"), reason="this torch has no linear_cross_entropy"
)
lengths = st.lists(st.integers(1, 60), min_size=1, max_size=25)


def number(lengths):
    """Make stories in which no two tokens are equal."""
    return {f"story{i}": [1000 * (i + 1) + place for place in range(n)] for i, n in enumerate(lengths)}


def pack_numbered(stories, size, seed=0):
    return pack(stories, encode=stories.__getitem__, start=START, end=END, size=size, seed=seed)


@given(lengths, st.integers(3, 32), st.integers(0, 5))
def test_each_token_is_predicted_once_from_the_one_before_it(lengths, size, seed):
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
def test_short_stories_are_not_cut(lengths, size):
    stories = number(lengths)
    rows = ["|".join(map(str, block.tokens)) for block in pack_numbered(stories, size)]
    for ids in stories.values():
        if len(ids) + 2 <= size:
            assert sum("|".join(map(str, [START, *ids, END])) in row for row in rows) == 1


@given(lengths, st.integers(3, 64))
def test_packing_wastes_little(lengths, size):
    """By first fit no two blocks could be joined, as long as all are searched."""
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


def test_too_little_text_is_refused():
    blocks = [TokenBlock((1, 5, 6, 2), (False, True, True, True))] * 20
    with pytest.raises(TrainingError, match=r"60 tokens.* 128\..*a block of at most 30"):
        check_enough(blocks, 64)
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


def test_the_loss_on_one_block_agrees_with_scoring():
    model, tokenizer = tiny_model(), tiny_tokenizer()
    text = "the wolf came . the girl ran ."
    ends = {"start": model.start_token, "end": model.end_token}
    blocks = pack([text], encode=lambda story: tokenizer(story)["input_ids"], size=64, seed=0, **ends)
    ids = [*model.encode([text])[0], model.end_token]
    expected = -model.read([model.start_token, *ids]).log_probabilities.mean()
    assert measure_loss(tiny_network(), blocks).nats == pytest.approx(expected, abs=1e-5)


def test_perplexity_is_the_exponential_of_the_loss():
    assert MeasuredLoss(math.log(8), 3).perplexity == pytest.approx(8)
    assert MeasuredLoss(1e4, 3).perplexity == math.inf


def test_measuring_uses_no_dropout_and_restores_training_mode():
    network = tiny_network("gpt2").train()
    first, second = (measure_loss(network, blocks_of(9)) for _ in range(2))
    assert first == second
    assert network.training


def uneven_blocks():
    """Make blocks of two lengths, some of whose tokens are not predicted."""
    return [
        TokenBlock(
            tuple(3 + i % 9 for i in range(length)), tuple(i % 7 != 1 and i > 0 for i in range(length))
        )
        for length in (40, 23)
    ]


def gradients_of(network, loss):
    network.zero_grad()
    loss.backward()
    return {name: each.grad.clone() for name, each in network.named_parameters() if each.grad is not None}


def adapted(architecture="llama"):
    """Make a network with adapters. The zeros in their second matrices would hide gradients of the first."""
    network = add_adapters(tiny_network(architecture), TrainingSettings(method="lora"), name="tiny")
    for name, each in network.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(each, std=0.1)
    return network


@needs_fused_loss
@pytest.mark.parametrize("architecture", ["llama", "gpt2", "neox"])
def test_the_fused_loss_and_its_gradients_are_the_networks_own(architecture):
    network = adapted(architecture).eval()
    batch = collate(uneven_blocks())
    before = torch.get_rng_state()
    fused = make_fused_loss(network.train())
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
def test_the_fused_loss_is_refused_with_the_reason():
    """For a network that scales its logits, changes its loss, or has another interface."""
    scaled, changed, odd = adapted(), adapted(), adapted()
    scaled.get_output_embeddings().register_forward_hook(lambda module, given, logits: logits / 3)
    inner = changed.get_base_model()
    own = inner.loss_function
    inner.loss_function = lambda *given, **named: own(*given, **named) + 0.01
    for network in (scaled, changed):
        with pytest.raises(FusedLossError, match="differs"):
            make_fused_loss(network)
    odd.get_base_model().base_model.register_forward_hook(lambda module, given, output: output.to_tuple())
    with pytest.raises(FusedLossError, match="failed on this network: 'tuple' object has no attribute"):
        make_fused_loss(odd)


@needs_fused_loss
def test_a_run_is_the_same_with_either_loss(tmp_path, monkeypatch):
    """With several batches per step, the last of them smaller."""
    settings = small(write_base(tmp_path / "base"), method="lora", batch=2, learning_rate=1e-3)
    lines = []
    fused = finetune(make_tales(), out=tmp_path / "a", settings=settings, report=record_lines(lines))
    assert not any("all logits" in line for line in lines)

    def refuse(network):
        raise FusedLossError("torch is too old")

    monkeypatch.setattr(story_trainer, "make_fused_loss", refuse)
    own = finetune(make_tales(), out=tmp_path / "b", settings=settings, report=record_lines(lines))
    assert any("all logits, which is slower: torch is too old" in line for line in lines)
    assert dict(fused.record["losses"]) == pytest.approx(dict(own.record["losses"]), abs=1e-4)
    assert fused.after == pytest.approx(own.after, rel=1e-4)
