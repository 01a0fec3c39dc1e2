"""What is chosen on hardware that is not here: torch is asked about it, and its answers are changed."""

from __future__ import annotations

import pytest
import torch

from barthes.errors import UnknownNameError
from barthes.models import hardware
from barthes.models.hardware import choose_device, choose_dtype


@pytest.mark.parametrize(
    ("units", "broken", "expected"),
    [
        ({"avx512_f": True, "avx512_bf16": False, "amx_bf16": False}, False, torch.float32),
        ({"avx512_f": True, "avx512_bf16": True}, False, torch.bfloat16),
        ({"amx_bf16": True}, False, torch.bfloat16),
        ({"avx512_bf16": True, "amx_bf16": True}, True, torch.float32),
        ({}, False, torch.float32),
    ],
)
def test_a_processor_computes_in_bfloat16_where_it_has_units_for_it(monkeypatch, units, broken, expected):
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: units, raising=False)
    monkeypatch.setattr(hardware, "has_broken_tiles", lambda: broken)
    assert choose_dtype("auto", torch.device("cpu")) is expected
    assert choose_dtype("float32", torch.device("cpu")) is torch.float32


def test_a_torch_that_cannot_tell_means_float32(monkeypatch):
    monkeypatch.delattr(torch.cpu, "get_capabilities", raising=False)
    assert choose_dtype() is torch.float32


@pytest.mark.parametrize("native", [True, False])
def test_a_gpu_computes_in_bfloat16_where_it_does_not_emulate_it(monkeypatch, native):
    def supported(*, including_emulation):
        return native or including_emulation

    monkeypatch.setattr(torch.cuda, "is_bf16_supported", supported)
    expected = torch.bfloat16 if native else torch.float32
    assert choose_dtype("auto", torch.device("cuda")) is expected


def test_apple_gpus_compute_in_float32():
    assert choose_dtype("auto", torch.device("mps")) is torch.float32


def test_what_is_asked_for_is_taken():
    assert choose_dtype("bfloat16") is torch.bfloat16
    assert choose_device("cpu") == torch.device("cpu")
    with pytest.raises(UnknownNameError, match="Did you mean 'float32'"):
        choose_dtype("float23")
