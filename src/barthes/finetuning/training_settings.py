"""The settings of a fine-tuning run: every choice that changes the result, with defaults for a laptop."""

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
    "adapter_dtype": ("precision for adapters", ("bfloat16", "float32")),
}
_BELOW = {
    "held_out": (1, "Give the share of stories to hold out, such as 0.1: some have to be left to train on."),
    "warmup": (1, "Give a share of all steps, such as 0.1."),
    "seed": (2**32, "Give a whole number that is not negative."),
}
_LEAST = {"block": 16, "weight_decay": 0, "clip": 0} | dict.fromkeys(
    ("epochs", "batch", "accumulate", "evaluate_every", "patience", "rank", "alpha"), 1
)


@dataclass(frozen=True, kw_only=True, slots=True)
class TrainingSettings:
    """All options of a fine-tuning run.

    Attributes:
        model: The base: an embedded name, a folder, a GGUF file or a Hugging Face name.
        method: ``full`` (all weights) or ``lora`` (low-rank adapters beside them, of a few megabytes).
        block: Tokens read at once, at most; the model's context is the limit.
        held_out: The share of stories that are not trained on, 0 to below 1.
        epochs: How often every story is read.
        learning_rate: The highest one, after warm-up; None takes 5e-5 (full) or 2e-4 (lora).
        warmup: The share of all steps in which the learning rate rises; it then falls as a cosine to 0.
        weight_decay: AdamW weight decay.
        clip: The largest norm of a gradient; 0 for no limit.
        batch: Blocks that go through the network at once.
        accumulate: Gradient accumulation steps.
        evaluate_every: Steps between two evaluations (and checkpoints); None makes about twelve in all.
        patience: Evaluations without a better held-out perplexity after which training stops.
        rank: The rank of the adapters.
        alpha: Adapters are scaled by alpha / rank.
        adapter_dtype: How adapters are stored: ``float32``, or ``bfloat16`` in half the space.
        seed: Decides the held-out stories, the order of blocks, initial adapters and dropout.
        device: ``auto`` (CUDA, else MPS, else CPU), ``cpu``, ``cuda`` or ``mps``.
        dtype: ``float32``, ``bfloat16`` or ``auto``: bfloat16 where the hardware has units for it.

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
    adapter_dtype: str = "float32"
    seed: int = 0
    device: str = "auto"
    dtype: str = "auto"

    def __post_init__(self) -> None:
        for name, (what, known) in _NAMES.items():
            if getattr(self, name) not in known:
                raise UnknownNameError(what, getattr(self, name), known)
        for name, (limit, remedy) in _BELOW.items():
            if not 0 <= getattr(self, name) < limit:
                raise BarthesError(f"{name} is {getattr(self, name)}.", remedy=remedy)
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value >= least):
                raise BarthesError(f"{name} is {value}.", remedy=f"Give {least} or more.")
        if not (math.isfinite(self.rate) and self.rate > 0):
            remedy = "Give a small number above 0, such as 5e-05."
            raise BarthesError(f"the learning rate is {self.rate}.", remedy=remedy)

    @property
    def rate(self) -> float:
        """The learning rate, chosen or that of the method."""
        return _LEARNING_RATES[self.method] if self.learning_rate is None else self.learning_rate

    def count_steps(self, blocks: int) -> int:
        """Return how often the weights change in all, without early stopping.

        >>> TrainingSettings(epochs=3, batch=2, accumulate=4).count_steps(17)    # 9 batches, 3 steps an epoch
        9
        """
        batches = math.ceil(blocks / self.batch)
        return math.ceil(batches / self.accumulate) * self.epochs

    def count_warmup(self, blocks: int) -> int:
        """Return the steps in which the learning rate rises: rounded up, but never all of them.

        >>> TrainingSettings(warmup=0.07, epochs=1, batch=1, accumulate=1).count_warmup(100)
        7
        >>> TrainingSettings(warmup=0.1, epochs=1).count_warmup(4)    # a single step, with the highest rate
        0
        """
        steps = self.count_steps(blocks)
        return min(math.ceil(self.warmup * steps - 1e-9), steps - 1)  # 0.07 · 100 is a little more than 7

    def interval(self, blocks: int) -> int:
        """Return the steps between two evaluations."""
        return self.evaluate_every or math.ceil(self.count_steps(blocks) / 12)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, with the learning rate that is used."""
        return asdict(self) | {"learning_rate": self.rate}
