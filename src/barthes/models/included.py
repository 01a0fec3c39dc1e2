"""Adapters that come inside the package: small differences from an embedded model, ready to use."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["FOLKTALE", "IncludedAdapter"]


@dataclass(frozen=True, slots=True)
class IncludedAdapter:
    """A LoRA adapter in a folder of the package, for an embedded model.

    Attributes:
        name: What people call it.
        description: What it is, in a few words.
        licence: An SPDX identifier.
        base: The embedded model that it changes; its `adapter_config.json` says the same.
        folder: Where its weights, its settings and its card are.
    """

    name: str
    description: str
    licence: str
    base: str
    folder: Path

    @property
    def is_whole(self) -> bool:
        """Whether its weights and its settings are there."""
        return all(
            (self.folder / name).is_file() for name in ("adapter_config.json", "adapter_model.safetensors")
        )

    @property
    def size(self) -> int:
        """The bytes of its files."""
        return sum(file.stat().st_size for file in self.folder.iterdir() if file.is_file())


FOLKTALE = IncludedAdapter(
    name="folktale",
    description="SmolLM2-135M-Instruct, fitted to public-domain folktales",
    licence="Apache-2.0",
    base="smollm2-135m",
    folder=Path(__file__).parent / "folktale",
)
