"""The numbers of a network in short: a hash that tells whether two networks are the same."""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hashlib import _Hash

__all__ = ["add_weights", "sample_weights"]

_SAMPLE = 4096  # values of each tensor


def sample_weights(network: Any) -> str:
    """SHA-256 over the names and shapes of all weights and some thousand values of each, in hexadecimal.

    It takes a fraction of a second for a network of any size, and training changes nearly all values, so that
    two networks with the same sample are the same for all that is likely to happen to one.
    """
    digest = hashlib.sha256()
    for name, tensor in sorted(network.state_dict().items()):
        digest.update(f"{name}{tuple(tensor.shape)}".encode())
        digest.update(_read_bytes(_sample(tensor.detach())))
    return digest.hexdigest()


def add_weights(digest: _Hash, network: Any) -> None:
    """Take all weights of a network into a hash, in the order of their names."""
    for name, tensor in sorted(network.state_dict().items()):
        digest.update(f"{name}{tuple(tensor.shape)}".encode())
        digest.update(_read_bytes(tensor.detach()))


def _sample(tensor: Any) -> Any:
    """Some thousand values from all rows and columns: the step shares no divisor with the length of a row."""
    values = tensor.reshape(-1)
    width = tensor.shape[-1] if tensor.ndim else 1
    step = max(1, len(values) // _SAMPLE)
    while math.gcd(step, width) > 1:
        step += 1
    return values[::step]


def _read_bytes(tensor: Any) -> memoryview:
    import torch

    found: memoryview = tensor.cpu().contiguous().reshape(-1).view(torch.uint8).numpy().data
    return found
