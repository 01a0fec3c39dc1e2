"""Devices and precisions on simulated hardware: what torch reports is replaced."""

from __future__ import annotations

import os

import pytest
import torch

from barthes.errors import ModelError, UnknownNameError
from barthes.models.hardware import choose_device, choose_dtype

LIMIT = "ONEDNN_MAX_CPU_ISA"


@pytest.mark.parametrize("native", [True, False])
def test_the_default_precision(monkeypatch, native):
    monkeypatch.setattr(
        torch.cuda, "is_bf16_supported", lambda including_emulation: native or including_emulation
    )
    assert choose_dtype("auto", torch.device("cuda")) is (torch.bfloat16 if native else torch.float32)
    assert choose_dtype("auto", torch.device("mps")) is torch.float32
    assert choose_dtype() is torch.float32


@pytest.mark.parametrize("device", ["cuda", "mps", "cpu"])
def test_the_best_device_is_chosen(monkeypatch, device):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: device == "cuda")
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: device == "mps")
    assert choose_device().type == device


def test_a_named_device_or_precision_is_used(monkeypatch):
    monkeypatch.setenv(LIMIT, "AVX2")
    assert choose_dtype("bfloat16") is choose_dtype(torch.bfloat16) is torch.bfloat16
    assert os.environ[LIMIT] == "AVX2", "a limit set by the user is kept"
    assert choose_device("cpu") == torch.device("cpu")
    with pytest.raises(UnknownNameError, match="Did you mean 'float32'"):
        choose_dtype("float23")
    with pytest.raises(ModelError, match="cannot be used here"):
        choose_device("tpu9")


def test_low_precision_on_cpus_avoids_amx(monkeypatch):
    monkeypatch.setenv(LIMIT, "")  # so that it is restored afterwards
    monkeypatch.delenv(LIMIT)
    choose_dtype("float32")
    choose_dtype("bfloat16", torch.device("mps"))
    assert LIMIT not in os.environ
    choose_dtype("bfloat16")
    assert os.environ[LIMIT] == "AVX512_CORE_FP16"
