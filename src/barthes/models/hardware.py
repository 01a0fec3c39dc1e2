"""Which device and which precision to compute with, chosen for the reader unless told otherwise."""

from __future__ import annotations

import torch

from barthes.errors import ModelError, UnknownNameError
from barthes.models.processor import has_broken_tiles

__all__ = ["choose_device", "choose_dtype"]

_CPU = torch.device("cpu")
_DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


def choose_device(name: str = "auto") -> torch.device:
    """CUDA where there is one, else Apple's MPS, else the CPU; or the device that was asked for."""
    if name == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError) as error:
        raise ModelError(
            f"the device {name!r} cannot be used here.", remedy="Try --device cpu, cuda, cuda:1, mps or auto."
        ) from error
    return device


def choose_dtype(name: str = "auto", device: torch.device = _CPU) -> torch.dtype:
    """The precision of matrix products: the one asked for, or for `auto` what suits the device.

    bfloat16 where the hardware computes in it, because that is about twice as fast there and keeps the
    ranking (docs/explanation/precision.md has the figures); float32 everywhere else.
    """
    if name == "auto":
        return torch.bfloat16 if _computes_in_bfloat16(device) else torch.float32
    if name not in _DTYPES:
        raise UnknownNameError("dtype", name, [*_DTYPES, "auto"])
    return _DTYPES[name]


def _computes_in_bfloat16(device: torch.device) -> bool:
    """Whether bfloat16 products are done by units of their own; emulated ones are slower than float32.

    Asked of the device and never timed, so that the same machine always answers the same.
    """
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    if device.type == "cpu":
        ask = getattr(torch.cpu, "get_capabilities", None)  # older versions of torch cannot tell
        known = {} if ask is None else ask()
        if has_broken_tiles():  # what is left, AVX-512's own units, is slower than float32 beside such tiles
            return False
        return bool(known.get("avx512_bf16") or known.get("amx_bf16"))
    return False
