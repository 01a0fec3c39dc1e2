"""The loss that is reported: a mean over tokens that padding and batches do not change."""

from __future__ import annotations

import math

import pytest
import torch

from barthes.finetuning.blocks import Block, pack
from barthes.finetuning.measuring import Loss, collate, measure_loss
from tests.tiny_models import tiny_model, tiny_network, tiny_tokenizer


def blocks_of(*lengths):
    return [Block((0, *range(2, n + 2)), (False, *[True] * n)) for n in lengths]


def test_what_is_added_to_shorter_rows_is_not_predicted():
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
    model = tiny_model()
    text = "the wolf came . the girl ran ."
    (block,) = pack(
        [text],
        encode=lambda story: tiny_tokenizer()(story)["input_ids"],
        start=model.start_token,
        end=model.end_token,
        size=64,
        seed=0,
    )
    ids = [*model.encode([text])[0], model.end_token]
    expected = -model.read([model.start_token, *ids]).log_probabilities.mean()
    assert measure_loss(tiny_network(), [block]).nats == pytest.approx(expected, abs=1e-5)


def test_perplexity_of_a_loss():
    assert Loss(math.log(8), 3).perplexity == pytest.approx(8)
    assert Loss(1e4, 3).perplexity == math.inf


def test_a_network_in_training_stays_in_training():
    network = tiny_network("gpt2").train()
    first, second = (measure_loss(network, blocks_of(9)) for _ in range(2))
    assert first == second  # no dropout while measuring
    assert network.training
