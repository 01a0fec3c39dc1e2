"""Choose the device and the precision to compute with."""

from __future__ import annotations

import os

import torch

from barthes.errors import ModelError, UnknownNameError

_CPU = torch.device("cpu")
_DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


def choose_device(name: str = "auto") -> torch.device:
    """Return the named device; for `auto` CUDA if available, otherwise MPS, otherwise the CPU."""
    if name == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError) as error:
        remedy = "Known devices are cpu, cuda, cuda:1, mps and auto."
        raise ModelError(f"the device {name!r} cannot be used here.", remedy=remedy) from error
    return device


def choose_dtype(name: str | torch.dtype = "auto", device: torch.device = _CPU) -> torch.dtype:
    """Return the precision of matrix products: the named one, or for `auto` the best one for the device.

    That is bfloat16 on a GPU that computes in it, otherwise float32. On CPUs bfloat16 is an option that saves
    little time (docs/explanation/speed.md has figures).
    """
    named = str(name).removeprefix("torch.")
    if named == "auto":
        is_fast = device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
        return torch.bfloat16 if is_fast else torch.float32
    if named not in _DTYPES:
        raise UnknownNameError("dtype", named, [*_DTYPES, "auto"])
    if named != "float32" and device.type == "cpu":
        _avoid_amx()
    return _DTYPES[named]


def _avoid_amx() -> None:
    """Limit oneDNN, PyTorch's library for matrix products, to instructions below AMX, unless the user has.

    Some virtual machines report AMX, which multiplies bfloat16 matrices, without supporting it; the first
    product then ends the process with an illegal instruction. oneDNN reads the limit at the first product in
    low precision.
    """
    os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_FP16")
