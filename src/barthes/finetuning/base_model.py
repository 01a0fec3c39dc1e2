"""The model that is fine-tuned: loaded in float32, looked over, and tied to the tokens of a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from barthes.errors import BarthesError, ModelError
from barthes.finetuning.training_text import collapse
from barthes.models.adapter_settings import ADAPTER_SETTINGS
from barthes.models.loading import list_model_files

if TYPE_CHECKING:
    from collections.abc import Iterable

    from barthes.finetuning.blocks import Block
    from barthes.finetuning.settings import TrainingSettings
    from barthes.finetuning.training_text import TrainingText

__all__ = ["Base", "load_base"]


@dataclass(frozen=True, slots=True)
class Base:
    """A network and its tokenizer, and how a text becomes its tokens when it is scored.

    Attributes:
        name: As it was named by the reader.
        fingerprint: SHA-256 over weights, architecture and tokenizer.
        sample: `sample_weights` of it; None for those of an adapter merged into a model, which may
            differ in the last digits from machine to machine.
        start: The token that a text starts after.
        end: The token that a text ends with.
        context: The most tokens that the network reads at once; None where there is no limit.
    """

    name: str
    network: Any
    tokenizer: Any
    fingerprint: str
    sample: str | None
    start: int
    end: int
    context: int | None

    def block_size(self, wanted: int) -> int:
        """The wanted size of a block, or the context where that is smaller."""
        return wanted if self.context is None else min(wanted, self.context)

    def encode(self, text: str) -> list[int]:
        """The tokens of a story; one that says <|endoftext|> means the characters, not the end."""
        found = self.tokenizer([collapse(text)], add_special_tokens=False, split_special_tokens=True)
        return list(found["input_ids"][0])

    def pack(self, stories: Iterable[TrainingText], settings: TrainingSettings) -> list[Block]:
        """The blocks of stories, as `blocks.pack` makes them."""
        from barthes.finetuning.blocks import pack

        return pack(
            (story.text for story in stories),
            encode=self.encode,
            start=self.start,
            end=self.end,
            size=self.block_size(settings.block),
            seed=settings.seed,
        )


def load_base(name: str) -> Base:
    """Load a model for training.

    Raises:
        UnknownModelError: There is no such model.
        ModelError: It is not a causal language model, or its weights cannot be trained as loaded.
    """
    from barthes.models.loading import load_for_training

    tokenizer, network = load_for_training(name)
    check_trainable(network, name)
    _forget_quantization(network)
    try:
        return _look_over(name, network, tokenizer)
    except BarthesError:
        raise
    except Exception as error:  # whatever an unusual network or tokenizer raises when it is tried out
        raise ModelError(
            f"cannot be used ({str(error) or type(error).__name__}).",
            where=name,
            remedy="Choose another model.",
        ) from error


def check_trainable(network: Any, name: str) -> None:
    """Weights that are packed into a few bits have no gradient.

    Raises:
        ModelError: Some weights are not floating-point numbers of at least 16 bits, or there are none.
    """
    parameters = dict(network.named_parameters())
    packed = [key for key, each in parameters.items() if not each.is_floating_point() or each.itemsize < 2]
    if packed or not parameters or getattr(network, "quantization_method", None) is not None:
        what = f"{packed[0]} is {parameters[packed[0]].dtype}" if packed else "its weights are quantised"
        raise ModelError(
            f"cannot be trained as loaded: {what}.",
            where=name,
            remedy="Give the model in its unquantised form (float32, bfloat16 or float16), or a GGUF file.",
        )


def _forget_quantization(network: Any) -> None:
    """A GGUF file's weights have been dequantised; the network must not say otherwise when it is saved."""
    network.hf_quantizer = None
    network.is_quantized = False
    if getattr(network.config, "quantization_config", None) is not None:
        del network.config.quantization_config


def _look_over(name: str, network: Any, tokenizer: Any) -> Base:
    """Wrap the network as it is wrapped for scoring, which checks it, and then give it its attention back."""
    from barthes.models.causal import CausalModel
    from barthes.models.pretrained import sample_weights

    attention = network.config._attn_implementation
    model = CausalModel(network, tokenizer, name=name)
    found = Base(
        name,
        network,
        tokenizer,
        fingerprint=model.fingerprint,
        sample=None if _is_merged(name) else sample_weights(network),
        start=model.start_token,
        end=model.end_token,
        context=model.context_length,
    )
    network.set_attn_implementation(attention)
    return found


def _is_merged(name: str) -> bool:
    """Whether a name stands for an adapter, whose base it was merged into."""
    return any(file.name == ADAPTER_SETTINGS for file in list_model_files(name))
