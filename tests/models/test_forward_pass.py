from __future__ import annotations

import pytest
import torch

from barthes.models.forward_pass import VocabularyHead


class Network:
    """The part of a network that the head uses."""

    device = torch.device("cpu")

    def __init__(self, projection):
        self.projection = projection

    def get_output_embeddings(self):
        return self.projection


@pytest.mark.parametrize(("bias", "cap"), [(False, None), (True, None), (False, 4.0), (True, 30.0)])
@pytest.mark.parametrize(("rows", "words"), [(1024, 2048), (4, 7), (1, 1), (5, 50), (3, 1000)])
def test_tiles_add_up_to_the_log_softmax_of_the_whole_vocabulary(rows, words, bias, cap):
    torch.manual_seed(0)
    projection = torch.nn.Linear(16, 50, bias=bias)
    hidden, targets = 9 * torch.randn(11, 16), torch.randint(0, 50, (11,))
    with torch.inference_mode():
        head = VocabularyHead(Network(projection), cap=cap, rows=rows, words=words)
        found = head.log_probabilities(hidden, targets)
        logits = projection(hidden)
        capped = logits if cap is None else cap * torch.tanh(logits / cap)
        expected = capped.log_softmax(-1).gather(1, targets[:, None])[:, 0]
    torch.testing.assert_close(found, expected, atol=2e-5, rtol=0)
    assert (found <= 0).all()


def test_without_targets_the_result_is_empty():
    head = VocabularyHead(Network(torch.nn.Linear(16, 50)))
    assert head.log_probabilities(torch.empty(0, 16), torch.empty(0, dtype=torch.long)).shape == (0,)


def test_nan_is_not_hidden():
    head = VocabularyHead(Network(torch.nn.Linear(4, 9)), words=3)
    with torch.inference_mode():
        assert head.log_probabilities(torch.full((1, 4), float("nan")), torch.tensor([2])).isnan().all()
