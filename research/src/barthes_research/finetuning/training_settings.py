"""The settings of a fine-tuning run, with defaults for a laptop."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from barthes.errors import BarthesError, UnknownNameError
from barthes.models.embedded import DEFAULT_MODEL

_LEARNING_RATES = {"full": 5e-5, "lora": 2e-4}
_NAMES: dict[str, tuple[str, tuple[str, ...]]] = {
    "method": ("method of fine-tuning", tuple(_LEARNING_RATES)),
    "dtype": ("precision for training", ("auto", "bfloat16", "float32")),
}
_MINIMUMS = {"block": 16} | dict.fromkeys(("held_out", "warmup", "seed", "weight_decay", "clip"), 0)
_MINIMUMS |= dict.fromkeys(("epochs", "batch", "accumulate", "evaluate_every"), 1)
_MINIMUMS |= dict.fromkeys(("patience", "rank", "alpha"), 1)
_LIMITS = {"held_out": 1, "warmup": 1, "seed": 2**32}


@dataclass(frozen=True, kw_only=True, slots=True)
class TrainingSettings:
    """All options of a fine-tuning run.

    Attributes:
        model: Base model: an embedded name, a folder, a GGUF file or a Hugging Face name.
        method: ``full`` (all weights) or ``lora`` (low-rank adapters of a few megabytes).
        block: Tokens per block; limited by the model's context.
        held_out: Share of stories that are not trained on, from 0 to below 1.
        epochs: Passes over the stories.
        learning_rate: Peak learning rate; None for 5e-5 (full) or 2e-4 (lora).
        warmup: Share of steps with a rising learning rate; a cosine decay to 0 follows.
        weight_decay: AdamW weight decay.
        clip: Maximum gradient norm; 0 for no clipping.
        batch: Blocks per batch.
        accumulate: Gradient accumulation steps.
        evaluate_every: Steps between evaluations and checkpoints; None for about twelve in all.
        patience: Stop after this many evaluations without a lower held-out perplexity.
        rank: Rank of the adapters.
        alpha: Adapters are scaled by alpha / rank.
        seed: Seed for the held-out stories, the order of blocks, initial adapters and dropout.
        device: ``auto`` (CUDA, else MPS, else CPU), ``cpu``, ``cuda`` or ``mps``.
        dtype: ``float32``, ``bfloat16`` or ``auto``: bfloat16 where the hardware supports it.

    >>> TrainingSettings(method="lora").rate
    0.0002
    """

    model: str = DEFAULT_MODEL
    method: str = "full"
    block: int = 1024
    held_out: float = 0.1
    epochs: int = 3
    learning_rate: float | None = None
    warmup: float = 0.1
    weight_decay: float = 0.01
    clip: float = 1.0
    batch: int = 1
    accumulate: int = 4
    evaluate_every: int | None = None
    patience: int = 3
    rank: int = 8
    alpha: int = 16
    seed: int = 0
    device: str = "auto"
    dtype: str = "auto"

    def __post_init__(self) -> None:
        for name, (what, known) in _NAMES.items():
            if getattr(self, name) not in known:
                raise UnknownNameError(what, getattr(self, name), known)
        for name, minimum in _MINIMUMS.items():
            value, limit = getattr(self, name), _LIMITS.get(name, math.inf)
            if value is not None and not minimum <= value < limit:
                below = "" if limit == math.inf else f", but less than {limit}"
                raise BarthesError(f"{name} is {value}.", remedy=f"Give {minimum} or more{below}.")
        if not 0 < self.rate < math.inf:
            remedy = "Give a small number above 0, such as 5e-05."
            raise BarthesError(f"the learning rate is {self.rate}.", remedy=remedy)

    @property
    def rate(self) -> float:
        """The learning rate: the given one, or the default of the method."""
        return _LEARNING_RATES[self.method] if self.learning_rate is None else self.learning_rate

    def count_steps(self, blocks: int) -> int:
        """Return the number of optimizer steps without early stopping.

        >>> TrainingSettings(epochs=3, batch=2, accumulate=4).count_steps(17)    # 9 batches, 3 steps an epoch
        9
        """
        batches = math.ceil(blocks / self.batch)
        return math.ceil(batches / self.accumulate) * self.epochs

    def count_warmup(self, blocks: int) -> int:
        """Return the number of warm-up steps: rounded up, but at least one step is left.

        >>> TrainingSettings(warmup=0.07, epochs=1, batch=1, accumulate=1).count_warmup(100)
        7
        >>> TrainingSettings(warmup=0.1, epochs=1).count_warmup(4)    # one step, at the peak rate
        0
        """
        steps = self.count_steps(blocks)
        return min(math.ceil(self.warmup * steps - 1e-9), steps - 1)  # 0.07 · 100 is slightly more than 7

    def interval(self, blocks: int) -> int:
        """Return the number of steps between evaluations."""
        return self.evaluate_every or math.ceil(self.count_steps(blocks) / 12)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, with the learning rate that is used."""
        return asdict(self) | {"learning_rate": self.rate}
