"""The model to fine-tune: load it in float32, add adapters, and save or restore its weights."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from barthes.errors import BarthesError, ModelError
from barthes.files import expand_home
from barthes.models.embedded import EMBEDDED
from barthes_research.adapters.adapter import ADAPTER_WEIGHTS, sample_weights
from barthes_research.adapters.source import find_adapter, load_for_training
from barthes_research.finetuning.texts import TrainingText, collapse
from barthes_research.finetuning.token_blocks import TokenBlock, pack
from barthes_research.finetuning.training_settings import TrainingSettings


@dataclass(frozen=True, slots=True)
class BaseModel:
    """A network and its tokenizer.

    Attributes:
        name: The name given by the user.
        fingerprint: SHA-256 of weights, architecture and tokenizer.
        sample: `sample_weights` of the network; None for an adapter merged into a model, whose last digits
            depend on the machine.
        start: The token before a text.
        end: The token after a text.
        context: The maximum number of tokens in a pass; None for no limit.
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
        """Return the wanted block size, limited by the context."""
        return wanted if self.context is None else min(wanted, self.context)

    def pack(self, stories: Iterable[TrainingText], settings: TrainingSettings) -> list[TokenBlock]:
        """Pack stories into blocks; special tokens in a story, such as <|endoftext|>, are read as text."""

        def encode(text: str) -> list[int]:
            found = self.tokenizer([collapse(text)], add_special_tokens=False, split_special_tokens=True)
            return list(found["input_ids"][0])

        texts = (story.text for story in stories)
        size = self.block_size(settings.block)
        return pack(texts, encode=encode, start=self.start, end=self.end, size=size, seed=settings.seed)


def load_base(name: str) -> BaseModel:
    """Load a model for training.

    Raises:
        ModelError: It cannot be loaded, scored or trained.
    """
    tokenizer, network = load_for_training(name)
    check_trainable(network, name)
    # The weights of a GGUF file have been dequantised; the saved network must not claim otherwise.
    network.hf_quantizer = None
    network.is_quantized = False
    if getattr(network.config, "quantization_config", None) is not None:
        del network.config.quantization_config
    try:
        return _inspect(name, network, tokenizer)
    except BarthesError:
        raise
    except Exception as error:  # an unusual network or tokenizer may raise anything when it is tried
        problem = f"cannot be used ({str(error) or type(error).__name__})."
        raise ModelError(problem, where=name, remedy="Choose another model.") from error


def check_trainable(network: Any, name: str) -> None:
    """Raise ModelError if weights are quantised: they have no gradient."""
    parameters = dict(network.named_parameters())
    packed = [key for key, each in parameters.items() if not each.is_floating_point() or each.itemsize < 2]
    if packed or not parameters or getattr(network, "quantization_method", None) is not None:
        what = f"{packed[0]} is {parameters[packed[0]].dtype}" if packed else "its weights are quantised"
        raise ModelError(
            f"cannot be trained as loaded: {what}.",
            where=name,
            remedy="Give an unquantised model (float32, bfloat16 or float16), or a GGUF file.",
        )


def _inspect(name: str, network: Any, tokenizer: Any) -> BaseModel:
    """Wrap the network as for scoring, which checks it, then restore the usual attention."""
    from barthes.models.causal import CausalModel

    model = CausalModel(network, tokenizer, name=name)
    if model.shares_prefix:
        network.set_attn_implementation(network.get_correct_attn_implementation(None))
    return BaseModel(
        name,
        network,
        tokenizer,
        fingerprint=model.fingerprint,
        sample=None if find_adapter(name) else sample_weights(network),
        start=model.start_token,
        end=model.end_token,
        context=model.context_length,
    )


def add_adapters(network: Any, settings: TrainingSettings, *, name: str) -> Any:
    """Return the network with trainable LoRA adapters on all linear layers but the output.

    Raises:
        ModelError: PEFT does not support the network.
    """
    import torch
    from peft import LoraConfig, get_peft_model

    config = LoraConfig(
        r=settings.rank,
        lora_alpha=settings.alpha,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
        fan_in_fan_out=any(type(module).__name__ == "Conv1D" for module in network.modules()),  # as in GPT-2
    )
    torch.manual_seed(settings.seed)
    try:
        return get_peft_model(network, config)
    except (ValueError, TypeError, NotImplementedError) as error:
        problem = f"does not support adapters ({collapse(str(error))[:200]})."
        raise ModelError(problem, where=name, remedy="Use full fine-tuning.", option="method") from error


def save_adapter(network: Any, folder: Path, *, base: str) -> None:
    """Write the adapters and their settings, which name the base.

    PEFT's own `save_pretrained` would add its own card and query the hub about the base.
    """
    from peft import get_peft_model_state_dict
    from safetensors.torch import save_file

    state = get_peft_model_state_dict(network, save_embedding_layers=False)
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in state.items()}
    folder.mkdir(parents=True, exist_ok=True)
    save_file(tensors, folder / ADAPTER_WEIGHTS, metadata={"format": "pt"})
    (folder / ADAPTER_WEIGHTS).chmod(0o666 & (folder.stat().st_mode | 0o600))  # was 0o600
    config = copy.copy(network.peft_config["default"])
    config.base_model_name_or_path = base
    config.inference_mode = True
    config.target_modules = sorted(config.target_modules)  # a set, whose order varies
    config.save_pretrained(str(folder))


def load_weights(network: Any, folder: Path) -> None:
    """Load the weights of a checkpoint into a network or its adapters."""
    import torch
    from peft import set_peft_model_state_dict
    from safetensors.torch import load_file

    if (folder / ADAPTER_WEIGHTS).exists():
        set_peft_model_state_dict(network, load_file(folder / ADAPTER_WEIGHTS))
    else:
        network.load_state_dict(type(network).from_pretrained(folder, dtype=torch.float32).state_dict())


def name_base(name: str, folder: Path) -> str:
    """Return the name of the base for an adapter in `folder`; relative paths start at that folder.

    >>> name_base("smollm2-135m", Path("tuned"))
    'smollm2-135m'
    """
    path = expand_home(name)
    if name in EMBEDDED or path.is_absolute() or not path.exists():
        return name
    # An adapter's folder is resolved when it is loaded, so ".." has to start at the resolved folder.
    return Path(os.path.relpath(path.parent.resolve() / path.name, folder.resolve())).as_posix()
