"""Pack stories into blocks in which every token is predicted once, and compute losses on them."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from barthes.errors import TrainingError
from barthes_research.finetuning.token_blocks import (
    TokenBlock,
    check_enough,
    collate,
    count_tokens,
    measure_loss,
    pack,
)
from tests.tiny_models import tiny_model, tiny_network, tiny_tokenizer

START, END = 1, 2
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


def test_measuring_uses_no_dropout_and_restores_training_mode():
    network = tiny_network("gpt2").train()
    first, second = (measure_loss(network, blocks_of(9)) for _ in range(2))
    assert first == second
    assert network.training
