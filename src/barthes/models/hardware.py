"""Which device and which precision to compute with, chosen for the reader unless told otherwise."""

from __future__ import annotations

import torch

from barthes.errors import ModelError, UnknownNameError

__all__ = ["choose_device", "choose_dtype"]

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


def choose_dtype(name: str = "auto") -> torch.dtype:
    """The precision of matrix products: the one asked for, or float32 for `auto`.

    Salience is a small difference (around 0.01 nats per token in a long tale) of two large sums. With
    bfloat16 products the ranking of a tale's sentences agrees with float32's by Spearman's 0.990 only,
    so it is there for those who ask for it; docs/explanation/precision.md has the figures.
    """
    if name == "auto":
        return torch.float32
    if name not in _DTYPES:
        raise UnknownNameError("dtype", name, [*_DTYPES, "auto"])
    return _DTYPES[name]
