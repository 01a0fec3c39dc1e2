"""One run of fine-tuning: its model, its blocks, its settings and its folder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from barthes.errors import ModelError
from barthes.finetuning.base_model import Base, load_base
from barthes.finetuning.blocks import Block, check_enough
from barthes.finetuning.held_out import Parts
from barthes.finetuning.reporting import Reporter
from barthes.finetuning.run_folder import RunFolder
from barthes.finetuning.settings import TrainingSettings
from barthes.finetuning.training_text import hash_text

if TYPE_CHECKING:
    import torch

__all__ = ["Measured", "Run", "measure", "prepare"]

_SAMPLE = 64  # blocks of the stories trained on that are measured, at most: the rest would take as long again

Measured = dict[str, dict[str, float] | None]
"""The perplexity on the stories trained on (``train``) and on those held out (``held_out``), or None."""


@dataclass(frozen=True, slots=True)
class Run:
    """What all stages of a run need.

    Attributes:
        parts: The stories.
        train: The blocks of those that are trained on.
        held_out: The blocks of those that are held out, if any are.
        products: The precision of matrix products.
    """

    base: Base
    parts: Parts
    train: list[Block]
    held_out: list[Block]
    settings: TrainingSettings
    products: torch.dtype
    folder: RunFolder
    reporter: Reporter

    def identify(self) -> dict[str, Any]:
        """All that decides the result, to tell whether an unfinished run is this one."""
        settings = self.settings.to_dict()
        for circumstance in ("model", "device"):
            del settings[circumstance]
        return settings | {
            "block": self.base.block_size(self.settings.block),
            "dtype": str(self.products).removeprefix("torch."),
            "base": self.base.fingerprint,
            "stories": [hash_text(story.text) for story in self.parts.train],
            "held_out_stories": [hash_text(story.text) for story in self.parts.held_out],
        }


def prepare(parts: Parts, settings: TrainingSettings, folder: RunFolder, reporter: Reporter) -> Run:
    """Load the base, cut the stories into blocks, and give the network to its device.

    Raises:
        TrainingError: There is too little text.
        ModelError: The base or the device cannot be used.
    """
    from barthes.models.hardware import choose_device, choose_dtype

    if ":" in settings.device:
        raise ModelError(
            f"the device {settings.device!r} cannot be named here.",
            remedy="Give --device cuda, and choose the card with CUDA_VISIBLE_DEVICES.",
        )
    device = choose_device(settings.device)
    products = choose_dtype(settings.dtype, device)
    reporter.announce(f"loading {settings.model}")
    base = load_base(settings.model)
    train, held_out = base.pack(parts.train, settings), base.pack(parts.held_out, settings)
    check_enough(train, base.block_size(settings.block))
    base.network.to(device)
    return Run(base, parts, train, held_out, settings, products, folder, reporter)


def measure(run: Run, network: Any) -> Measured:
    """How well a network knows the held-out stories, and those trained on (at most 64 blocks of them)."""
    from barthes.finetuning.measuring import measure_loss

    found: Measured = {"held_out": None, "train": None}
    parts = (
        ("held_out", run.held_out, "held-out stories"),
        ("train", run.train[:_SAMPLE], "stories trained on"),
    )
    for part, blocks, name in parts:

        def tell(done: int, total: int, name: str = name) -> None:
            run.reporter.measure(f"perplexity ({name})", done, total)

        if blocks:
            found[part] = measure_loss(network, blocks, products=run.products, progress=tell).to_dict()
    return found
