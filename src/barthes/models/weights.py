"""The numbers of a network in short: a hash that tells whether two networks are the same."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hashlib import _Hash

__all__ = ["add_weights", "hash_weights"]


def hash_weights(network: Any) -> str:
    """SHA-256 over the names, shapes and values of all weights, in hexadecimal."""
    digest = hashlib.sha256()
    add_weights(digest, network)
    return digest.hexdigest()


def add_weights(digest: _Hash, network: Any) -> None:
    """Take all weights of a network into a hash, in the order of their names."""
    import torch

    for name, tensor in sorted(network.state_dict().items()):
        digest.update(f"{name}{tuple(tensor.shape)}".encode())
        digest.update(tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().data)
