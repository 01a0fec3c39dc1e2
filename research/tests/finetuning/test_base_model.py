"""Load a base for training, save and restore its weights, and name it in an adapter's settings."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch

from barthes.errors import ModelError
from barthes_research.finetuning.base_model import (
    add_adapters,
    check_trainable,
    load_weights,
    name_base,
    save_adapter,
)
from barthes_research.finetuning.training_settings import TrainingSettings
from tests.tiny_models import tiny_network

LORA = TrainingSettings(method="lora")


def test_quantised_weights_are_refused():
    network = tiny_network()
    network.model.layers[0].mlp.up_proj.weight = torch.nn.Parameter(
        torch.zeros(48, 32, dtype=torch.int8), requires_grad=False
    )
    with pytest.raises(ModelError, match=r"up_proj\.weight is torch\.int8"):
        check_trainable(network, "packed")


def test_a_network_without_linear_layers_gets_no_adapters():
    with pytest.raises(ModelError, match="does not support adapters"):
        add_adapters(torch.nn.Embedding(3, 2), LORA, name="odd")


@pytest.mark.parametrize("method", ["full", "lora"])
def test_saved_weights_are_restored(tmp_path, method):
    first, second = tiny_network(), tiny_network()
    if method == "lora":
        first, second = (add_adapters(network, LORA, name="x") for network in (first, second))
    with torch.no_grad():
        for each in first.parameters():
            if each.requires_grad:
                each.add_(0.5)
    if method == "lora":
        save_adapter(first, tmp_path, base="x")
    else:
        first.save_pretrained(tmp_path)
    load_weights(second, tmp_path)
    for (name, found), expected in zip(second.named_parameters(), first.parameters(), strict=True):
        assert torch.equal(found, expected), name
        assert found.requires_grad == expected.requires_grad


def test_a_relative_base_is_named_from_the_resolved_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in ("base", "disk/far/away", "here"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "here" / "link").symlink_to(tmp_path / "disk" / "far" / "away")
    named = name_base("base", Path("here/link/tuned"))
    assert Path(os.path.realpath("here/link"), "tuned", named).resolve() == tmp_path / "base"
